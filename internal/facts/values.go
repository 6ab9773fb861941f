package facts

import "github.com/xlagate/xlagate/internal/hlo"

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
