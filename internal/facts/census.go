package facts

import (
	"cmp"
	"iter"
	"slices"

	"github.com/xlagate/xlagate/internal/hlo"
)

// census is what one pass over all instructions finds.
type census struct {
	notable []hlo.InstrID // those that facts look at one by one, in the order of the file
	byShape []int         // how many instructions have a shape, by hlo.ShapeID
}

// census passes over the instructions once.
func (r *reader) census() *census {
	if r.taken != nil {
		return r.taken
	}
	r.taken = &census{byShape: make([]int, r.m.ShapeIDs())}
	for _, c := range r.inOrder() {
		for id, end := r.m.Body(c); id < end; id++ {
			r.taken.byShape[r.m.Instrs[id].Shape]++
			if r.isNotable(id) {
				r.taken.notable = append(r.taken.notable, id)
			}
		}
	}
	return r.taken
}

// isNotable reports whether facts look at instructions of this kind one by one. There are few among many.
func (r *reader) isNotable(id hlo.InstrID) bool {
	switch r.m.Instrs[id].Opcode {
	case hlo.OpConstant, hlo.OpConvert, hlo.OpTranspose, hlo.OpDot, hlo.OpRaggedDot, hlo.OpScaledDot, hlo.OpConvolution, hlo.OpCustomCall:
		return true
	}
	return len(r.m.Callees(id)) > 0
}

// notable yields the wanted ones of the notable instructions, in the order of the file.
func (r *reader) notable(wanted func(hlo.InstrID) bool) iter.Seq[hlo.InstrID] {
	return func(yield func(hlo.InstrID) bool) {
		for _, id := range r.census().notable {
			if wanted(id) && !yield(id) {
				return
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
