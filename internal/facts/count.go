package facts

import (
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/price"
)

// launches counts what the device is asked to run. Kernels and library calls are one sum; copies and collectives have their
// own.
func (f Values) launches(r *reader, launches []launch, kernels []Kernel) {
	for i := range Table {
		if Table[i].Always {
			f[Table[i].ID] = 0
		}
	}
	tallies := map[*Form]*tally{}
	for i, l := range launches {
		k := &kernels[i]
		f.remat(k)
		t := tallies[k.Form]
		if t == nil {
			t = &tally{one: l}
			tallies[k.Form] = t
		}
		t.add(k)
	}
	for form, t := range tallies {
		f.form(r, form, t)
	}
}

// tally counts the launches of one form.
type tally struct {
	one            launch
	n, times, once int64
}

func (t *tally) add(k *Kernel) {
	t.n++
	t.times = timesSum(t.times, k.Times)
	if k.InEntry {
		t.once++
	}
}

func (f Values) form(r *reader, k *Form, t *tally) {
	switch k.Class {
	case ClassKernel, ClassLibrary:
		f.kernels(r, k, t)
	case ClassCopy:
		f.add(CopiesCount, t.n)
		f.addBytes(CopiesBytes, t.n, r.m.ShapeBytes(r.resultShape(t.one.id)))
	case ClassCollective:
		f.add(CollectiveCount.Of(k.Target), t.n)
		f.addBytes(CollectiveBytes.Of(k.Target), t.n, k.Bytes)
	}
}

// remat counts what the compiler computes again rather than keep: it names the copy after the original.
func (f Values) remat(k *Kernel) {
	if strings.Contains(k.Name, ".remat") {
		f.add(RematCount, 1)
		f.add(RematBytes, k.Bytes)
	}
}

func (f Values) kernels(r *reader, k *Form, t *tally) {
	f.add(KernelsTotal, t.n)
	f.add(KernelKind.Of(k.Kind), t.n)
	f.add(KernelsWeighted, t.times)
	f.add(KernelsEntry, t.once)
	switch r.m.Instrs[t.one.id].Opcode {
	case hlo.OpCustomCall:
		f.add(CustomCall.Of(k.Target), t.n)
	case hlo.OpFusion:
		f.add(FusionsTotal, t.n)
		f.add(FusionKind.Of(r.fusionKind(t.one.id)), t.n)
	}
}

// loops counts loops, and iterations where the compiler knew all of them.
func (f Values) loops(loops []loop) {
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
		trips = timesSum(trips, timesProduct(l.trips, l.runs))
	}
	f[LoopsUnknown] = float64(unknown)
	if unknown == 0 {
		f[LoopsTripCount] = float64(trips)
	} else {
		f[LoopsEarlyExit] = float64(early)
	}
}

// costs sets XLA's cost analysis of the entry computation: loop bodies once, and weighted by their trip counts where the
// program has loops and all of them are known.
func (f Values) costs(r *reader, loops []loop) {
	once := r.price().Comp(r.m.Entry)
	f.cost(CostFlops, once.Flops)
	f.cost(CostBytes, once.BytesAccessed)
	f[CostTranscendentals] = once.Transcendentals
	if f[LoopsUnknown] > 0 {
		return
	}
	weighted := once
	if len(loops) > 0 {
		weighted = price.Price(r.alike(), r.trips).Comp(r.m.Entry)
	}
	f.cost(CostWeightedFlops, weighted.Flops)
	f.cost(CostWeightedBytes, weighted.BytesAccessed)
}

func (r *reader) trips(id hlo.InstrID) int64 { return tripCount(r.m, id) }

// cost sets a cost. A custom call's is -1: of a program that is nothing else nobody knows it.
func (f Values) cost(id ID, cost float64) {
	if cost >= 0 {
		f[id] = cost
	}
}

// module counts the facts of the optimized module as a whole.
func (f Values) module(r *reader) {
	m := r.m
	f[InstructionsAfter] = float64(len(m.Instrs))
	for id := range r.notable(func(id hlo.InstrID) bool { return m.Instrs[id].Opcode == hlo.OpTranspose }) {
		f.add(TransposesCount, 1)
		f.addBytes(TransposesBytes, 1, m.ShapeBytes(m.Instrs[id].Shape))
	}
	f.dtypes(m, r.census().byShape)
	f[DonationAliased] = float64(len(m.Header.Aliases))
	f[DonationBytes] = float64(aliasedBytes(m))
}

// dtypes counts the instructions whose result holds a type, and of those in double precision the ones with single numbers of it: a Python
// number comes as one into a graph of PyTorch/XLA.
func (f Values) dtypes(m *hlo.Module, byShape []int) {
	var types []hlo.Type
	for shape, n := range byShape {
		if n == 0 {
			continue
		}
		types = leafTypes(m, hlo.ShapeID(shape), types[:0])
		for _, t := range types {
			f.add(Dtype.Of(t.String()), int64(n))
			if (t == hlo.F64 || t == hlo.C128) && !holdsArray(m, hlo.ShapeID(shape), t) {
				f.add(ScalarDtype.Of(t.String()), int64(n))
			}
		}
	}
}

// holdsArray reports whether a shape holds more than single numbers of a type.
func holdsArray(m *hlo.Module, id hlo.ShapeID, t hlo.Type) bool {
	s := m.Shape(id)
	if s.Type == hlo.Tuple {
		return slices.ContainsFunc(s.Elements, func(e hlo.ShapeID) bool { return holdsArray(m, e, t) })
	}
	return s.Type == t && len(s.Dims) > 0
}

// leafTypes lists the types that a shape holds, each once.
func leafTypes(m *hlo.Module, id hlo.ShapeID, types []hlo.Type) []hlo.Type {
	s := m.Shape(id)
	if s.Type == hlo.Tuple {
		for _, e := range s.Elements {
			types = leafTypes(m, e, types)
		}
		return types
	}
	if slices.Contains(types, s.Type) {
		return types
	}
	return append(types, s.Type)
}

// aliasedBytes sums the parameters, or the parts of them, whose buffers the results reuse.
func aliasedBytes(m *hlo.Module) (n int64) {
	params := m.Params(m.Entry)
	for _, a := range m.Header.Aliases {
		if a.Param >= 0 && a.Param < int64(len(params)) && params[a.Param] != hlo.NoInstr {
			n += m.ShapeBytes(leaf(m, m.Instrs[params[a.Param]].Shape, a.ParamIndex))
		}
	}
	return n
}

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

// estimatedCycles is what the compiler for TPU says of an operation in its backend_config; false where it does not.
func estimatedCycles(config string) (float64, bool) {
	_, rest, ok := strings.Cut(config, `"estimated_cycles":"`)
	if !ok {
		return 0, false
	}
	var n float64
	for _, c := range rest {
		if c < '0' || c > '9' {
			return n, c == '"'
		}
		n = n*10 + float64(c-'0')
	}
	return 0, false
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

// timesSum is how often things run together.
func timesSum(a, b int64) int64 { return min(a+b, maxRuns) }
