package facts

import (
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
)

// A state is an array that a program updates: an argument whose buffer a result reuses, or an element of a loop's state. An update of a part of it
// costs the bytes of that part, not those of the array.

// leastState is the size in bytes from which a state matters.
const leastState = 4 << 10

// past is what a value was before it was updated.
type past struct {
	id      hlo.InstrID // a parameter; NoInstr where the value is none of old
	element int64       // of a parameter that is a tuple; -1 otherwise
	written float64     // how many elements updates of parts write, in a run of the computation
	by      hlo.InstrID // the launch that writes all of it; NoInstr where none is known to
}

// unknownPast is the past of a value whose origin is not known.
var unknownPast = past{id: hlo.NoInstr, by: hlo.NoInstr}

// follower finds out where values come from.
type follower struct {
	m     *hlo.Module
	steps int // how many more are taken, of a module that was made to take very many
}

// follow goes back from an element of a value, or from a value that is no tuple.
func (r *reader) follow(id hlo.InstrID, element int64) past {
	if r.follower == nil {
		const each = 64
		r.follower = &follower{r.m, each * len(r.m.Instrs)}
	}
	return r.follower.follow(id, element, hlo.NoInstr, 0)
}

// follow goes back from an element of a tuple, or from a value that is no tuple, with the element -1. launch is the fusion that computes the value, or
// NoInstr.
func (f *follower) follow(id hlo.InstrID, element int64, launch hlo.InstrID, depth int) past {
	var written float64
	for f.steps > 0 && depth <= maxDepth {
		f.steps--
		in, operands := &f.m.Instrs[id], f.m.Operands(id)
		switch op := in.Opcode; {
		case op == hlo.OpParameter:
			return past{id, element, written, hlo.NoInstr}
		case !f.isFollowed(id):
			return f.end(id, launch)
		case op == hlo.OpGetTupleElement && element < 0:
			id, element = operands[0], int64(in.Param)
		case op == hlo.OpTuple && element >= 0 && element < int64(len(operands)):
			id, element = operands[element], -1
		case op == hlo.OpBitcast, op == hlo.OpOptBarrier, op == hlo.OpAddDependency:
			id = operands[0]
		case op == hlo.OpDynamicUpdateSlice && len(operands) > 1:
			written += f.elements(operands[1])
			id = operands[0]
		case op == hlo.OpScatter && max(0, element) < int64(len(operands)/2):
			written += f.elements(operands[len(operands)-1])
			id, element = operands[max(0, element)], -1
		case op == hlo.OpFusion, op == hlo.OpCall, op == hlo.OpWhile:
			inside := f.inside(id, element, launch, depth+1)
			if inside.id == hlo.NoInstr {
				return inside
			}
			written += inside.written
			id, element = operands[f.m.Instrs[inside.id].Param], inside.element
		default:
			return unknownPast
		}
	}
	return unknownPast
}

// isFollowed reports whether the value of an instruction may hold one of its operands, changed in part or not at all.
func (f *follower) isFollowed(id hlo.InstrID) bool {
	switch f.m.Instrs[id].Opcode {
	case hlo.OpGetTupleElement, hlo.OpTuple, hlo.OpBitcast, hlo.OpOptBarrier, hlo.OpAddDependency, hlo.OpDynamicUpdateSlice, hlo.OpScatter, hlo.OpFusion, hlo.OpCall, hlo.OpWhile:
		return len(f.m.Operands(id)) > 0
	}
	return false
}

// end returns the past of a value that an instruction computes anew. It is unknown for a custom call, which may return its operand, and for
// conditionals and transfers, which are not followed.
func (f *follower) end(id, launch hlo.InstrID) past {
	op := f.m.Instrs[id].Opcode
	if op == hlo.OpCustomCall || op == hlo.OpConditional || op == hlo.OpInfeed || strings.HasSuffix(f.m.OpcodeName(op), "-done") {
		return unknownPast
	}
	if launch != hlo.NoInstr {
		id = launch
	}
	return past{id: hlo.NoInstr, by: id}
}

// inside follows an element of an instruction's result into the computation that it calls. A loop must return the element at the index where it got it.
func (f *follower) inside(id hlo.InstrID, element int64, launch hlo.InstrID, depth int) past {
	op, callees := f.m.Instrs[id].Opcode, f.m.Callees(id)
	if len(callees) == 0 {
		return unknownPast
	}
	if op == hlo.OpFusion && launch == hlo.NoInstr {
		launch = id
	}
	from := f.follow(f.m.Comps[callees[0]].Root, element, launch, depth)
	if from.id == hlo.NoInstr {
		return from
	}
	number := int(f.m.Instrs[from.id].Param)
	switch {
	case number < 0 || number >= len(f.m.Operands(id)) || op == hlo.OpWhile && from.element != element:
		return unknownPast
	case op == hlo.OpWhile:
		from.written *= float64(iterations(f.m, id))
	}
	return from
}

func (f *follower) elements(id hlo.InstrID) float64 {
	return float64(f.m.Shape(f.m.Instrs[id].Shape).ElementCount())
}

// joinShapes sorts shapes and joins them with spaces.
func joinShapes(shapes []string) string {
	slices.Sort(shapes)
	return strings.Join(shapes, " ")
}

// renewed returns the share of a donated argument that a run writes: 1 if all of the result is computed anew, 0 if the share is not known. An update
// of 8 rows of 1024 is 1/128.
func (r *reader) renewed(a *hlo.Alias) float64 {
	root, element := r.m.Comps[r.m.Entry].Root, int64(-1)
	state := r.m.Instrs[root].Shape
	if elements := r.m.Shape(state).Elements; len(a.Output) == 1 && a.Output[0] >= 0 && a.Output[0] < int64(len(elements)) {
		element, state = a.Output[0], elements[a.Output[0]]
	}
	if len(a.Output) > 1 || len(a.ParamIndex) > 0 || !r.isState(state) {
		return 0
	}
	from := r.follow(root, element)
	switch {
	case from.id == hlo.NoInstr:
		return r.rewritten(from, state)
	case int64(r.m.Instrs[from.id].Param) != a.Param:
		return 0
	}
	return from.written / float64(r.m.Shape(state).ElementCount())
}

// rewritten notes which launch writes all of a state, where that is known: then its share is 1.
func (r *reader) rewritten(by past, state hlo.ShapeID) float64 {
	if by.by == hlo.NoInstr {
		return 0
	}
	r.rewrites[by.by] = r.shape(state)
	return 1
}

// isState reports whether an array is large enough to matter.
func (r *reader) isState(id hlo.ShapeID) bool {
	return r.m.Shape(id).Type != hlo.Tuple && r.m.ShapeBytes(id) >= leastState
}

// states are the shapes of what an iteration of a loop updates in part, less than half of it, and of what it writes whole.
func (r *reader) states(loop hlo.InstrID) (parts, wholes string) {
	callees := r.m.Callees(loop)
	if len(callees) != 2 {
		return "", ""
	}
	root := r.m.Comps[callees[0]].Root
	var some, all []string
	for n, id := range r.m.Shape(r.m.Instrs[root].Shape).Elements {
		if !r.isState(id) {
			continue
		}
		from := r.follow(root, int64(n))
		elements := float64(r.m.Shape(id).ElementCount())
		switch {
		case from.id == hlo.NoInstr && r.rewritten(from, id) > 0, from.id != hlo.NoInstr && from.written >= elements:
			all = append(all, r.shape(id))
		case from.id != hlo.NoInstr && from.element == int64(n) && from.written > 0 && 2*from.written < elements:
			some = append(some, r.shape(id))
		}
	}
	return joinShapes(some), joinShapes(all)
}
