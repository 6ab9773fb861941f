package price

import (
	"math"
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
)

// narrow is how many elements a vector of a CPU has: a row of fewer leaves a part of it idle.
const narrow = 16

// minor is the size of the dimension whose elements are adjacent; 1 where there is none.
func minor(s *hlo.Shape) int64 {
	for _, d := range s.DimensionOrder() {
		if d >= 0 && d < int64(len(s.Dims)) && s.Dims[d] != 1 {
			return s.Dims[d]
		}
	}
	return 1
}

// isTiled reports whether an array is in the tiles of a TPU.
func isTiled(s *hlo.Shape) bool { return strings.Contains(s.Layout, "T(") }

// rows adds the time that YNNPACK takes for the rows of an operation that it fuses. Each row takes some time, and a short row of a function such as exp takes as
// long as a full vector. A row is the innermost dimension alone, even if its size is 1. Only a reduction, also one of squares, joins that dimension with the
// next. Measured with 60 fusions of JAX 0.10.2, on an EPYC.
func (m *Meter) rows(w *Work, id hlo.InstrID) {
	const row = 1.4 // steps
	in, operands := &m.m.Instrs[id], m.m.Operands(id)
	cost := m.costs.arithmetic(id)
	if len(operands) == 0 || cost.Flops+cost.Transcendentals <= 0 {
		return
	}
	s, width := m.m.Shape(in.Shape), int64(1)
	switch order := s.DimensionOrder(); {
	case in.Opcode == hlo.OpReduce:
		s = m.m.Shape(m.m.Instrs[operands[0]].Shape)
		width = minor(s)
	case len(operands) == 2 && operands[0] == operands[1]:
		width = minor(s)
	case len(order) > 0 && order[0] >= 0 && order[0] < int64(len(s.Dims)):
		width = max(1, s.Dims[order[0]])
	}
	elements := float64(s.ElementCount())
	w[Serial] += row * elements / float64(width)
	if e := m.effort(in.Opcode); e.amount == Special {
		w[m.wide(Special, in.Shape)] += e.each * elements * (math.Ceil(float64(width)/narrow)*narrow/float64(width) - 1)
	}
}

// What a CPU takes to move an element into another order, in nanoseconds on the reference, measured in JAX 0.10.2: see bench/stopwatch/micro.py.
const (
	movedKept   = 0.1 // one that keeps its neighbours
	movedApart  = 0.3 // one whose neighbours become others
	movedNarrow = 0.8 // one in a narrow row
)

// movement is what it takes to bring one element into another order; 0 where the order stays.
func (m *Meter) movement(id hlo.InstrID) (each float64) {
	operands := m.m.Operands(id)
	if len(operands) != 1 {
		return 0
	}
	to, from := m.m.Shape(m.m.Instrs[id].Shape), m.m.Shape(m.m.Instrs[operands[0]].Shape)
	order, before := to.DimensionOrder(), from.DimensionOrder()
	if to.Type == hlo.Tuple || len(order) != len(before) || len(order) == 0 {
		return 0
	}
	for k, d := range m.sources(id, order) {
		switch {
		case d == before[k]:
		case minor(to) < narrow:
			each = movedNarrow
		case k == 0:
			each = movedApart
		default:
			each = max(each, movedKept)
		}
	}
	return each
}

// sources are the dimensions of the operand that an operation's dimensions come from.
func (m *Meter) sources(id hlo.InstrID, dims []int64) []int64 {
	permutation := m.m.Integers(id, "dimensions")
	if m.m.Instrs[id].Opcode != hlo.OpTranspose || len(permutation) != len(dims) {
		return dims
	}
	from := make([]int64, len(dims))
	for k, d := range dims {
		if d >= 0 && d < int64(len(permutation)) {
			from[k] = permutation[d]
		}
	}
	return from
}

// bytewise adds what it takes on a GPU to bring bytes into another order: a kernel of XLA moves them one by one. Measured on an H200.
func (m *Meter) bytewise(w *Work, id hlo.InstrID) {
	const aByte = 6.6 // steps
	in := &m.m.Instrs[id]
	if m.family == GPU && (in.Opcode == hlo.OpTranspose || in.Opcode == hlo.OpCopy) && m.m.Shape(in.Shape).Type.Bytes() == 1 && m.movement(id) > 0 {
		w[Scalar] += aByte * m.elements(in.Shape)
	}
}
