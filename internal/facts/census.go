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
		times := make([]int, len(r.m.Comps))
		for c := range r.m.Comps {
			times[r.alike().First(hlo.CompID(c))]++
		}
		for id := range r.alike().Each() {
			if !yield(id, times[r.m.Instrs[id].Comp]) {
				return
			}
		}
	}
}

// all yields, in the order of the file, the wanted instructions and their computations. It asks once for all counterparts in equal
// computations.
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

// find looks for instructions in the computations that are first of their like.
func (r *reader) find(wanted func(hlo.InstrID) bool) *found {
	f := &found{alike: r.alike(), starts: make([]int32, len(r.m.Comps)+1)}
	for c := range r.m.Comps {
		if id := hlo.CompID(c); f.alike.First(id) == id {
			first, end := r.m.Body(id)
			for i := first; i < end; i++ {
				if wanted(i) {
					f.at = append(f.at, i-first)
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
