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

// past is what an array was before it was updated.
type past struct {
	parameter hlo.Array   // of NoInstr where the array is none of old
	written   float64     // how many elements updates of parts write, in a run of the computation
	by        hlo.InstrID // the launch that writes all of it; NoInstr where none is known to
}

// unknownPast is the past of an array whose origin is not known.
var unknownPast = past{parameter: hlo.Array{Instr: hlo.NoInstr}, by: hlo.NoInstr}

// follow goes back from an array to the parameter of its computation that it was, through updates of parts of it. A loop must return it where it got it. It does not go
// on behind a custom call, which may return its operand, nor behind conditionals and transfers between devices. Copies into another memory it follows.
func (r *reader) follow(from hlo.Array) past {
	type entered struct { // the call around
		number  int32
		written float64
	}
	v, at, known := r.values(), value{Array: from}, true
	var around []entered
	var written float64
	for ; known && r.steps > 0 && len(around) <= maxDepth; r.steps-- {
		operands, callees := r.m.Operands(at.Instr), r.m.Callees(at.Instr)
		switch op := r.m.Instrs[at.Instr].Opcode; {
		case op == hlo.OpParameter && at.in == nil:
			return past{at.Array, written, hlo.NoInstr}
		case op == hlo.OpParameter:
			outer := around[len(around)-1]
			around = around[:len(around)-1]
			if r.m.Instrs[at.in.by].Opcode == hlo.OpWhile {
				if at.Number != outer.number {
					return unknownPast
				}
				written *= float64(v.loop(at.in.by).iterations())
			}
			written += outer.written
			at, known = v.argument(at)
		case op == hlo.OpBitcast && len(operands) > 0:
			at, known = v.nth(operands[0], at.Number, at.in)
		case op == hlo.OpDynamicUpdateSlice && len(operands) > 1:
			written += r.elements(operands[1])
			at, known = v.nth(operands[0], 0, at.in)
		case op == hlo.OpScatter && int(at.Number) < len(operands)/2:
			written += r.elements(operands[len(operands)-1])
			at, known = v.nth(operands[at.Number], 0, at.in)
		case (op == hlo.OpFusion || op == hlo.OpCall || op == hlo.OpWhile) && len(operands) > 0 && len(callees) > 0:
			around, written = append(around, entered{at.Number, written}), 0
			at, known = v.result(at, callees[0])
		case op == hlo.OpCopyDone && len(operands) == 1 && len(r.m.Operands(operands[0])) == 1: // from one memory to another
			at, known = v.nth(r.m.Operands(operands[0])[0], 0, at.in)
		case op == hlo.OpCustomCall:
			whole := r.joined(at.Instr)
			if whole == hlo.NoInstr {
				return unknownPast
			}
			at, known = v.nth(whole, 0, at.in)
		case op == hlo.OpConditional, op == hlo.OpInfeed, strings.HasSuffix(r.m.OpcodeName(op), "-done"):
			return unknownPast
		default:
			made := past{unknownPast.parameter, 0, at.Instr}
			for c := at.in; c != nil; c = c.in { // the outermost fusion is the launch
				if r.m.Instrs[c.by].Opcode == hlo.OpFusion {
					made.by = c.by
				}
			}
			return made
		}
	}
	return unknownPast
}

// joined returns the array that the compiler for TPU copies to the fast memory slice by slice, if a call is the ConcatBitcast that makes one array of all slices;
// NoInstr of any other call.
func (r *reader) joined(call hlo.InstrID) hlo.InstrID {
	whole, copied := hlo.NoInstr, 0.0
	if r.m.AttrText(call, "custom_call_target") != "ConcatBitcast" {
		return hlo.NoInstr
	}
	for _, done := range r.m.Operands(call) {
		starts := r.m.Operands(done)
		if r.m.Instrs[done].Opcode != hlo.OpAsyncDone || len(starts) != 1 {
			return hlo.NoInstr
		}
		from, callees := r.m.Operands(starts[0]), r.m.Callees(starts[0])
		if len(from) != 1 || len(callees) != 1 || r.m.Instrs[r.m.Comps[callees[0]].Root].Opcode != hlo.OpSlice || whole != hlo.NoInstr && whole != from[0] {
			return hlo.NoInstr
		}
		whole, copied = from[0], copied+r.elements(done)
	}
	if whole == hlo.NoInstr || copied != r.elements(whole) {
		return hlo.NoInstr
	}
	return whole
}

func (r *reader) elements(id hlo.InstrID) float64 {
	return float64(r.m.Shape(r.m.Instrs[id].Shape).ElementCount())
}

// joinShapes sorts shapes and joins them with spaces.
func joinShapes(shapes []string) string {
	slices.Sort(shapes)
	return strings.Join(shapes, " ")
}

// renewed returns the share of a donated argument that a run writes: 1 if all of it is computed anew, 0 if it is not known, 1/128 for 8 rows of 1024.
func (r *reader) renewed(a *hlo.Alias) float64 {
	root, v := r.m.Comps[r.m.Entry].Root, r.values()
	results := v.Of(root)
	if len(a.Output) == 1 {
		results = v.Element(root, int(a.Output[0]))
	}
	if len(results) != 1 || len(a.Output) > 1 || len(a.ParamIndex) > 0 || !r.isState(v.Shape(results[0])) {
		return 0
	}
	state := v.Shape(results[0])
	from := r.follow(results[0])
	switch {
	case from.parameter.Instr == hlo.NoInstr:
		return r.rewritten(from, state)
	case int64(r.m.Instrs[from.parameter.Instr].Param) != a.Param:
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
	v := r.values()
	var some, all []string
	for n, array := range v.Of(r.m.Comps[callees[0]].Root) {
		id := v.Shape(array)
		if !r.isState(id) {
			continue
		}
		from, elements := r.follow(array), float64(r.m.Shape(id).ElementCount())
		switch old := from.parameter.Instr != hlo.NoInstr; {
		case !old && r.rewritten(from, id) > 0, old && from.written >= elements:
			all = append(all, r.shape(id))
		case old && int(from.parameter.Number) == n && from.written > 0 && 2*from.written < elements:
			some = append(some, r.shape(id))
		}
	}
	return joinShapes(some), joinShapes(all)
}
