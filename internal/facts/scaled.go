package facts

import (
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
)

// countScaled counts the products that multiply numbers which the model had scaled down to eight bits or fewer, by the wider of the two types.
// The model spells them as products in the type that it scales them back to, and only some devices multiply what was scaled down.
func (out *measuring) countScaled(r *reader) {
	if !r.holdsNarrowFloats() {
		return
	}
	s := scaling{r: r, callers: r.callers()}
	for c, id := range r.all(r.isProduct) {
		if t := s.product(c, id); t != hlo.TypeInvalid {
			out.Variant.Facts[ScaledType.Of(t.String())]++
		}
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

// callers tells of each computation what calls it, the first where several do.
func (r *reader) callers() map[hlo.CompID]made {
	callers := map[hlo.CompID]made{}
	for c := range r.m.Comps {
		first, end := r.m.Body(hlo.CompID(c))
		for id := first; id < end; id++ {
			for _, callee := range r.m.Callees(id) {
				if _, known := callers[callee]; !known {
					callers[callee] = made{hlo.CompID(c), id}
				}
			}
		}
	}
	return callers
}

// made is a value: an instruction and its computation.
type made struct {
	in hlo.CompID
	id hlo.InstrID
}

// scaling follows what a product multiplies back to where it was in a narrow type.
type scaling struct {
	r       *reader
	callers map[hlo.CompID]made
	steps   int // that were taken back from the value at hand; see maxSteps
}

// product is the wider of the narrow types behind a product's two operands, none where one of them was never in a narrow type.
func (s *scaling) product(c hlo.CompID, id hlo.InstrID) hlo.Type {
	widest := hlo.TypeInvalid
	operands := s.r.m.Operands(id)
	for _, o := range operands[:min(2, len(operands))] {
		t := s.behind(made{c, o})
		if t == hlo.TypeInvalid {
			return t
		}
		if widest == hlo.TypeInvalid || t.Bytes() > widest.Bytes() {
			widest = t
		}
	}
	return widest
}

// behind is the narrow type that a value was in before it was scaled back.
func (s *scaling) behind(p made) hlo.Type {
	for s.steps = 0; ; {
		if t := s.r.m.Shape(s.r.m.Instrs[p.id].Shape).Type; narrowFloat(t) {
			return t
		}
		next, ok := s.back(p)
		if !ok {
			return hlo.TypeInvalid
		}
		p = next
	}
}

// back goes one step from a value towards what was scaled to make it.
func (s *scaling) back(p made) (made, bool) {
	if s.steps++; s.steps > maxSteps {
		return p, false
	}
	operands, callees := s.r.m.Operands(p.id), s.r.m.Callees(p.id)
	switch op := s.r.m.Instrs[p.id].Opcode; {
	case op == hlo.OpCall && len(callees) == 1:
		return made{callees[0], s.r.m.Comps[callees[0]].Root}, true
	case op == hlo.OpParameter:
		return s.outside(p)
	case op == hlo.OpGetTupleElement && len(operands) == 1:
		return s.element(made{p.in, operands[0]}, s.r.m.Instrs[p.id].Param)
	case (op == hlo.OpMultiply || op == hlo.OpDivide) && len(operands) == 2:
		return s.unscaled(p, operands)
	case op == hlo.OpSelect && len(operands) == 3:
		return s.unmasked(p, operands)
	case op == hlo.OpDynamicUpdateSlice && len(operands) > 1:
		return made{p.in, operands[1]}, true
	case keepsScale(op) && len(operands) > 0, op == hlo.OpCustomCall && len(operands) == 1:
		return made{p.in, operands[0]}, true
	}
	return p, false
}

// unscaled is the operand that the other one scales or masks: a scale is spread out over all numbers, or over those of a row.
func (s *scaling) unscaled(p made, operands []hlo.InstrID) (made, bool) {
	scales := func(id hlo.InstrID) bool { return s.r.m.Instrs[id].Opcode == hlo.OpBroadcast || s.isMask(id) }
	switch {
	case scales(operands[1]):
		return made{p.in, operands[0]}, true
	case scales(operands[0]):
		return made{p.in, operands[1]}, true
	}
	return p, false
}

// isMask reports whether a value was made of a predicate: ones and zeros.
func (s *scaling) isMask(id hlo.InstrID) bool {
	return s.r.m.Instrs[id].Opcode == hlo.OpConvert && s.r.m.Shape(s.r.operandShape(id)).Type == hlo.Pred
}

// unmasked is what a selection takes where it does not take zeros.
func (s *scaling) unmasked(p made, operands []hlo.InstrID) (made, bool) {
	for i, o := range operands[1:] {
		if s.isZero(made{p.in, o}) {
			return made{p.in, operands[2-i]}, true
		}
	}
	return p, false
}

func (s *scaling) isZero(p made) bool {
	for ok := true; ok; p, ok = s.back(p) {
		if s.r.isConstant(p.id) {
			n, err := strconv.ParseFloat(s.r.m.Literal(p.id), 64)
			return err == nil && n == 0
		}
	}
	return false
}

// outside is what a computation's parameter is called with.
func (s *scaling) outside(p made) (made, bool) {
	caller, called := s.callers[p.in]
	if !called {
		return p, false
	}
	operands, n := s.r.m.Operands(caller.id), int(s.r.m.Instrs[p.id].Param)
	if n < 0 || n >= len(operands) {
		return p, false
	}
	return made{caller.in, operands[n]}, true
}

// element is the n-th part of a tuple. A loop's is what its body leaves there, or, where that leaves it alone, what it begins with.
func (s *scaling) element(tuple made, n int32) (made, bool) {
	for ; n >= 0 && s.steps <= maxSteps; s.steps++ {
		operands := s.r.m.Operands(tuple.id)
		switch op := s.r.m.Instrs[tuple.id].Opcode; {
		case op == hlo.OpTuple || op == hlo.OpOptBarrier && len(operands) > 1:
			if int(n) >= len(operands) {
				return tuple, false
			}
			return made{tuple.in, operands[n]}, true
		case op == hlo.OpWhile && len(operands) == 1:
			if next, ok := s.left(tuple, n); ok {
				return next, true
			}
			tuple.id = operands[0]
		default:
			next, ok := s.back(tuple)
			if !ok {
				return tuple, false
			}
			tuple = next
		}
	}
	return tuple, false
}

// left is what a loop's body leaves in an element of its state, unless it leaves that alone.
func (s *scaling) left(loop made, n int32) (made, bool) {
	for _, body := range s.r.m.Callees(loop.id) {
		root := s.r.m.Comps[body].Root
		elements := s.r.m.Operands(root)
		if s.r.m.Instrs[root].Opcode != hlo.OpTuple || int(n) >= len(elements) {
			continue
		}
		in := &s.r.m.Instrs[elements[n]]
		return made{body, elements[n]}, in.Opcode != hlo.OpGetTupleElement || in.Param != n
	}
	return loop, false
}

// keepsScale reports whether an operation leaves the numbers of its first operand as they are, but for their place and type.
func keepsScale(op hlo.Opcode) bool {
	switch op {
	case hlo.OpTranspose, hlo.OpBroadcast, hlo.OpSlice, hlo.OpDynamicSlice, hlo.OpGather, hlo.OpOptBarrier:
		return true
	}
	return passes(op)
}
