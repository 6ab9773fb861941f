package facts

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/price"
)

// OfKernels counts what the device is asked to run. Kernels and library calls are one sum; copies and collectives have their own.
func OfKernels(kernels []Kernel) Values {
	f := make(Values, len(Table))
	for i := range Table {
		if Table[i].Always {
			f[Table[i].ID] = 0
		}
	}
	for i := range kernels {
		k := &kernels[i]
		if k.Thread != "" {
			f[Thread.Of(k.Thread)]++
		}
		switch k.Class {
		case ClassKernel, ClassLibrary:
			f.kernel(k)
		case ClassCopy:
			f[CopiesCount]++
		case ClassCollective:
			f[CollectiveCount.Of(k.Target)]++
			f[CollectiveBytes.Of(k.Target)] += float64(k.Bytes)
		}
	}
	return f
}

// kernel counts a kernel or a library call.
func (f Values) kernel(k *Kernel) {
	f[KernelsTotal]++
	f[KernelKind.Of(k.Kind)]++
	f[KernelsWeighted] = min(f[KernelsWeighted]+k.Runs(), float64(maxRuns))
	if k.InEntry {
		f[KernelsEntry]++
	}
	switch {
	case k.Fusion && k.Class == ClassLibrary: // only a fusion of kind custom calls a library
		f[FusionsTotal]++
		f[FusionsCustom]++
	case k.Fusion:
		f[FusionsTotal]++
		f[FusionKind.Of(k.Kind)]++
	case k.Kind == "custom-call":
		f[CustomCall.Of(k.Target)]++
	}
}

// countBytes counts the bytes that copies write, and the launches that the compiler rematerializes: their names contain ".remat".
func (v *Variant) countBytes(r *reader, launches []launch) {
	for i, l := range launches {
		k := &v.Kernels[i]
		if k.Class == ClassCopy {
			v.count(r, l.id, CopiesBytes, float64(r.m.ShapeBytes(r.resultShape(l.id))))
		}
		if strings.Contains(k.Name, ".remat") {
			v.count(r, l.id, RematCount, 1)
			v.count(r, l.id, RematBytes, float64(k.Bytes))
		}
	}
}

// loops counts loops, and iterations where the compiler knew all of them.
func (f Values) loops(loops []reachedLoop) {
	f[LoopsWhile] = float64(len(loops))
	var trips, unknown, early int64
	for _, l := range loops {
		if l.trips == unknownTrips {
			unknown++
			if l.exit.early {
				early++
			}
			continue
		}
		trips = min(trips+timesProduct(l.trips, l.runs), maxRuns)
	}
	f[LoopsUnknown] = float64(unknown)
	if unknown == 0 {
		f[LoopsTripCount] = float64(trips)
	} else {
		f[LoopsEarlyExit] = float64(early)
	}
}

// costs sets XLA's cost analysis of the entry computation: loop bodies once, and as often as they run where the program has loops and all lengths are known.
func (v *Variant) costs(r *reader, loops []reachedLoop) {
	f, once := v.Facts, r.costs().Comp(r.m.Entry)
	f.cost(CostFlops, once.Flops)
	f.cost(CostBytes, once.BytesAccessed)
	f[CostTranscendentals] = once.Transcendentals
	v.countCosts(r, r.m.Entry, r.costs(), [3]ID{CostFlops, CostBytes, CostTranscendentals}, 1, 0)
	if f[LoopsUnknown] > 0 {
		return
	}
	weighted := once
	if len(loops) > 0 {
		costs := price.Analyze(r.alike(), r.users(), r.trips)
		weighted = costs.Comp(r.m.Entry)
		v.countCosts(r, r.m.Entry, costs, [3]ID{CostWeightedFlops, CostWeightedBytes}, 1, 0)
	}
	f.cost(CostWeightedFlops, weighted.Flops)
	f.cost(CostWeightedBytes, weighted.BytesAccessed)
}

func (r *reader) trips(id hlo.InstrID) int64 { return r.values().loop(id).trips }

// cost sets a cost. A custom call's is -1: of a program that is nothing else nobody knows it.
func (f Values) cost(id ID, cost float64) {
	if cost >= 0 {
		f[id] = cost
	}
}

// countModule counts the facts of the optimized module as a whole.
func (v *Variant) countModule(r *reader) {
	m := r.m
	for id := range r.notable(func(id hlo.InstrID) bool { return m.Instrs[id].Opcode == hlo.OpTranspose }) {
		v.count(r, id, TransposesCount, 1)
		v.count(r, id, TransposesBytes, float64(m.ShapeBytes(m.Instrs[id].Shape)))
	}
	v.countTypes(r)
	v.Facts[DonationAliased] = float64(len(m.Header.Aliases))
	v.Facts[DonationBytes] = 0
	params := m.Params(m.Entry)
	for _, a := range m.Header.Aliases { // parameters, or the parts of them, whose buffers the results reuse
		if a.Param >= 0 && a.Param < int64(len(params)) && params[a.Param] != hlo.NoInstr {
			v.Facts[DonationBytes] += float64(m.ShapeBytes(leaf(m, m.Instrs[params[a.Param]].Shape, a.ParamIndex)))
		}
	}
}

// countTypes counts the instructions, those whose result holds a type, and of those in double precision the ones with single numbers of it: a Python
// number comes as one into a graph of PyTorch/XLA.
func (v *Variant) countTypes(r *reader) {
	m, owners := r.m, r.owners()
	var types []hlo.Type // of the module
	holds := make([]typesIn, m.ShapeIDs())
	for id := range holds { // the elements of a tuple come before it
		s := m.Shape(hlo.ShapeID(id))
		if s.Type == hlo.Tuple {
			for _, e := range s.Elements {
				holds[id].all, holds[id].arrays = holds[id].all|holds[e].all, holds[id].arrays|holds[e].arrays
			}
			continue
		}
		at := slices.Index(types, s.Type)
		if at < 0 {
			at, types = len(types), append(types, s.Type)
		}
		if holds[id].all = 1 << at; len(s.Dims) > 0 || s.Type != hlo.F64 && s.Type != hlo.C128 {
			holds[id].arrays = 1 << at
		}
	}
	count, kinds := make([]int32, len(owners.list)), 2*len(types)
	typed := make([]int32, kinds*len(owners.list)) // of each owner and type, all and those with single numbers
	for id, owner := range owners.of {
		count[owner]++
		in := holds[m.Instrs[id].Shape]
		for left := in.all; left > 0; left &= left - 1 {
			at := kinds*int(owner) + 2*bits.TrailingZeros64(left)
			typed[at]++
			typed[at+1] += int32(in.all &^ in.arrays >> bits.TrailingZeros64(left) & 1)
		}
	}
	facts := make([]ID, 0, kinds)
	for _, t := range types {
		facts = append(facts, Dtype.Of(t.String()), ScalarDtype.Of(t.String()))
	}
	add := func(owner int, fact ID, n int32) {
		if n > 0 {
			v.Facts[fact] += float64(n)
			v.part(r, int32(owner))[fact] += float64(n)
		}
	}
	for owner, n := range count { // of an owner that is only an argument's name none
		add(owner, InstructionsAfter, n)
		for i, n := range typed[kinds*owner:][:kinds] {
			add(owner, facts[i], n)
		}
	}
}

// typesIn are the types that a shape holds, a bit each: all, and those but for the ones in double precision of which it holds only single numbers.
type typesIn struct{ all, arrays uint64 }

func leaf(m *hlo.Module, id hlo.ShapeID, index []int64) hlo.ShapeID {
	for _, i := range index {
		elements := m.Shape(id).Elements
		if i < 0 || i >= int64(len(elements)) {
			break
		}
		id = elements[i]
	}
	return id
}

// estimatedCycles is what the compiler for TPU says of an operation in its backend_config; false where it does not. The largest int64 means that it does
// not know.
func estimatedCycles(config string) (float64, bool) {
	_, rest, _ := strings.Cut(config, `"estimated_cycles":"`)
	digits, _, _ := strings.Cut(rest, `"`)
	n, err := strconv.ParseUint(digits, 10, 63)
	if err != nil || n == math.MaxInt64 {
		return 0, false
	}
	return float64(n), true
}

// maxRuns is more often than anything runs: loops in loops that say they run longer than that, together, would overflow.
const maxRuns = int64(1) << 53

// timesProduct is how often something runs that runs so often each time that what is around it does.
func timesProduct(a, b int64) int64 {
	if a > 0 && b > maxRuns/a {
		return maxRuns
	}
	return min(a*b, maxRuns)
}

// maxConstants bounds the list of constants that is kept of one variant; the largest stay, and of scalars each value once.
const maxConstants = 256

// constants lists what is baked into the program, computation after computation as the program reaches them: two dumps may list computations in other orders.
func (r *reader) constants() []Constant {
	largest := r.largestConstants()
	rank := r.reached()
	slices.SortStableFunc(largest, func(a, b hlo.InstrID) int { return cmp.Compare(rank[r.m.Instrs[a].Comp], rank[r.m.Instrs[b].Comp]) })
	return phrase.Map(largest, r.constant)
}

// largestConstants lists the largest constants in the order of the file, of several of one size the first. A scalar that repeats another one comes last.
func (r *reader) largestConstants() []hlo.InstrID {
	all := slices.Collect(r.notable(func(id hlo.InstrID) bool { return r.m.Instrs[id].Opcode == hlo.OpConstant }))
	if len(all) <= maxConstants {
		return all
	}
	bySize, kept, repeats, seen := slices.Clone(all), map[hlo.InstrID]bool{}, map[hlo.InstrID]bool{}, map[string]bool{}
	for _, id := range all {
		if r.size(id) <= 8 {
			value := r.m.Literal(id)
			repeats[id], seen[value] = seen[value], true
		}
	}
	slices.SortStableFunc(bySize, func(a, b hlo.InstrID) int {
		return cmp.Or(phrase.CompareBools(repeats[a], repeats[b]), cmp.Compare(r.size(b), r.size(a)))
	})
	for _, id := range bySize[:maxConstants] {
		kept[id] = true
	}
	return slices.DeleteFunc(all, func(id hlo.InstrID) bool { return !kept[id] })
}

// reached ranks the computations by when the program first calls them, the entry first; computations that nothing calls come last.
func (r *reader) reached() []int {
	calls := make([][]hlo.CompID, len(r.m.Comps))
	for id := range r.notable(func(id hlo.InstrID) bool { return len(r.m.Callees(id)) > 0 }) {
		c := r.m.Instrs[id].Comp
		calls[c] = append(calls[c], r.m.Callees(id)...)
	}
	rank := make([]int, len(r.m.Comps))
	queue := append(make([]hlo.CompID, 0, len(rank)), r.m.Entry)
	rank[r.m.Entry] = 1
	for next := 0; next < len(queue); next++ {
		for _, c := range calls[queue[next]] {
			if rank[c] == 0 {
				queue = append(queue, c)
				rank[c] = len(queue)
			}
		}
	}
	for c := range rank {
		if rank[c] == 0 {
			rank[c] = len(rank) + 1
		}
	}
	return rank
}

func (r *reader) size(id hlo.InstrID) int64 { return r.sizes[r.m.Instrs[id].Shape] }

// constant describes one constant. JAX gives constants no metadata: its first user with a name says whose it is.
func (r *reader) constant(id hlo.InstrID) Constant {
	md := r.metadata(id)
	if users := r.users().Of(id); md.OpName == "" && len(users) > 0 {
		md = r.metadata(users[0])
	}
	return Constant{
		Shape: r.shape(r.m.Instrs[id].Shape), Bytes: r.size(id), Value: r.m.Literal(id),
		OpName: cmp.Or(md.OpName, r.owner(id).Op), Within: r.owner(id).Within, Source: r.sources.locate(md),
	}
}
