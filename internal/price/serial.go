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

// rows adds what a library for a CPU takes for the rows of an operation that it fuses: one of a few elements costs as much as a vector. YNNPACK goes along the
// innermost dimension alone, even where its size is 1; only a reduction, also one of squares, joins that one with the next. Measured with 60 fusions of JAX
// 0.10.2, on an EPYC.
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
