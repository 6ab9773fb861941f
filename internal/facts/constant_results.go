package facts

import (
	"slices"

	"github.com/xlagate/xlagate/internal/hlo"
)

// constantResults lists the results, by number, that are the same in every run: no argument reaches them.
func (r *reader) constantResults() (list []int) {
	t := &tracing{m: r.m, left: 8 * len(r.m.Instrs)}
	for i, reached := range t.computation(r.m.Entry, nil) {
		if !reached {
			list = append(list, i)
		}
	}
	return list
}

// tracing follows arguments through a module. It knows for each array of a value whether the array depends on an argument or another input: then it is
// reached. An array that cannot be followed counts as reached.
type tracing struct {
	m    *hlo.Module
	left int // how many more instructions are followed: loops in loops are followed many times
}

// computation returns which arrays of a computation's result are reached. args has the same for its arguments; nil means that all are reached.
func (t *tracing) computation(c hlo.CompID, args [][]bool) []bool {
	first, end := t.m.Body(c)
	root := t.m.Comps[c].Root
	if t.left -= int(end - first); t.left < 0 {
		return t.all(root, true)
	}
	made := make([][]bool, end-first)
	for id := first; id < end; id++ {
		made[id-first] = t.instruction(id, first, made, args)
	}
	return made[root-first]
}

// instruction returns which arrays of an instruction's value are reached.
func (t *tracing) instruction(id, first hlo.InstrID, made, args [][]bool) []bool {
	in, callees := &t.m.Instrs[id], t.m.Callees(id)
	var operands [][]bool
	for _, o := range t.m.Operands(id) {
		if o < first || o >= id {
			return t.all(id, true)
		}
		operands = append(operands, made[o-first])
	}
	switch in.Opcode {
	case hlo.OpParameter:
		if in.Param >= 0 && int(in.Param) < len(args) {
			return args[in.Param]
		}
		return t.all(id, true)
	case hlo.OpInfeed, hlo.OpRecv, hlo.OpRecvDone, hlo.OpRng, hlo.OpRngGetAndUpdateState, hlo.OpPartitionId, hlo.OpReplicaId, hlo.OpCustomCall:
		return t.all(id, true)
	case hlo.OpTuple:
		return slices.Concat(operands...)
	case hlo.OpGetTupleElement:
		tuple := t.m.Shape(t.m.Instrs[t.m.Operands(id)[0]].Shape)
		if at := int(in.Param); len(tuple.Elements) == len(operands[0]) && at >= 0 && at < len(operands[0]) { // no tuple in the tuple
			return operands[0][at : at+1]
		}
		if start, n := arraysBefore(t.m, tuple.Elements, int(in.Param)), arraysIn(t.m, in.Shape); start+n <= len(operands[0]) {
			return operands[0][start : start+n]
		}
	case hlo.OpCall, hlo.OpFusion:
		if len(callees) == 1 && !(t.m.Shape(in.Shape).Type != hlo.Tuple && anyReached(operands)) {
			return t.computation(callees[0], operands)
		}
	case hlo.OpWhile:
		if len(callees) == 2 && len(operands) == 1 {
			return t.loop(callees[0], callees[1], slices.Clone(operands[0]))
		}
	case hlo.OpConditional:
		if len(operands) == len(callees)+1 && !anyReached(operands[:1]) {
			result := t.all(id, false)
			for i, c := range callees {
				unite(result, t.computation(c, operands[i+1:i+2]))
			}
			return result
		}
	case hlo.OpOptBarrier, hlo.OpCopy, hlo.OpDomain, hlo.OpAddDependency:
		return operands[0]
	}
	return t.all(id, anyReached(operands))
}

// loop returns which arrays of a loop's state are reached after any number of iterations: all of them if the condition depends on one that is reached.
func (t *tracing) loop(body, condition hlo.CompID, state []bool) []bool {
	for {
		if anyReached([][]bool{t.computation(condition, [][]bool{state})}) {
			for i := range state {
				state[i] = true
			}
			return state
		}
		if !unite(state, t.computation(body, [][]bool{state})) {
			return state
		}
	}
}

// all returns the same for every array of an instruction's value.
func (t *tracing) all(id hlo.InstrID, reached bool) []bool {
	return slices.Repeat([]bool{reached}, arraysIn(t.m, t.m.Instrs[id].Shape))
}

func anyReached(values [][]bool) bool {
	return slices.ContainsFunc(values, func(v []bool) bool { return slices.Contains(v, true) })
}

// unite adds the reached arrays of another value, and reports whether there are more than before.
func unite(reached, more []bool) (grew bool) {
	for i := range reached {
		if i < len(more) && more[i] && !reached[i] {
			reached[i], grew = true, true
		}
	}
	return grew
}

// arraysIn counts the arrays in a shape; a token is one, too.
func arraysIn(m *hlo.Module, id hlo.ShapeID) int {
	s := m.Shape(id)
	if s.Type != hlo.Tuple {
		return 1
	}
	return arraysBefore(m, s.Elements, len(s.Elements))
}

// arraysBefore counts the arrays in the first elements of a tuple.
func arraysBefore(m *hlo.Module, elements []hlo.ShapeID, n int) (arrays int) {
	for _, e := range elements[:min(max(n, 0), len(elements))] {
		arrays += arraysIn(m, e)
	}
	return arrays
}
