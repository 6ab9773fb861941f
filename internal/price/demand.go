package price

import (
	"slices"

	"github.com/xlagate/xlagate/internal/hlo"
)

// demand returns how often a loop computes the elements of each instruction for a result, as a share of all that the instruction has: 0 where the result does
// not use it, less than 1 where a slice or a gather takes a part, more than 1 where it is computed again. A loop computes a value once for each place that it
// is asked for: x of x[1:] - x[:-1] twice, and x of y + broadcast(x) for every element of y. The code generator keeps a value only for the place that it is at.
func (m *Meter) demand(first, result hlo.InstrID) []float64 {
	c := &m.m.Comps[m.m.Instrs[result].Comp]
	asked, shares := make([]places, c.Count), make([]float64, c.Count)
	asked[result-first] = places{{0, m.elements(m.m.Instrs[result].Shape)}}
	varying := m.varying(first, result)
	for id := result; id >= first; id-- {
		at := asked[id-first]
		if len(at) == 0 {
			continue
		}
		if m.family == CPU {
			at = at.times(m.hoisted(id, varying[id-first]))
		}
		shares[id-first] = at.sum() / max(1, m.elements(m.m.Instrs[id].Shape))
		if m.family == TPU { // it computes whole tiles
			shares[id-first] = min(1, shares[id-first])
		}
		for n, o := range m.m.Operands(id) {
			asked[o-first] = asked[o-first].with(m.askedOf(id, n, at))
		}
	}
	return shares
}

// places are the ways to index a value that a loop asks for, and how many elements it asks for in each.
type places []place

type place struct {
	key      uint64 // of the operations that lead to it: equal for equal places
	elements float64
}

func (p places) sum() (n float64) {
	for _, at := range p {
		n += at.elements
	}
	return n
}

func (p places) times(share float64) places {
	if share == 1 {
		return p
	}
	scaled := slices.Clone(p)
	for i := range scaled {
		scaled[i].elements *= share
	}
	return scaled
}

// mostPlaces is in how many places XLA asks for a value in a fusion at most: kAllowedCodeDuplication in xla/service/fusion_node_indexing_evaluation.cc.
const mostPlaces = 15

func (p places) with(others places) places {
	for _, o := range others {
		at := slices.IndexFunc(p, func(known place) bool { return known.key == o.key })
		switch {
		case at >= 0:
			p[at].elements = max(p[at].elements, o.elements)
		case len(p) < mostPlaces:
			p = append(p, o)
		}
	}
	return p
}

// askedOf is where an instruction asks for its operand n, which is asked for itself in these places.
func (m *Meter) askedOf(id hlo.InstrID, n int, at places) places {
	op, operand := m.m.Instrs[id].Opcode, m.elements(m.m.Instrs[m.m.Operands(id)[n]].Shape)
	share := 1.0
	switch {
	case op == hlo.OpTuple, operand <= 1: // a number is computed before the loop
		return places{{0, operand}}
	case op == hlo.OpConcatenate || op == hlo.OpPad:
		share = operand / max(1, m.elements(m.m.Instrs[id].Shape))
	case n == 0 && isSelection(op), op == hlo.OpTranspose, op == hlo.OpReverse, op == hlo.OpBroadcast, op == hlo.OpReshape:
	case operand == m.elements(m.m.Instrs[id].Shape):
		return at
	default: // it goes through all of it
		share = operand / max(1, m.elements(m.m.Instrs[id].Shape))
	}
	if op == hlo.OpConcatenate && m.isUnrolled(id) {
		n = 0
	}
	moved := slices.Clone(at)
	for i := range moved {
		moved[i].elements *= share
		moved[i].key = moved[i].key*31 + uint64(id)*64 + uint64(n) + 1
	}
	return moved
}

func isSelection(op hlo.Opcode) bool {
	return op == hlo.OpSlice || op == hlo.OpDynamicSlice || op == hlo.OpGather
}

// varying are the dimensions along which the values of instructions differ, a bit each.
func (m *Meter) varying(first, result hlo.InstrID) []uint64 {
	along := make([]uint64, result-first+1)
	for id := first; id <= result; id++ {
		in := &m.m.Instrs[id]
		operands := m.m.Operands(id)
		all := uint64(1)<<min(63, len(m.m.Shape(in.Shape).Dims)) - 1
		of := uint64(0)
		for _, o := range operands {
			of |= along[o-first]
		}
		switch op := in.Opcode; {
		case op == hlo.OpBroadcast && len(operands) == 1:
			for k, d := range m.m.Integers(id, "dimensions") {
				if of>>k&1 == 1 {
					along[id-first] |= 1 << d
				}
			}
		case len(operands) > 0 && of == 0 && op != hlo.OpIota && op != hlo.OpConcatenate && op != hlo.OpPad && op != hlo.OpFusion:
		case int(op) < hlo.NumOpcodes && workOf[op] != noWork && len(operands) > 0:
			along[id-first] = of
		default:
			along[id-first] = all
		}
	}
	return along
}

// hoisted is the share of an instruction's elements that LLVM computes: what does not differ along the innermost dimensions of a loop is computed before it.
func (m *Meter) hoisted(id hlo.InstrID, varying uint64) float64 {
	s, share := m.m.Shape(m.m.Instrs[id].Shape), 1.0
	for _, d := range s.DimensionOrder() {
		if d < 0 || int(d) >= len(s.Dims) || varying>>d&1 == 1 && s.Dims[d] != 1 {
			break
		}
		share /= float64(max(1, s.Dims[d]))
	}
	return share
}

// isUnrolled reports whether the pieces that an instruction joins are adjacent and few: LLVM writes the loop over them out, and computes once what they share.
func (m *Meter) isUnrolled(id hlo.InstrID) bool {
	s, along := m.m.Shape(m.m.Instrs[id].Shape), m.m.Integers(id, "dimensions")
	order := s.DimensionOrder()
	return len(along) == 1 && len(order) > 0 && along[0] == order[0] && along[0] < int64(len(s.Dims)) && s.Dims[along[0]] < narrow
}
