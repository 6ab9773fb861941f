package facts

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/price"
)

// Advice is something in a program that costs time or memory and that the model can do without.
type Advice struct {
	Program   string       `json:"program"`
	Says      string       `json:"says"`
	OpName    string       `json:"op_name,omitempty"`
	Source    hlo.Location `json:"source,omitzero"`
	StepNS    float64      `json:"step_ns,omitempty"` // the predicted time that it saves at most
	StepShare float64      `json:"step_share,omitempty"`
	Bytes     float64      `json:"bytes,omitempty"` // the memory that it saves on each device
}

// leastShare is the least share of the step or of the peak memory that is worth advice.
const leastShare = 0.01

// Advice lists what the programs can do without, what saves most first. It reads the modules: see Options.KeepModules.
func (r *Report) Advice() []Advice {
	list := []Advice{}
	for v, p := range eachVariant(r.Programs) {
		if v.Module == nil || v.Device == nil {
			continue
		}
		a := &adviser{v: v, prices: v.Prices(v.Device), instrs: map[string]hlo.InstrID{}}
		for i := range v.Kernels {
			a.instrs[v.Kernels[i].Name] = hlo.NoInstr
		}
		v.Module.FindInstrs(a.instrs)
		a.widened()
		a.moved()
		a.uncombined()
		a.padded()
		a.replicated()
		for _, one := range a.list {
			one.Program = p.Name
			if !slices.ContainsFunc(list, func(known Advice) bool {
				return known.Program == p.Name && known.Says == one.Says && known.Source == one.Source
			}) {
				list = append(list, one)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b Advice) int {
		return cmp.Or(strings.Compare(a.Program, b.Program), cmp.Compare(b.StepNS, a.StepNS), cmp.Compare(b.Bytes, a.Bytes))
	})
	return list
}

// adviser looks at one variant.
type adviser struct {
	v      *Variant
	prices []Priced
	instrs map[string]hlo.InstrID // of the kernels
	list   []Advice
}

// time adds advice that saves time, if that is worth a sentence and the model names what takes it.
func (a *adviser) time(k *Kernel, ns float64, says string) {
	if step := a.v.Facts[PriceStep]; k.OpName != "" && ns > 0 && ns >= leastShare*step {
		a.list = append(a.list, Advice{Says: says, OpName: k.OpName, Source: k.Source, StepNS: ns, StepShare: ns / step})
	}
}

// widened finds values that a kernel stores in a wide type and that all others read only to convert them to a narrower one. Converting them where they are made
// gives the same numbers.
func (a *adviser) widened() {
	m := a.v.Module
	kernels, users := map[string]*Priced{}, m.Users()
	for i := range a.prices {
		kernels[a.prices[i].Name] = &a.prices[i]
	}
	for i := range m.Instrs {
		id := hlo.InstrID(i)
		maker := id
		if m.Instrs[id].Opcode == hlo.OpGetTupleElement {
			maker = m.Operands(id)[0]
		}
		k, shape := kernels[m.InstrName(maker)], m.Shape(m.Instrs[id].Shape)
		if k == nil || !k.Class.Computes() || m.Comps[m.Instrs[id].Comp].Root == id || len(shape.Elements) > 0 {
			continue
		}
		readers := users.Of(id)
		narrow, converted := convertedTo(m, users, id, readers)
		if !converted || narrow.Bytes() >= shape.Type.Bytes() {
			continue
		}
		spared := float64(shape.ElementCount() * (shape.Type.Bytes() - narrow.Bytes()))
		saved := k.Runs * sparedTime(k, spared)
		for _, reader := range readers {
			if by := kernels[m.InstrName(reader)]; by != nil {
				saved += by.Runs * sparedTime(by, spared)
			}
		}
		a.time(k.Kernel, saved, fmt.Sprintf("%s is stored as %s and read only as %s: convert it where it is made", k.Operations(), shape.Type, narrow))
	}
}

// sparedTime is how much sooner a launch ends that moves so many bytes less: only one that waits for memory does.
func sparedTime(p *Priced, bytes float64) float64 {
	if p.Kernel.Bytes == 0 {
		return 0
	}
	return p.Once.Memory * min(1, bytes/float64(p.Kernel.Bytes))
}

// convertedTo is the one type to which all readers convert a value before they do anything else with it.
func convertedTo(m *hlo.Module, users *hlo.Users, id hlo.InstrID, readers []hlo.InstrID) (to hlo.Type, all bool) {
	found := map[hlo.Type]bool{}
	for _, reader := range readers {
		inside := []hlo.InstrID{reader}
		if m.Instrs[reader].Opcode == hlo.OpFusion {
			inside = nil
			params := m.Params(m.Callees(reader)[0])
			for at, operand := range m.Operands(reader) {
				if operand == id && at < len(params) {
					inside = append(inside, users.Of(params[at])...)
				}
			}
		}
		for _, use := range inside {
			md := m.Metadata(use) // a compiler for a CPU adds conversions of its own around products in bf16
			if asked := strings.HasSuffix(md.OpName, "convert_element_type") || md.OpType == "Cast"; !asked || m.Instrs[use].Opcode != hlo.OpConvert {
				return 0, false
			}
			to = m.Shape(m.Instrs[use].Shape).Type
			found[to] = true
		}
	}
	return to, len(found) == 1
}

// moved finds transpositions and copies of what a product reads or writes.
func (a *adviser) moved() {
	products := map[int32]bool{}
	for i := range a.v.Kernels {
		products[int32(i)] = a.v.Kernels[i].multiplies()
	}
	said := map[int]bool{}
	for i := range a.prices {
		k := &a.prices[i]
		for _, from := range k.From {
			if maker := &a.v.Kernels[from]; products[int32(i)] && !said[int(from)] && a.rearranges(maker) {
				said[int(from)] = true
				a.time(maker, a.prices[from].NS(), fmt.Sprintf("%s is rearranged for the product %s: store it as the product reads it", maker.Out, cmp.Or(k.OpName, k.Name)))
			} else if products[from] && !said[i] && a.rearranges(k.Kernel) {
				said[i] = true
				a.time(k.Kernel, k.NS(), fmt.Sprintf("%s is rearranged after the product %s: let the product write it so, or what follows read it as it is",
					k.Out, cmp.Or(maker.OpName, maker.Name)))
			}
		}
	}
}

// multiplies reports whether a kernel computes a product by the device's units or in a library.
func (k *Kernel) multiplies() bool {
	return slices.ContainsFunc(k.Work[:price.Looped], func(flops float64) bool { return flops > 0 })
}

// rearranges reports whether a kernel only changes the order of what is in memory. A copy that keeps the order moves to another memory, or into a buffer.
func (a *adviser) rearranges(k *Kernel) bool {
	for _, op := range k.Do {
		if !slices.Contains([]string{"transpose", "copy", "reshape", "bitcast"}, op.Opcode) {
			return false
		}
	}
	id, there := a.instrs[k.Name]
	if opcode := a.v.Module.Instrs[max(id, 0)].Opcode; !there || len(k.Do) == 0 ||
		len(a.v.Module.Operands(id)) != 1 || opcode != hlo.OpCopy && opcode != hlo.OpTranspose && opcode != hlo.OpFusion {
		return false
	}
	from, to := a.v.Module.Shape(a.v.Module.Instrs[a.v.Module.Operands(id)[0]].Shape), a.v.Module.Shape(a.v.Module.Instrs[id].Shape)
	return k.Do[0].Opcode != "copy" || len(k.Do) > 1 || !slices.Equal(from.DimensionOrder(), to.DimensionOrder())
}

// combinable are the collectives that XLA can join.
var combinable = []string{"all-reduce", "all-gather", "reduce-scatter"}

// uncombined finds collectives of one kind over the same devices of which none waits for another: one transfer of all costs the latency once.
func (a *adviser) uncombined() {
	type kind struct{ target, attrs, reduction, groups, loop, branch, dtype string }
	m, alike := a.v.Module, map[kind][]int{}
	var kinds []kind
	for i := range a.v.Kernels {
		k := &a.v.Kernels[i]
		if k.Class != ClassCollective || !slices.Contains(combinable, k.Target) || k.Overlapped > 0 || !a.isShort(k) {
			continue
		}
		reduction := "" // the operation that it reduces by
		if callees := m.Callees(max(a.instrs[k.Name], 0)); len(callees) > 0 {
			reduction = m.OpcodeName(m.Instrs[m.Comps[callees[0]].Root].Opcode)
		}
		of := kind{k.Target, k.Attrs, reduction, k.Groups, k.Loop, k.Branch, hlo.ShapeText(k.Out).Type()}
		if alike[of] == nil {
			kinds = append(kinds, of)
		}
		alike[of] = append(alike[of], i)
	}
	for _, of := range kinds {
		free := a.independent(alike[of])
		if len(free) < 2 {
			continue
		}
		first := a.prices[free[0]]
		sum, cached := first.Work, a.v.Device.Cached(a.v.Facts[RunTouched])
		saved, bytes := first.NS(), float64(first.Kernel.Bytes)
		for _, i := range free[1:] {
			k := &a.prices[i]
			sum[price.Sent], sum[price.Far] = sum[price.Sent]+k.Work[price.Sent], sum[price.Far]+k.Work[price.Far]
			saved, bytes = saved+k.NS(), bytes+float64(k.Kernel.Bytes)
		}
		saved -= first.Runs * a.v.Device.Time(sum.From(cached)).Total()
		a.time(first.Kernel, saved, fmt.Sprintf("%d %s of %s in all wait for nothing of each other: combine them in one", len(free), of.target, phrase.Bytes(bytes)))
	}
}

// isShort reports whether a transfer waits longer than it sends: joining long ones would only need their memory at once.
func (a *adviser) isShort(k *Kernel) bool {
	empty := k.Work
	empty[price.Sent], empty[price.Far], empty[price.OnChip] = 0, 0, 0
	d := a.v.Device
	return d.Time(k.Work.From(d.Cached(a.v.Facts[RunTouched]))).Total() < 2*d.Time(&empty).Total()
}

// independent are the kernels of a list that wait for no other of the list.
func (a *adviser) independent(list []int) (free []int) {
	waits := make([]bool, len(a.v.Kernels))
	for i := list[0]; i <= list[len(list)-1]; i++ {
		member := slices.Contains(list, i)
		for _, from := range a.v.Kernels[i].From {
			waits[i] = waits[i] || waits[from] || int(from) < i && slices.Contains(list, int(from))
		}
		if member && !waits[i] {
			free = append(free, i)
		}
	}
	return free
}

// lanes is how wide the units of a TPU are.
const lanes = 128

// padded finds products of a TPU whose contracted dimension does not fill the unit.
func (a *adviser) padded() {
	if a.v.Device.Family != price.TPU {
		return
	}
	for i := range a.prices {
		k := &a.prices[i]
		at := slices.IndexFunc(a.v.Products, func(p *Product) bool { return strings.HasSuffix(p.OpName, "/dot_general") && p.OpName == k.OpName })
		if at < 0 || !k.multiplies() {
			continue
		}
		p, results := a.v.Products[at], 1.0
		for _, dim := range hlo.ShapeText(p.Shape).Dims() {
			n, _ := strconv.ParseFloat(dim, 64)
			results *= n
		}
		depth := float64(p.Flops) / 2 / results // how many products each element of the result is the sum of
		full := math.Ceil(depth/lanes) * lanes
		if depth == math.Trunc(depth) && depth >= lanes/2 {
			a.time(k.Kernel, k.NS()*(1-depth/full), fmt.Sprintf("the product sums over %v, and the unit takes %d at a time: %v would take as long", depth, lanes, full))
		}
	}
}

// replicated finds arguments that every device holds whole, although the program is spread over several.
func (a *adviser) replicated() {
	devices := float64(a.v.Module.Header.NumPartitions)
	var bytes float64
	var names []string
	for _, p := range a.v.Params {
		if devices > 1 && p.Sharding == "{replicated}" && float64(p.Bytes) >= leastShare*a.v.Facts[MemoryPeak] && p.Bytes > 1<<20 {
			bytes, names = bytes+float64(p.Bytes), append(names, p.Name)
		}
	}
	if len(names) > 0 {
		says := fmt.Sprintf("each of %v devices holds all of %s (%s): spread over them it takes %s", devices,
			phrase.List(names[:min(len(names), 4)], "and"), phrase.Bytes(bytes), phrase.Bytes(bytes/devices))
		a.list = append(a.list, Advice{Says: says, Bytes: bytes * (1 - 1/devices)})
	}
}
