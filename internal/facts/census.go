package facts

import (
	"cmp"
	"iter"
	"slices"

	"github.com/xlagate/xlagate/internal/hlo"
)

// distinct yields one instruction for each set of counterparts in equal computations, with the size of the set.
func (r *reader) distinct() iter.Seq2[hlo.InstrID, int] {
	return func(yield func(hlo.InstrID, int) bool) {
		times := r.times()
		for id := range r.alike().Each() {
			if !yield(id, times[r.m.Instrs[id].Comp]) {
				return
			}
		}
	}
}

// all yields, in the order of the file, the wanted ones of the notable instructions, and their computations. It asks once for all counterparts in
// equal computations.
func (r *reader) all(wanted func(hlo.InstrID) bool) iter.Seq2[hlo.CompID, hlo.InstrID] {
	return func(yield func(hlo.CompID, hlo.InstrID) bool) {
		found := r.find(wanted)
		for _, c := range r.inOrder() {
			first := r.m.Comps[c].First
			for _, at := range found.in(c) {
				if !yield(c, first+at) {
					return
				}
			}
		}
	}
}

// inOrder lists the computations in the order of the file.
func (r *reader) inOrder() []hlo.CompID {
	if r.order == nil {
		byPlace := func(a, b hlo.CompID) int { return cmp.Compare(r.m.Comps[a].Source.Start, r.m.Comps[b].Source.Start) }
		r.order = make([]hlo.CompID, len(r.m.Comps))
		for c := range r.order {
			r.order[c] = hlo.CompID(c)
		}
		if !slices.IsSortedFunc(r.order, byPlace) {
			slices.SortFunc(r.order, byPlace)
		}
	}
	return r.order
}

// found says where in each computation something was found.
type found struct {
	alike  *hlo.Alike
	starts []int32       // by hlo.CompID: where in at begins what was found there; the next one says where it starts
	at     []hlo.InstrID // counted from the computation's first instruction
}

// find looks for notable instructions in the computations that are first of their like.
func (r *reader) find(wanted func(hlo.InstrID) bool) *found {
	notable := r.census().notable
	f := &found{alike: r.alike(), starts: make([]int32, len(r.m.Comps)+1)}
	for c := range r.m.Comps {
		if id := hlo.CompID(c); f.alike.First(id) == id {
			first := r.m.Comps[c].First
			for _, at := range notable.in(id) {
				if wanted(first + at) {
					f.at = append(f.at, at)
				}
			}
		}
		f.starts[c+1] = int32(len(f.at))
	}
	return f
}

func (f *found) in(c hlo.CompID) []hlo.InstrID {
	c = f.alike.First(c)
	return f.at[f.starts[c]:f.starts[c+1]]
}

// census is what one pass over all instructions finds.
type census struct {
	notable *found
	byShape []int // how many instructions have a shape, by hlo.ShapeID
}

// census passes over the instructions of the computations that are first of their like, once.
func (r *reader) census() *census {
	if r.taken != nil {
		return r.taken
	}
	f, times := &found{alike: r.alike(), starts: make([]int32, len(r.m.Comps)+1)}, r.times()
	r.taken = &census{f, make([]int, r.m.ShapeIDs())}
	for c, n := range times {
		if n > 0 {
			first, end := r.m.Body(hlo.CompID(c))
			for id := first; id < end; id++ {
				r.taken.byShape[r.m.Instrs[id].Shape] += n
				if r.isNotable(id) {
					f.at = append(f.at, id-first)
				}
			}
		}
		f.starts[c+1] = int32(len(f.at))
	}
	return r.taken
}

// isNotable reports whether facts look for instructions of this kind one by one. There are few among many.
func (r *reader) isNotable(id hlo.InstrID) bool {
	switch r.m.Instrs[id].Opcode {
	case hlo.OpConstant, hlo.OpConvert, hlo.OpTranspose, hlo.OpDot, hlo.OpRaggedDot, hlo.OpScaledDot, hlo.OpConvolution, hlo.OpCustomCall:
		return true
	}
	return len(r.m.Callees(id)) > 0
}

// notable yields the notable instructions as distinct yields all.
func (r *reader) notable() iter.Seq2[hlo.InstrID, int] {
	return func(yield func(hlo.InstrID, int) bool) {
		notable := r.census().notable
		for c, n := range r.times() {
			if n == 0 {
				continue
			}
			for _, at := range notable.in(hlo.CompID(c)) {
				if !yield(r.m.Comps[c].First+at, n) {
					return
				}
			}
		}
	}
}

// times says of each computation how many are like it, itself included; 0 of those that are not the first of their like.
func (r *reader) times() []int {
	times := make([]int, len(r.m.Comps))
	for c := range times {
		times[r.alike().First(hlo.CompID(c))]++
	}
	return times
}
