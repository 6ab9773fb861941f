package facts

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/price"
)

// Priced is a kernel with what it is predicted to take.
type Priced struct {
	*Kernel
	Once price.Time // one launch of it
	Runs float64    // how often a run launches it; in a branch as often as it is likely to be taken
}

// NS is what a run spends in the kernel, in nanoseconds.
func (p *Priced) NS() float64 { return p.Runs * p.Once.Total() }

// Prices are what the kernels of a variant are predicted to take on a device, in their order.
func (v *Variant) Prices(d *price.Device) []Priced {
	all := make([]Priced, len(v.Kernels))
	first, cached, likely := make(map[*Form]int, len(all)), d.Cached(v.Facts[RunTouched]), likelihoods(v.Kernels)
	for i := range v.Kernels {
		k := &v.Kernels[i]
		all[i] = Priced{Kernel: k, Runs: k.Runs() * float64(max(1, k.Guess)) * likely[k.Branch]}
		if at, known := first[k.Form]; known {
			all[i].Once = all[at].Once
			continue
		}
		all[i].Once, first[k.Form] = d.Time(k.Work.From(cached)), i
	}
	return all
}

// hide finds out which share of every transfer is hidden by the kernels that run until it is waited for. The time of a kernel hides once.
func (v *Variant) hide(d *price.Device) {
	type partly struct {
		form  *Form
		share float64
	}
	var free *freeTime
	var all []Priced
	forms, cached := map[partly]*Form{}, d.Cached(v.Facts[RunTouched])
	for i := range v.Kernels {
		k := &v.Kernels[i]
		if k.Until == 0 || k.Class == ClassControl {
			continue
		}
		if all == nil {
			all = v.Prices(d)
			free = &freeTime{make([]float64, len(all)), make([]int32, len(all)+1)}
			for i := range free.next {
				free.next[i] = int32(i)
			}
			for i, p := range all {
				if p.Class.Computes() {
					free.left[i] = p.NS()
				} else {
					free.next[i]++
				}
			}
		}
		key := partly{k.Form, free.cover(all[i].Runs*d.Transfer(&k.Work, cached), i+1, int(k.Until))}
		if forms[key] == nil {
			form := *k.Form
			form.Work[price.Hidden] = key.share
			form.Work = form.Work.Rounded()
			forms[key] = &form
		}
		k.Form = forms[key]
	}
}

// freeTime is how long each kernel computes while it hides no transfer.
type freeTime struct {
	left []float64
	next []int32 // where the next kernel with time left may be; see from
}

// from finds the first kernel with time left, from one on. It shortens the way there: 20,000 transfers over the same kernels take no longer than one over each.
func (f *freeTime) from(i int) int {
	for int(f.next[i]) != i {
		f.next[i] = f.next[f.next[i]]
		i = int(f.next[i])
	}
	return i
}

// cover is the share of a transfer that passes while the kernels from first up to end run; it uses up their time.
func (f *freeTime) cover(transfer float64, first, end int) float64 {
	rest := transfer
	for i := f.from(first); i < end && rest > 0; i = f.from(i) {
		used := min(rest, f.left[i])
		f.left[i] -= used
		rest -= used
		if f.left[i] <= 0 {
			f.next[i]++
		}
	}
	if transfer <= 0 {
		return 0
	}
	return 1 - rest/transfer
}

// RareBranches are the branches that hold nothing but calls of the host: they raise an error, or report what is rare. See likelihoods.
func (v *Variant) RareBranches() map[string]bool {
	rare := map[string]bool{}
	for branch, likely := range likelihoods(v.Kernels) {
		rare[branch] = likely == 0
	}
	return rare
}

// likelihoods say how likely it is that a run takes a branch. The branches of a conditional are equally likely. A conditional has at least two, because a
// branch without launches is not seen. A branch that calls the host and computes nothing else is not taken: it raises an error, or reports something rare.
func likelihoods(kernels []Kernel) map[string]float64 {
	likely, branches := map[string]float64{"": 1}, map[string]int{} // of each conditional, how many branches it has
	calls, computes := map[string]bool{}, map[string]bool{}
	for i := range kernels {
		k := &kernels[i]
		for at := k.Branch; at != ""; at = outerBranch(at) {
			conditional, branch := cutBranch(at)
			branches[conditional] = max(2, branch+1, branches[conditional])
			called := k.Work[price.Calls] > 0
			likely[at], calls[at], computes[at] = 1, calls[at] || called, computes[at] || !called && k.computes()
		}
	}
	for at := range likely {
		if calls[at] && !computes[at] {
			likely[at] = 0
		}
		for out := at; out != ""; out = outerBranch(out) {
			conditional, _ := cutBranch(out)
			likely[at] /= float64(branches[conditional])
		}
	}
	return likely
}

// cutBranch parts "0.1 2.3" into the conditional "0.1 2" and its branch 3.
func cutBranch(at string) (conditional string, branch int) {
	dot := strings.LastIndexByte(at, '.')
	branch, _ = strconv.Atoi(at[dot+1:])
	return at[:max(0, dot)], branch
}

// outerBranch is the branch around a branch, "" where there is none.
func outerBranch(branch string) string {
	at := strings.LastIndexByte(branch, ' ')
	return branch[:max(0, at)]
}

// smallProgram is a number of operations. XLA for CPU runs a program with fewer of them in the thread that calls it: see cheap_computation_ in
// xla/pjrt/cpu/cpu_client.cc.
const smallProgram = 1000

// CallNS is what the host spends on a run beside the kernels: the call, its arguments and its results, in nanoseconds.
func (v *Variant) CallNS(d *price.Device) float64 {
	call := d.Dispatch + d.Argument*v.Facts[RunArguments] + d.Result*v.Facts[RunResults]
	if flops, known := v.Facts[CostFlops]; !known || flops >= smallProgram {
		call += d.HandOver
	}
	effects := 0.0
	for i := range v.Kernels {
		effects = max(effects, v.Kernels[i].Work[price.Effects])
	}
	return call + d.Effect*effects
}

// PriceOn sets the facts that say what a run of the variant is predicted to take on a device.
func (v *Variant) PriceOn(d *price.Device) {
	sum, unknown := price.Time{Host: v.CallNS(d)}, 0.0
	for _, p := range v.Prices(d) {
		sum.Add(p.Once, p.Runs)
		unknown += p.Work[price.Unknown]
	}
	f := maps.Clone(v.Facts) // compiles share the map of what was measured of them
	v.Facts, v.Device = f, d
	sum = sum.Whole()
	f[PriceStep] = sum.Total()
	f[PriceLaunch], f[PriceCompute], f[PriceMemory] = sum.Launch, sum.Compute, sum.Memory
	f[PriceNetwork], f[PriceHost], f[PriceUnpriced] = sum.Network, sum.Host, unknown
}

// deviceOf is the device that a variant is priced on: the one that was chosen, else the one that the dump names, else the reference of its kind.
// A program that was compiled for another kind of device than the chosen one, as for the host of a GPU, runs on that kind's reference. The
// result is nil if neither the dump nor the configuration names a device of the table.
func (r *Report) deviceOf(v *Variant) *price.Device {
	family := r.familyOf(v)
	if d := price.Named(r.Device); d != nil && (d.Family == family || price.Reference(family) == nil) {
		return d
	}
	if called := r.Toolchain.Device; called != "" && family != price.CPU {
		return price.Of(string(family), called)
	}
	return price.Reference(family)
}

// familyOf is the kind of device that a variant was compiled for, "" where the dump does not say.
func (r *Report) familyOf(v *Variant) price.Family {
	return price.Family(cmp.Or(v.Backend, r.Toolchain.Backend))
}

// Unpriced says why no price of a variant is known, and which devices may be chosen for it.
func (r *Report) Unpriced(v *Variant) (why string, devices []string) {
	family := r.familyOf(v)
	for _, d := range price.Devices {
		if price.Reference(family) == nil || d.Family == family {
			devices = append(devices, d.Name)
		}
	}
	switch {
	case family == "":
		return "the dump does not say which device it was compiled for", devices
	case price.Reference(family) == nil:
		return fmt.Sprintf("no device of the back end %s is in the table of devices", family), devices
	}
	return fmt.Sprintf("%s is not in the table of devices", r.Toolchain.Device), devices
}

// PricedOn is the name of the device that the programs are priced on, "" for none, and whether it is assumed: nobody chose it, and the dump names none.
func (r *Report) PricedOn() (name string, assumed bool) {
	name = r.priced()
	return name, name != "" && r.Device == "" && r.Toolchain.Device == ""
}

// priced is the name of the device that the programs are priced on, "" where no price is known of it.
func (r *Report) priced() string {
	if d := r.deviceOf(&Variant{Origin: Origin{Backend: r.Toolchain.Backend}}); d != nil {
		return d.Name
	}
	return ""
}

// PriceAll sets the facts of all variants that say what a run is predicted to take.
func (r *Report) PriceAll() {
	for v := range eachVariant(slices.Concat(r.Programs, r.Helpers)) {
		if d := r.deviceOf(v); d != nil && v.WorkVersion > 0 {
			v.hide(d)
			v.PriceOn(d)
		}
	}
}

// PriceAlike prices the baseline and the dump on the same device, and by the same measure. If another version of xlagate measured a kernel of the baseline, it
// asks for what a similar kernel of the dump asks for. A program that did not change asks for what it asks for now.
func PriceAlike(old, fresh *Report) {
	var outdated []*Variant
	for v := range eachVariant(old.Programs) {
		if v.WorkVersion != 0 && v.WorkVersion != price.Version {
			outdated = append(outdated, v)
		}
	}
	if len(outdated) > 0 {
		measureAlike(outdated, fresh)
	}
	if fresh.Device == "" && fresh.Toolchain.Device == "" && fresh.Toolchain.Backend == old.Toolchain.Backend {
		fresh.Device = old.priced() // the dump no longer says which device it was compiled for
	}
	old.Device = fresh.priced()
	old.PriceAll()
	fresh.PriceAll()
}

// measureAlike gives the kernels of variants the works of fresh ones that are alike.
func measureAlike(outdated []*Variant, fresh *Report) {
	all, same := works{}, map[string]works{}
	for v := range eachVariant(fresh.Programs) {
		own := works{}
		own.add(v)
		all.add(v)
		same[v.Fingerprint] = own
	}
	for _, v := range outdated {
		if own, unchanged := same[v.Fingerprint]; unchanged {
			v.measureAs(own)
		} else {
			v.measureAs(all)
		}
	}
}

// works are what kernels ask of a device, by what a baseline knows of a kernel. Kernels that are alike by that may differ in layouts: their works are a list.
type works map[workKey][]runWork

// runWork is what a kernel asks of a device, and how often loops of unknown length around it are taken to run, and run at most.
type runWork struct {
	price.Work
	guess, most int64
}

type workKey struct {
	print, layout string
	times         int64
}

func (k *Kernel) workKey() workKey { return workKey{k.Print, k.Layout, k.Times} }

func (w works) add(v *Variant) {
	for i := range v.Kernels {
		key := v.Kernels[i].workKey()
		w[key] = append(w[key], runWork{v.Kernels[i].Work, v.Kernels[i].Guess, v.Kernels[i].Most})
	}
}

// measureAs gives kernels the works of those that are alike, one after the other.
func (v *Variant) measureAs(known works) {
	given := map[workKey]int{}
	for i := range v.Kernels {
		k := &v.Kernels[i]
		key := k.workKey()
		list := known[key]
		if len(list) == 0 {
			continue
		}
		form, site, as := *k.Form, *k.Site, list[given[key]%len(list)]
		form.Work, site.Guess, site.Most = as.Work, as.guess, as.most
		given[key]++
		k.Form, k.Site = &form, &site
	}
}

// work is what a launch asks of a device.
func (r *reader) work(l launch) price.Work {
	if r.meter == nil {
		iterations := func(loop hlo.InstrID) int64 { return r.values().loop(loop).iterations() }
		r.meter = price.NewMeter(r.family, r.alike(), r.costs(), iterations, func(id hlo.InstrID) (price.Product, bool) {
			if !r.isProduct(id) {
				return price.Product{}, false
			}
			p := r.product(id)
			results := r.m.Shape(r.productShape(id)).ElementCount()
			return price.Product{Type: p.Type, Precision: p.Precision, Flops: float64(p.Flops), Results: float64(results)}, true
		})
	}
	var w price.Work
	if l.class == ClassCollective && l.moves != hlo.NoInstr {
		w = r.exchange(l)
	} else {
		w = r.meter.Of(l.id)
	}
	if l.class == ClassControl && r.m.Instrs[l.id].Opcode != hlo.OpWhile {
		w[price.Decisions] = 1
	}
	w[price.Queued] = l.queued
	return w.Rounded()
}

// exchange is what a collective needs.
func (r *reader) exchange(l launch) (w price.Work) {
	all := r.m.Header.ReplicaCount * r.m.Header.NumPartitions
	peers, reach := all, reachOf([]int64{0, max(0, all-1)})
	ofSend := frontendAttribute(r.m.AttrText(l.moves, "frontend_attributes"), "_xla_send_recv_source_target_pairs") // see xla/service/collective_ops_utils.h
	groups, _ := hlo.ReplicaGroups([]byte(cmp.Or(r.m.AttrText(l.moves, "replica_groups"), r.m.AttrText(l.moves, "source_target_pairs"), ofSend)))
	if len(groups) > 0 {
		peers, reach = int64(len(groups[0])), 1
	}
	for _, group := range groups {
		reach = max(reach, reachOf(group))
	}
	w.Exchange(plainOpcode(r.opcode(l.moves)), float64(r.moved(l.moves)), float64(peers), reach)
	return w
}

// reachOf is how many devices the smallest aligned block of a power of two has that holds all of these: 8 for {0, 2, 4, 6}, 16 for {4, 8}. Devices of one
// machine are numbered one after the other.
func reachOf(devices []int64) float64 {
	if len(devices) == 0 {
		return 1
	}
	least, most := slices.Min(devices), slices.Max(devices)
	return math.Ldexp(1, bits.Len64(uint64(least^most)))
}

// expectation adds up the cycles that the compiler for TPU expects of computations: loops as often as they run or are taken to run, and of
// a conditional its dearest branch, as XLA's cost analysis does.
type expectation struct {
	*values
	known map[hlo.CompID]expected
}

type expected struct {
	cycles float64
	said   bool // of any operation
}

func (e *expected) add(other expected, times float64) {
	e.cycles, e.said = min(e.cycles+times*other.cycles, float64(maxRuns)), e.said || other.said
}

func (e *expectation) of(c hlo.CompID) (sum expected) {
	if known, ok := e.known[c]; ok {
		return known
	}
	for id, end := e.m.Body(c); id < end; id++ {
		cycles, said := estimatedCycles(e.m.AttrText(id, "backend_config"))
		sum.add(expected{cycles, said}, 1)
		callees := e.m.Callees(id)
		switch op := e.m.Instrs[id].Opcode; {
		case roleOf(op) == roleEnter:
			for _, c := range callees {
				sum.add(e.of(c), 1)
			}
		case op == hlo.OpWhile && len(callees) == 2: // the condition of a loop whose length is known is not asked again
			sum.add(e.of(callees[0]), float64(e.loop(id).iterations()))
			sum.add(e.of(callees[1]), 1)
		case roleOf(op) == roleControl:
			var dearest expected
			for _, c := range callees {
				branch := e.of(c)
				dearest = expected{max(dearest.cycles, branch.cycles), dearest.said || branch.said}
			}
			sum.add(dearest, 1)
		}
	}
	e.known[c] = sum
	return sum
}

// expect gives every kernel the cycles that the compiler expects of it: the instructions are called as they were before code was generated.
func (v *Variant) expect(r *reader) {
	byName := make(map[string]hlo.InstrID, len(v.Kernels))
	for i := range v.Kernels {
		byName[v.Kernels[i].Name] = hlo.NoInstr
	}
	r.m.FindInstrs(byName)
	for i := range v.Kernels {
		k := &v.Kernels[i]
		id := byName[k.Name]
		if id == hlo.NoInstr || k.Class == ClassControl {
			continue
		}
		if cycles, said := estimatedCycles(r.m.AttrText(id, "backend_config")); said && cycles > 0 {
			form := *k.Form
			form.Work[price.Cycles], form.Work[price.Unknown] = cycles, 0
			form.Work = form.Work.Rounded()
			k.Form = r.interner.form(form)
		}
	}
}

// WorkClass is the class of work that a kernel does, by the operation that costs most in it.
func (k *Kernel) WorkClass() price.Class {
	multiplied := 0.0
	for unit := price.ProductF64; unit <= price.Looped; unit++ {
		multiplied += k.Work[unit]
	}
	switch {
	case k.Class == ClassCollective:
		return price.Transfers
	case k.Work[price.Calls] > 0:
		return price.Hosting
	case k.Class == ClassControl:
		return price.Controls
	case multiplied > 0:
		return price.Products
	case k.Do.Times("sort")+k.Do.Times("topk") > 0 || k.Work[price.Unknown] == 0 && (strings.Contains(k.Target, "TopK") || strings.Contains(strings.ToLower(k.Target), "sort")):
		return price.Sorts
	case k.Class == ClassLibrary || k.Target != "" || k.Do.Times("fft") > 0:
		return price.Libraries
	case k.Do.Times("gather")+k.Do.Times("scatter") > 0:
		return price.Gathers
	case k.Do.Times("reduce")+k.Do.Times("reduce-window")+k.Do.Times("scan")+k.Do.Times("select-and-scatter") > 0:
		return price.Reductions
	case k.Class == ClassCopy || !k.computes():
		return price.Moves
	}
	return price.Loops
}

// computes reports whether a kernel does more than bring elements into another place or order.
func (k *Kernel) computes() bool {
	return slices.ContainsFunc(k.Do, func(o OpcodeTimes) bool {
		switch o.Opcode {
		case "copy", "transpose", "reshape", "slice", "dynamic-slice", "dynamic-update-slice", "concatenate", "pad", "broadcast", "iota", "reverse", "convert":
			return false
		}
		return true
	})
}
