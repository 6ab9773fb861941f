package price

import (
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
)

// What a CPU computes element by element although the operation could be put into vectors, in steps of a nanosecond on the reference. Measured with
// small programs in JAX 0.10.2: see bench/stopwatch/micro.py.
const (
	serialRow    = 1.4 // a row of an operation that a library for a CPU fuses, beside its elements
	serialFunc   = 0.4 // an operation on an element in front of a join of narrow pieces
	serialKept   = 0.1 // an element that moves and keeps its neighbours
	serialApart  = 0.3 // one whose neighbours become others
	serialNarrow = 0.8 // one that moves in a narrow row
	serialSpread = 1   // one whose neighbours become others in a loop that broadcasts a value, beside that
	serialAcross = 1   // an element of a product's left side that is read across its rows
	narrow       = 16  // elements: a vector
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

// across adds what it takes to read the left side of a product across its rows: the dimension that is contracted is not the one whose elements
// are adjacent.
func (m *Meter) across(w *Work, id hlo.InstrID) {
	left := m.m.Instrs[m.m.Operands(id)[0]].Shape
	s := m.m.Shape(left)
	order := s.DimensionOrder()
	for _, d := range m.m.Integers(id, "lhs_contracting_dims") {
		if len(order) == 0 || d == order[0] {
			return
		}
	}
	w[Serial] += serialAcross * m.elements(left)
}

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

// windowed adds what a reduction of windows takes on a CPU. What is padding is skipped, one element after the other where it is along the rows or in more than
// one dimension. Elsewhere LLVM puts many windows into a vector; of windows that lie side by side along a row, each row of a window is a vector of its own.
// Measured with sums over windows in JAX 0.10.2, on an EPYC.
func (m *Meter) windowed(w *Work, id hlo.InstrID) {
	const tested, ofARow, ofNarrowRows, inVectors = 1.0 / 6, 1, 0.5, 4 // steps, of the last simple operations
	from, to := m.m.Shape(m.m.Instrs[m.m.Operands(id)[0]].Shape), m.m.Shape(m.m.Instrs[id].Shape)
	if len(to.Elements) > 0 {
		to = m.m.Shape(to.Elements[0])
	}
	window, _ := parseWindow(m.m.AttrText(id, "window"))
	order := to.DimensionOrder()
	if len(window) != len(from.Dims) || len(window) != len(to.Dims) || len(order) == 0 {
		return
	}
	n, padded := max(1, m.costs.pricer.callee(id, 0).Flops), 0
	for d, dim := range window {
		n *= float64(dim.meetings(from.Dims[d], min(dim.size, maxKernel), to.Dims[d]))
		if dim.low > 0 || dim.high > 0 {
			padded++
		}
	}
	switch row := window[order[0]]; {
	case padded > 1 || row.low > 0 || row.high > 0:
		w[Scalar] += tested * n
	case row.size > 1 && row.size == row.stride:
		w[Scalar] += ofARow * n / float64(row.size)
	case minor(to) < narrow:
		w[Scalar] += ofNarrowRows * n
	default:
		w[Vector] += inVectors * n
	}
}
