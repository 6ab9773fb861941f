package price

import (
	"slices"

	"github.com/xlagate/xlagate/internal/hlo"
)

// demand returns how often a loop computes the elements of each instruction for a result, as a share of all that the instruction has: 0 where the result does
// not use it, less than 1 where a slice or a gather takes a part, more than 1 where it is computed again. The code generator keeps a value only for the place
// that the loop is at: x of x[1:] - x[:-1] is computed twice, and x of y + broadcast(x) for every element of y.
func (m *Meter) demand(first, result hlo.InstrID) []float64 {
	count := m.m.Comps[m.m.Instrs[result].Comp].Count
	for len(m.asked) < int(count) {
		m.asked = append(m.asked, nil)
	}
	asked, shares := m.asked[:count], make([]float64, count)
	for i := range asked {
		asked[i] = asked[i][:0]
	}
	asked[result-first].add(places{{0, m.elements(m.m.Instrs[result].Shape)}}, 1, 0)
	if m.family == CPU {
		m.vary(first, result)
	}
	for id := result; id >= first; id-- {
		at, own := asked[id-first], m.elements(m.m.Instrs[id].Shape)
		if len(at) == 0 {
			continue
		}
		if m.family == CPU {
			computed := m.hoisted(id, m.along[id-first])
			for i := range at {
				at[i].elements *= computed
			}
		}
		whole := max(1, own)
		for _, p := range at {
			shares[id-first] += p.elements / whole
		}
		if m.family == TPU { // it computes whole tiles
			shares[id-first] = min(1, shares[id-first])
		}
		for n, o := range m.m.Operands(id) {
			if elements := m.elements(m.m.Instrs[o].Shape); m.m.Instrs[id].Opcode == hlo.OpTuple || elements <= 1 { // a number is computed before the loop
				asked[o-first].add(places{{0, elements}}, 1, 0)
			} else {
				share, step := m.step(id, n, own, elements)
				asked[o-first].add(at, share, step)
			}
		}
	}
	return shares
}

// place is a way to index a value that a loop asks for, and how many elements it asks for in it.
type place struct {
	key      uint64 // of the operations that lead to it: equal for equal places
	elements float64
}

type places []place

// mostPlaces is in how many places XLA asks for a value in a fusion at most: kAllowedCodeDuplication in xla/service/fusion_node_indexing_evaluation.cc.
const mostPlaces = 15

// add adds a share of what is asked for in other places, each of which a step leads to another place; 0 where it stays.
func (p *places) add(others places, share float64, step uint64) {
	for _, o := range others {
		if o.elements *= share; step != 0 {
			o.key = o.key*31 + step
		}
		at := slices.IndexFunc(*p, func(known place) bool { return known.key == o.key })
		if at >= 0 {
			(*p)[at].elements = max((*p)[at].elements, o.elements)
		} else if len(*p) < mostPlaces {
			*p = append(*p, o)
		}
	}
}

// step is which share of its own elements an instruction asks of its operand n, and the step to the place where it asks.
func (m *Meter) step(id hlo.InstrID, n int, own, operand float64) (share float64, step uint64) {
	step = uint64(id)*64 + uint64(n) + 1
	switch op := m.m.Instrs[id].Opcode; {
	case op == hlo.OpConcatenate && m.isUnrolled(id):
		return operand / max(1, own), uint64(id)*64 + 1
	case n == 0 && (op == hlo.OpSlice || op == hlo.OpDynamicSlice || op == hlo.OpGather),
		op == hlo.OpTranspose, op == hlo.OpReverse, op == hlo.OpBroadcast, op == hlo.OpReshape:
		return 1, step
	case operand == own && op != hlo.OpConcatenate && op != hlo.OpPad:
		return 1, 0
	}
	return operand / max(1, own), step
}

// isUnrolled reports whether the pieces that an instruction joins are adjacent and few: LLVM writes the loop over them out, and computes once what they share.
func (m *Meter) isUnrolled(id hlo.InstrID) bool {
	s, along := m.m.Shape(m.m.Instrs[id].Shape), m.m.Integers(id, "dimensions")
	order := s.DimensionOrder()
	return len(along) == 1 && len(order) > 0 && along[0] == order[0] && along[0] < int64(len(s.Dims)) && s.Dims[along[0]] < narrow
}

// vary finds the dimensions along which the values of instructions differ, a bit each.
func (m *Meter) vary(first, result hlo.InstrID) {
	along := slices.Grow(m.along[:0], int(result-first)+1)[:result-first+1]
	clear(along)
	m.along = along
	for id := first; id <= result; id++ {
		operands, of := m.m.Operands(id), uint64(0)
		for _, o := range operands {
			of |= along[o-first]
		}
		all, op := uint64(1)<<min(63, len(m.m.Shape(m.m.Instrs[id].Shape).Dims))-1, m.m.Instrs[id].Opcode
		switch joins := op == hlo.OpConcatenate || op == hlo.OpPad || op == hlo.OpFusion; {
		case of == 0 && len(operands) > 0 && !joins:
		case op == hlo.OpBroadcast:
			for k, d := range m.m.Integers(id, "dimensions") {
				along[id-first] |= of >> k & 1 << d
			}
		case of != 0 && int(op) < hlo.NumOpcodes && workOf[op] != noWork:
			along[id-first] = of
		default:
			along[id-first] = all
		}
	}
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
