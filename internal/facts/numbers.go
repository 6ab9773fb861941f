package facts

import (
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/price"
)

// count adds n to a fact.
func (f Numbers) count(name string, n int64) { f[name] += float64(n) }

// bytes adds n times so many bytes to a fact.
func (f Numbers) bytes(name string, n, bytes int64) { f[name] += float64(n) * float64(bytes) }

// known are the facts that are looked for in every optimized module, so that a zero is known to be one.
var known = []string{
	"kernels.total", "kernels.entry", "kernels.weighted", "fusions.total", "fusions.loop", "fusions.input", "fusions.output",
	"fusions.custom", "copies.count", "copies.bytes", "transposes.count", "transposes.bytes", "remat.count", "remat.bytes",
}

// launches counts what the device is asked to run. Kernels and library calls are one sum; copies and collectives have their
// own.
func (f Numbers) launches(r *reader, launches []launch, kernels []Kernel) {
	for _, name := range known {
		f[name] = 0
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
	t.times = together(t.times, k.Times)
	if k.InEntry {
		t.once++
	}
}

func (f Numbers) form(r *reader, k *Form, t *tally) {
	switch k.Class {
	case ClassKernel, ClassLibrary:
		f.kernels(r, k, t)
	case ClassCopy:
		f.count("copies.count", t.n)
		f.bytes("copies.bytes", t.n, r.m.ShapeBytes(r.resultShape(t.one.id)))
	case ClassCollective:
		f.count("collectives."+k.Target+".count", t.n)
		f.bytes("collectives."+k.Target+".bytes", t.n, k.Bytes)
	}
}

// remat counts what the compiler computes again rather than keep: it names the copy after the original.
func (f Numbers) remat(k *Kernel) {
	if strings.Contains(k.Name, ".remat") {
		f.count("remat.count", 1)
		f.count("remat.bytes", k.Bytes)
	}
}

func (f Numbers) kernels(r *reader, k *Form, t *tally) {
	f.count("kernels.total", t.n)
	f.count("kernels."+k.Kind, t.n)
	f.count("kernels.weighted", t.times)
	f.count("kernels.entry", t.once)
	switch r.m.Instrs[t.one.id].Opcode {
	case hlo.OpCustomCall:
		f.count("custom_calls."+k.Target, t.n)
	case hlo.OpFusion:
		f.count("fusions.total", t.n)
		f.count("fusions."+r.fusionKind(t.one.id), t.n)
	}
}

// loops counts loops, and iterations where the compiler knew all of them.
func (f Numbers) loops(loops []loop) {
	f["loops.while"] = float64(len(loops))
	var trips, unknown, early int64
	for _, l := range loops {
		if l.trips == unknownTrips {
			unknown++
			if l.exit.early {
				early++
			}
			continue
		}
		trips = together(trips, often(l.trips, l.runs))
	}
	f["loops.unknown"] = float64(unknown)
	if unknown == 0 {
		f["loops.trip_count"] = float64(trips)
	} else {
		f["loops.early_exit"] = float64(early)
	}
}

// cost is XLA's cost analysis of the entry computation: loop bodies once, and weighted by their trip counts where the
// program has loops and all of them are known.
func (f Numbers) cost(r *reader, loops []loop) {
	once := r.price().Comp(r.m.Entry)
	f.known("cost.flops", once.Flops)
	f.known("cost.bytes_accessed", once.BytesAccessed)
	f["cost.transcendentals"] = once.Transcendentals
	if f["loops.unknown"] > 0 {
		return
	}
	weighted := once
	if len(loops) > 0 {
		weighted = price.Price(r.alike(), r.trips).Comp(r.m.Entry)
	}
	f.known("cost.weighted_flops", weighted.Flops)
	f.known("cost.weighted_bytes_accessed", weighted.BytesAccessed)
}

func (r *reader) trips(id hlo.InstrID) int64 { return tripCount(r.m, id) }

// known sets a cost. A custom call's is -1: of a program that is nothing else nobody knows it.
func (f Numbers) known(name string, cost float64) {
	if cost >= 0 {
		f[name] = cost
	}
}

// module counts what stands in the optimized module as a whole.
func (f Numbers) module(r *reader) {
	m := r.m
	f["instructions.after"] = float64(len(m.Instrs))
	byShape := make([]int64, m.ShapeIDs())
	for id, n := range r.distinct() {
		shape := m.Instrs[id].Shape
		byShape[shape] += int64(n)
		if m.Instrs[id].Opcode == hlo.OpTranspose {
			f.count("transposes.count", int64(n))
			f.bytes("transposes.bytes", int64(n), m.ShapeBytes(shape))
		}
	}
	f.dtypes(m, byShape)
	f["donation.aliased"] = float64(len(m.Header.Aliases))
	f["donation.aliased_bytes"] = float64(aliasedBytes(m))
}

// dtypes counts the instructions whose result holds a type, and of those in double precision the ones with single numbers of it: a Python
// number comes as one into a graph of PyTorch/XLA.
func (f Numbers) dtypes(m *hlo.Module, byShape []int64) {
	var types []hlo.Type
	for shape, n := range byShape {
		if n == 0 {
			continue
		}
		types = leafTypes(m, hlo.ShapeID(shape), types[:0])
		for _, t := range types {
			f.count("dtypes."+t.String(), n)
			if (t == hlo.F64 || t == hlo.C128) && !holdsArray(m, hlo.ShapeID(shape), t) {
				f.count("scalars."+t.String(), n)
			}
		}
	}
}

// holdsArray says whether a shape holds more than single numbers of a type.
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
	for _, t := range types {
		if t == s.Type {
			return types
		}
	}
	return append(types, s.Type)
}

// aliasedBytes sums the parameters, or the parts of them, whose buffers the results reuse.
func aliasedBytes(m *hlo.Module) int64 {
	byNumber := map[int64]hlo.ShapeID{}
	first, end := m.Body(m.Entry)
	for id := first; id < end; id++ {
		if in := &m.Instrs[id]; in.Opcode == hlo.OpParameter {
			byNumber[int64(in.Param)] = in.Shape
		}
	}
	var n int64
	for _, a := range m.Header.Aliases {
		shape, ok := byNumber[a.Param]
		if !ok {
			continue
		}
		n += m.ShapeBytes(leaf(m, shape, a.ParamIndex))
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
