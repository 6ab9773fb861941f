package price

import (
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
)

// What a CPU computes element by element although the operation could be put into vectors, in steps of a nanosecond on the reference. Measured with
// small programs in JAX 0.10.2: see bench/stopwatch/micro.py.
const (
	serialRow  = 1.4 // a row of an operation that a library for a CPU fuses, beside its elements
	serialFunc = 0.4 // an operation on an element in front of a join of narrow pieces
	narrow     = 16  // elements: a vector
)

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

// rows adds what a library for a CPU takes for each row of an operation that it fuses: rows of a few elements cost as much as a vector.
func (m *Meter) rows(w *Work, id hlo.InstrID) {
	in := &m.m.Instrs[id]
	shape := in.Shape
	if in.Opcode == hlo.OpReduce {
		shape = m.m.Instrs[m.m.Operands(id)[0]].Shape
	}
	if m.costs.arithmetic(id).Flops <= 0 {
		return
	}
	w[Serial] += serialRow * m.elements(shape) / float64(minor(m.m.Shape(shape)))
}

// joined adds what a join of narrow pieces in a loop is made of: it is computed for each element of the result by itself, in whichever piece the
// element is.
func (m *Meter) joined(w *Work, first, id hlo.InstrID) {
	in := &m.m.Instrs[id]
	order := m.m.Shape(in.Shape).DimensionOrder()
	along := m.m.Integers(id, "dimensions")
	if len(along) != 1 || len(order) == 0 || along[0] != order[0] {
		return
	}
	for _, o := range m.m.Operands(id) {
		if s := m.m.Shape(m.m.Instrs[o].Shape); along[0] >= int64(len(s.Dims)) || s.Dims[along[0]] >= narrow {
			return
		}
	}
	for n, share := range m.demand(first, id) {
		var whole Work
		if o := first + hlo.InstrID(n); share > 0 && m.m.Instrs[o].Opcode != hlo.OpConcatenate {
			m.elementwise(&whole, o)
		}
		w[Serial] += serialFunc * share * (whole[Vector] + whole[Vector64])
	}
}

// oneByOne adds what a CPU computes element by element in a fusion: of a library's the rows, of a loop what precedes a join of narrow
// pieces. It is measured once for all computations that are alike.
func (m *Meter) oneByOne(w *Work, fusion hlo.InstrID) {
	callees := m.m.Callees(fusion)
	if len(callees) != 1 || isTiled(m.m.Shape(m.m.Instrs[fusion].Shape)) {
		return
	}
	loop := m.isLoop(fusion)
	b := m.body(m.alike.First(callees[0]), loop)
	if !b.serialized {
		b.serialized = true
		b.serial = m.serial(callees[0], loop)
	}
	w[Serial] += b.serial
}

// serial is what [Meter.oneByOne] adds for a computation that is a loop, or a library's.
func (m *Meter) serial(c hlo.CompID, loop bool) float64 {
	var w Work
	first, end := m.m.Body(c)
	for id := first; id < end; id++ {
		switch op := m.m.Instrs[id].Opcode; {
		case !loop:
			m.rows(&w, id)
		case op == hlo.OpConcatenate:
			m.joined(&w, first, id)
		}
	}
	return w[Serial]
}
