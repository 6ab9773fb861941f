package facts

import (
	"slices"

	"github.com/xlagate/xlagate/internal/hlo"
)

// values follows the arrays of a module back to what computes them, also into fusions, calls and loops and out of them.
type values struct {
	*hlo.Arrays
	m     *hlo.Module
	calls map[call]*call
	loops map[hlo.InstrID]*loop
}

// value is an array, seen through the calls that lead to it: it is in the computation that the innermost of them calls.
type value struct {
	hlo.Array
	in *call // nil in the computation where the search began
}

// call is an instruction that calls a computation, in the computation that another one calls.
type call struct {
	by hlo.InstrID
	in *call
}

func newValues(m *hlo.Module) *values {
	return &values{Arrays: m.Arrays(), m: m, calls: map[call]*call{}, loops: map[hlo.InstrID]*loop{}}
}

// nth is an array of an instruction's result; false where a broken module has no such.
func (v *values) nth(id hlo.InstrID, number int32, in *call) (value, bool) {
	arrays := v.Of(id)
	if number < 0 || int(number) >= len(arrays) {
		return value{}, false
	}
	return value{arrays[number], in}, true
}

// result is what a called computation returns for a value of the instruction that calls it.
func (v *values) result(of value, callee hlo.CompID) (value, bool) {
	at := call{of.Instr, of.in}
	if v.calls[at] == nil {
		v.calls[at] = &at
	}
	return v.nth(v.m.Comps[callee].Root, of.Number, v.calls[at])
}

// argument is what a call hands over for an array of a parameter. All that a loop is given is its state.
func (v *values) argument(parameter value) (value, bool) {
	operands, n := v.m.Operands(parameter.in.by), v.m.Instrs[parameter.Instr].Param
	if n < 0 || int(n) >= len(operands) {
		return value{}, false
	}
	return v.nth(operands[n], parameter.Number, parameter.in.in)
}

// constantResults lists the results, by number, that are the same in every run: no argument reaches them.
func (r *reader) constantResults() (list []int) {
	results := r.values().Of(r.m.Comps[r.m.Entry].Root)
	constant, seen := make([]bool, len(results)), map[value]int{} // by which result a value was seen last
	left := 8 * len(r.m.Instrs)                                   // how many more values are looked at, of a module that was made to have very many
	for i, result := range results {
		open := []value{{Array: result}}
		constant[i] = !r.isInput(open[0])
		for len(open) > 0 && constant[i] {
			last := open[len(open)-1]
			open = open[:len(open)-1]
			if by, known := seen[last]; known && constant[by] {
				continue
			}
			seen[last] = i
			before := len(open)
			open = r.behind(open, last)
			left--
			constant[i] = left > 0 && !slices.ContainsFunc(open[before:], r.isInput)
		}
		if constant[i] {
			list = append(list, i)
		}
	}
	return list
}

// isInput reports whether a value may differ between two runs of the same operations.
func (r *reader) isInput(v value) bool {
	switch r.m.Instrs[v.Instr].Opcode {
	case hlo.OpParameter:
		return v.in == nil
	case hlo.OpInfeed, hlo.OpRecv, hlo.OpRecvDone, hlo.OpRng, hlo.OpRngGetAndUpdateState, hlo.OpPartitionId, hlo.OpReplicaId, hlo.OpCustomCall:
		return true
	}
	return false
}

// behind appends the values that a value depends on, from one iteration of a loop to the next as well.
func (r *reader) behind(list []value, of value) []value {
	v, operands, callees := r.values(), r.m.Operands(of.Instr), r.m.Callees(of.Instr)
	add := func(from value, ok bool) {
		if ok {
			list = append(list, from)
		}
	}
	switch op := r.m.Instrs[of.Instr].Opcode; {
	case op == hlo.OpParameter:
		by := of.in.by
		switch callees := r.m.Callees(by); r.m.Instrs[by].Opcode {
		case hlo.OpWhile:
			add(v.argument(of))
			add(v.nth(r.m.Comps[callees[0]].Root, of.Number, of.in))
		case hlo.OpConditional:
			add(v.nth(r.m.Operands(by)[1+slices.Index(callees, r.m.Instrs[of.Instr].Comp)], of.Number, of.in.in))
		default:
			add(v.argument(of))
		}
		return list
	case op == hlo.OpWhile && len(callees) == 2 && len(operands) == 1:
		add(v.nth(operands[0], of.Number, of.in))
		add(v.result(of, callees[0]))
		add(v.result(value{hlo.Array{Instr: of.Instr}, of.in}, callees[1]))
		return list
	case op == hlo.OpConditional && len(operands) == len(callees)+1:
		operands = operands[:1]
		for _, c := range callees {
			add(v.result(of, c))
		}
	case (op == hlo.OpCall || op == hlo.OpFusion) && len(callees) == 1:
		add(v.result(of, callees[0]))
		if r.m.Shape(r.m.Instrs[of.Instr].Shape).Type == hlo.Tuple {
			return list
		}
	case op == hlo.OpCopy && len(operands) == 1:
		add(v.nth(operands[0], of.Number, of.in))
		return list
	}
	for _, o := range operands {
		for _, a := range v.Of(o) {
			list = append(list, value{a, of.in})
		}
	}
	return list
}
