package facts

import (
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
)

// countScaled counts the products that multiply numbers which the model had scaled down to eight bits or fewer, by the wider of the two types.
// The model spells them as products in the type that it scales them back to, and only some devices multiply what was scaled down.
func (out *measuring) countScaled(r *reader) {
	if r.holdsNarrowFloats() {
		s := scaling{r: r, facts: out.Variant.Facts, known: map[hlo.CompID][]scaled{}}
		s.computation(r.m.Entry, nil, 0)
	}
}

// holdsNarrowFloats reports whether any value is a floating-point number of eight bits or fewer.
func (r *reader) holdsNarrowFloats() bool {
	for id := range r.m.ShapeIDs() {
		if narrowFloat(r.m.Shape(hlo.ShapeID(id)).Type) {
			return true
		}
	}
	return false
}

func narrowFloat(t hlo.Type) bool { return t.Bytes() == 1 && strings.HasPrefix(t.String(), "f") }

// scaled is what is known of an array.
type scaled struct {
	narrow hlo.Type // the type that it was scaled down to, TypeInvalid for none
	zero   bool     // it holds zeros only
}

// scaling follows narrow types through a module. A tuple has a value for each of its elements.
type scaling struct {
	r     *reader
	facts Values
	known map[hlo.CompID][]scaled // what each computation returns that was walked
}

// computation walks a computation, the first time that it is called, and returns what its result is.
func (s *scaling) computation(c hlo.CompID, args [][]scaled, depth int) []scaled {
	if known, walked := s.known[c]; walked || depth > maxDepth {
		return known
	}
	s.known[c] = nil
	first, end := s.r.m.Body(c)
	made := make([][]scaled, end-first)
	for id := first; id < end; id++ {
		var operands [][]scaled
		for _, o := range s.r.m.Operands(id) {
			operands = append(operands, made[o-first])
		}
		if s.r.isProduct(id) {
			s.count(operands)
		}
		made[id-first] = s.value(id, operands, args, depth)
	}
	s.known[c] = made[s.r.m.Comps[c].Root-first]
	return s.known[c]
}

// count counts a product if both of its operands were in a narrow type.
func (s *scaling) count(operands [][]scaled) {
	widest := hlo.TypeInvalid
	for _, o := range operands[:min(2, len(operands))] {
		t := array(o).narrow
		if t == hlo.TypeInvalid {
			return
		}
		if widest == hlo.TypeInvalid || t.Bytes() > widest.Bytes() {
			widest = t
		}
	}
	if widest != hlo.TypeInvalid {
		s.facts[ScaledType.Of(widest.String())]++
	}
}

// array is what is known of a value that is no tuple.
func array(value []scaled) scaled {
	if len(value) != 1 {
		return scaled{}
	}
	return value[0]
}

// value says what an instruction makes of its operands. What is called is walked with them.
func (s *scaling) value(id hlo.InstrID, operands, args [][]scaled, depth int) (result []scaled) {
	in := &s.r.m.Instrs[id]
	for _, c := range slices.Backward(s.r.m.Callees(id)) {
		result = s.computation(c, operands, depth+1) // at last that of a loop's body
	}
	if t := s.r.m.Shape(in.Shape).Type; narrowFloat(t) {
		return []scaled{{narrow: t}}
	}
	n := int(in.Param)
	switch op := in.Opcode; {
	case op == hlo.OpCall, op == hlo.OpWhile:
		return result
	case op == hlo.OpConstant:
		number, err := strconv.ParseFloat(s.r.m.Literal(id), 64)
		return []scaled{{zero: err == nil && number == 0}}
	case op == hlo.OpParameter && n >= 0 && n < len(args):
		return args[n]
	case op == hlo.OpTuple, op == hlo.OpOptBarrier && len(operands) > 1:
		for _, o := range operands {
			result = append(result, array(o))
		}
		return result
	case len(operands) == 0:
		return nil
	case op == hlo.OpGetTupleElement && n >= 0 && n < len(operands[0]):
		return operands[0][n : n+1]
	case (op == hlo.OpMultiply || op == hlo.OpDivide) && len(operands) == 2:
		return s.unscaled(s.r.m.Operands(id), operands)
	case op == hlo.OpSelect && len(operands) == 3 && array(operands[1]).zero:
		return operands[2]
	case op == hlo.OpSelect && len(operands) == 3 && array(operands[2]).zero:
		return operands[1]
	case op == hlo.OpDynamicUpdateSlice && len(operands) > 1:
		return operands[1]
	case keepsScale(op), op == hlo.OpCustomCall && len(operands) == 1:
		return operands[0]
	}
	return nil
}

// unscaled is the factor that the other one scales or masks: a scale is spread out over all numbers, or over those of a row, and a mask is made of
// a predicate.
func (s *scaling) unscaled(ids []hlo.InstrID, operands [][]scaled) []scaled {
	for i, id := range ids {
		op := s.r.m.Instrs[id].Opcode
		if op == hlo.OpBroadcast || op == hlo.OpConvert && s.r.m.Shape(s.r.operandShape(id)).Type == hlo.Pred {
			return operands[1-i]
		}
	}
	return nil
}

// keepsScale reports whether an operation leaves the numbers of its first operand as they are, but for their place and type.
func keepsScale(op hlo.Opcode) bool {
	switch op {
	case hlo.OpTranspose, hlo.OpBroadcast, hlo.OpSlice, hlo.OpDynamicSlice, hlo.OpGather, hlo.OpOptBarrier:
		return true
	}
	return passes(op)
}
