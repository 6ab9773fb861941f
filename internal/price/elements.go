package price

import (
	"math"
	"math/bits"
	"slices"

	"github.com/xlagate/xlagate/internal/hlo"
)

// effort is what an operation takes for each element of its result.
type effort struct {
	amount Amount
	each   float64
}

// efforts tell what the operations take that are more than one simple one. Functions are counted in exponentials, by the terms of the polynomials
// that XLA and Eigen compute them by; those that XLA for CPU leaves to the C library element by element are slow.
var efforts = [...]effort{
	hlo.OpExponential: {Special, 1}, hlo.OpExponentialMinusOne: {Special, 1.5}, hlo.OpLog: {Special, 1.3}, hlo.OpLogPlusOne: {Special, 2},
	hlo.OpLogistic: {Special, 1.2}, hlo.OpTanh: {Special, 1}, hlo.OpErf: {Special, 1}, hlo.OpSqrt: {Special, 0.3}, hlo.OpRng: {Special, 4},
	hlo.OpDivide: {Vector, 4}, hlo.OpRngBitGenerator: {Slow, 3.6}, hlo.OpRemainder: {Slow, 2.5},
	hlo.OpRsqrt: {Slow, 0.6}, hlo.OpPower: {Slow, 1.7}, hlo.OpSine: {Slow, 1.1}, hlo.OpCosine: {Slow, 1.1}, hlo.OpTan: {Slow, 4.8}, hlo.OpCbrt: {Slow, 4.5},
	hlo.OpAtan2: {Slow, 4}, hlo.OpAtan: {Slow, 1}, hlo.OpAcos: {Slow, 1}, hlo.OpAsin: {Slow, 1}, hlo.OpAcosh: {Slow, 1}, hlo.OpAsinh: {Slow, 1},
	hlo.OpAtanh: {Slow, 1}, hlo.OpCosh: {Slow, 1}, hlo.OpSinh: {Slow, 1},
}

// effortsOfGPU are those of a GPU where they differ: measured on an H200 in JAX 0.11.2, each as 32 of the operation in one kernel. A GPU computes
// its own functions for all elements side by side, however long they are.
var effortsOfGPU = [...]effort{
	hlo.OpLog: {Special, 3}, hlo.OpLogPlusOne: {Special, 3.3}, hlo.OpExponentialMinusOne: {Special, 3.5}, hlo.OpLogistic: {Special, 2}, hlo.OpTanh: {Special, 2.7},
	hlo.OpErf: {Special, 3}, hlo.OpSqrt: {Special, 0.7}, hlo.OpRsqrt: {Special, 0.7}, hlo.OpCbrt: {Special, 2}, hlo.OpPower: {Special, 16}, hlo.OpSine: {Special, 21},
	hlo.OpCosine: {Special, 21}, hlo.OpTan: {Special, 13.5}, hlo.OpAtan2: {Special, 5}, hlo.OpRemainder: {Special, 9.5}, hlo.OpDivide: {Vector, 9},
}

// effort is what an operation takes where it is more than a simple one.
func (m *Meter) effort(op hlo.Opcode) (e effort) {
	if m.family == GPU && int(op) < len(effortsOfGPU) {
		e = effortsOfGPU[op]
	}
	if e.each == 0 && int(op) < len(efforts) {
		e = efforts[op]
	}
	return e
}

// elementwise adds an operation that does one thing for each element.
func (m *Meter) elementwise(w *Work, id hlo.InstrID) {
	in := &m.m.Instrs[id]
	e := m.effort(in.Opcode)
	if in.Opcode == hlo.OpConvert && m.m.Shape(in.Shape).Type == hlo.BF16 {
		e = effort{Rounds, 1}
	}
	if e.each == 0 && int(in.Opcode) < hlo.NumOpcodes && workOf[in.Opcode] == oneFlop && m.m.Shape(in.Shape).Type != hlo.Tuple {
		e = effort{Vector, 1}
	}
	if e.each == 0 {
		n := m.costs.arithmetic(id).Flops
		if in.Opcode == hlo.OpTranspose || in.Opcode == hlo.OpConcatenate || in.Opcode == hlo.OpPad || in.Opcode == hlo.OpReverse {
			n = m.elements(in.Shape)
		}
		if in.Opcode == hlo.OpFft {
			m.transform(w, id, max(0, n))
			return
		}
		w[m.wide(Vector, in.Shape)] += max(0, n) * m.shapes[in.Shape].padding
		return
	}
	if (in.Opcode == hlo.OpDivide || in.Opcode == hlo.OpRemainder) && !m.isFloating(in.Shape) {
		e = effort{Slow, 0.6}
		if operands := m.m.Operands(id); len(operands) == 2 && (m.isConstant(operands[1]) || m.isDivided(id)) {
			e = effort{Vector, 4} // the compiler multiplies by the inverse, or takes the rest that a division leaves
		}
	}
	isCosine := func(user hlo.InstrID) bool { return m.m.Instrs[user].Opcode == hlo.OpCosine }
	if in.Opcode == hlo.OpSine && m.family == CPU && slices.ContainsFunc(m.users.Of(m.m.Operands(id)[0]), isCosine) {
		return // LLVM calls a function that returns both of an angle
	}
	w[m.wide(e.amount, in.Shape)] += e.each * m.elements(in.Shape) * m.shapes[in.Shape].padding
}

// transform adds a Fourier transform of so many operations on complex numbers, also where the result is real.
func (m *Meter) transform(w *Work, id hlo.InstrID, operations float64) {
	if m.family == GPU {
		m.passes(w, id)
		w[Vector] += operations
		return
	}
	sum, product := 0, 1 // it goes along one dimension after the other, and XLA counts the product of the logarithms of all lengths
	for _, n := range m.m.Integers(id, "fft_length") {
		steps := bits.Len64(uint64(n)) - 1
		sum, product = sum+steps, product*steps
	}
	operations *= m.factors(id) * float64(sum) / float64(max(1, product))
	if kind := m.m.AttrText(id, "fft_type"); kind != "FFT" && kind != "IFFT" {
		operations /= 2 // one side is real
	}
	w[Vector64] += operations * m.shapes[m.m.Instrs[id].Shape].padding
}

// wide is the amount for a shape's type: double precision has its own.
func (m *Meter) wide(a Amount, shape hlo.ShapeID) Amount {
	if !m.shapes[shape].wide {
		return a
	}
	switch a {
	case Vector:
		return Vector64
	case Special:
		return Special64
	}
	return a
}

// factors is how many times longer a transform takes whose length has a large prime factor: it is made of three longer ones.
func (m *Meter) factors(id hlo.InstrID) float64 {
	for _, n := range m.m.Integers(id, "fft_length") {
		for _, f := range []int64{2, 3, 5, 7, 11} {
			for n > 1 && n%f == 0 {
				n /= f
			}
		}
		if n > 1 {
			return 8
		}
	}
	return 1
}

// passes adds what a transform on a GPU moves beyond one pass over its data. Each further dimension is a pass more, and so is each long one. A transform of a
// length with a large prime factor is made of two longer transforms of three passes each. A tile of work is as many numbers as one pass holds. All of this was
// measured on an H100.
func (m *Meter) passes(w *Work, id hlo.InstrID) {
	const inOnePass, ofPrime = 4096, 6
	lengths := m.m.Integers(id, "fft_length")
	more := float64(max(0, len(lengths)-1))
	if m.factors(id) > 1 {
		more += ofPrime - 1
	}
	w[Tiles] = math.Ceil(m.elements(m.m.Instrs[id].Shape) / inOnePass)
	for _, n := range lengths {
		if n > inOnePass {
			more++
		}
	}
	w[Launches] += more
	w[Far] += more * m.leaves(m.m.Instrs[id].Shape)
	for _, o := range m.m.Operands(id) {
		w[Far] += more * m.leaves(m.m.Instrs[o].Shape)
	}
}

// isConstant reports whether every element of a value is the same known number.
func (m *Meter) isConstant(id hlo.InstrID) bool {
	for m.m.Instrs[id].Opcode == hlo.OpBroadcast {
		id = m.m.Operands(id)[0]
	}
	return m.m.Instrs[id].Opcode == hlo.OpConstant
}

// isDivided reports whether an instruction before this one divides the same number by the same: quotient and remainder are computed at once.
func (m *Meter) isDivided(id hlo.InstrID) bool {
	operands := m.m.Operands(id)
	return slices.ContainsFunc(m.users.Of(operands[0]), func(u hlo.InstrID) bool {
		op := m.m.Instrs[u].Opcode
		return u < id && (op == hlo.OpDivide || op == hlo.OpRemainder) && slices.Equal(m.m.Operands(u), operands)
	})
}

func (m *Meter) isFloating(shape hlo.ShapeID) bool {
	t := m.m.Shape(shape).Type
	return t >= hlo.F16 && t != hlo.Tuple && t != hlo.Opaque
}

// applied adds an operation that applies a function of its own. One that carries several values, as argmax does, is not put into vectors; a GPU has none.
func (m *Meter) applied(w *Work, id hlo.InstrID) {
	op, operand := m.m.Instrs[id].Opcode, m.m.Instrs[id].Shape
	if operands := m.m.Operands(id); len(operands) > 0 {
		operand = m.m.Instrs[operands[0]].Shape
	}
	n := m.costs.arithmetic(id)
	switch {
	case op == hlo.OpReduce && len(m.m.Operands(id)) > 2 && m.family == GPU:
		w[Vector] += 2 * m.elements(operand)
	case op == hlo.OpReduce && len(m.m.Operands(id)) > 2, op == hlo.OpScan:
		w[Scalar] += 2 * m.elements(operand)
	case op == hlo.OpReduceWindow:
		w[Scalar] += max(0, n.Flops) / 6
	case op == hlo.OpSelectAndScatter:
		w[Scalar] += max(0, n.Flops)
	case op == hlo.OpScatter:
		w[Scalar] += max(0, n.Flops) / 8
	default:
		w[m.wide(Vector, operand)] += max(0, n.Flops) * m.shapes[operand].padding
		w[m.wide(Special, operand)] += n.Transcendentals
	}
}

// sort adds the comparisons of a sort: of every row n log n, or on an accelerator those of a bitonic network.
func (m *Meter) sort(w *Work, id hlo.InstrID) {
	operands := m.m.Operands(id)
	if len(operands) == 0 {
		return
	}
	s := m.m.Shape(m.m.Instrs[operands[0]].Shape)
	row := int64(1)
	for _, d := range m.m.Integers(id, "dimensions") {
		if d >= 0 && d < int64(len(s.Dims)) {
			row = max(1, s.Dims[d])
		}
	}
	elements, arrays := float64(s.ElementCount()), len(operands)
	switch m.family {
	case GPU:
		// One launch does what fits a block; each round beyond that takes a launch for each of its wide stages, and one for the rest.
		const block, inBlock, stage = 4096, 12, 0.83 // elements, rounds, and steps of an element in a stage: measured on an H200
		w[Scalar] += stage * network(elements, row, arrays)
		w[Tiles] += elements / float64(row) * math.Ceil(float64(row)/block)
		more := max(0, roundsOf(row)-inBlock)
		w[Launches] += more * (more + 3) / 2
		return
	case TPU:
		w[Vector] += vectorStage * network(elements*m.shapes[m.m.Instrs[operands[0]].Shape].padding, row, arrays)
		return
	}
	comparison := 1.75 // steps
	if m.isFloating(m.m.Instrs[operands[0]].Shape) {
		comparison = 7.5 // in an order that has a place for NaN and both zeros
	}
	w[Scalar] += comparison * elements * roundsOf(row) * together(arrays)
}

// vectorStage is how many operations the vector unit of a TPU makes for an element in a stage of a network: comparisons, selections and moves between
// lanes. The 64 largest of 32 rows of 201,088 took 1.32 ms on a v5e and 1.01 ms on a v6e (github.com/oliverdutton/fast_exact_topk_tpu).
const vectorStage = 3

// network returns how often a bitonic network handles an element: it sorts rows in rounds, the nth of n stages.
func network(elements float64, row int64, arrays int) float64 {
	rounds := roundsOf(row)
	return elements * rounds * (rounds + 1) / 2 * together(arrays)
}

func roundsOf(row int64) float64 { return math.Ceil(math.Log2(float64(max(2, row)))) }

// together is how much longer it takes to sort several arrays by one of them.
func together(arrays int) float64 { return 1 + 0.25*float64(arrays-1) }

// indexed adds the places that a gather or a scatter goes to, and what a scatter adds where others may add.
func (m *Meter) indexed(w *Work, id hlo.InstrID) {
	operands := m.m.Operands(id)
	if len(operands) < 2 {
		return
	}
	moved := m.m.Instrs[id].Shape
	indices := operands[1]
	scatter := m.m.Instrs[id].Opcode == hlo.OpScatter
	if scatter {
		moved, indices = m.m.Instrs[operands[len(operands)-1]].Shape, operands[len(operands)/2]
	}
	s := m.m.Shape(m.m.Instrs[indices].Shape)
	places := float64(s.ElementCount())
	if d := m.m.Integers(id, "index_vector_dim"); len(d) == 1 && d[0] < int64(len(s.Dims)) && s.Dims[d[0]] > 0 {
		places /= float64(s.Dims[d[0]]) // the dimension that holds one index
	}
	elements := m.elements(moved)
	w[Pieces] += min(places, max(1, elements))
	w[Scalar] += 0.4 * places
	w[Vector] += 2 * elements
	if !scatter || m.m.AttrText(id, "unique_indices") == "true" {
		return
	}
	w[Scalar] += 0.4 * places
	sorted := m.m.AttrText(id, "indices_are_sorted")
	if m.family == GPU {
		m.added(w, id, moved, places, sorted == "true")
		return
	}
	if sorted == "true" {
		elements /= 8 // neighbours are added up before
	}
	if isTiled(m.m.Shape(moved)) { // a TPU adds what is adjacent at once, as much as fits a row of a tile
		const lanes = 128
		elements = min(elements, places*math.Ceil(m.elements(moved)/max(1, places)/lanes))
	}
	w[Atomics] += elements
}

// added adds what a GPU takes to add where others may add. Additions into one line of memory wait for each other: few lines make many wait. Sorted
// indices are gone through in runs, in which narrow rows leave most threads idle. Measured on an H200.
func (m *Meter) added(w *Work, id hlo.InstrID, moved hlo.ShapeID, places float64, sorted bool) {
	const line, crowded, waits, run, many = 128, 16 << 10, 125, 8, 1 << 16 // bytes, bytes, additions and launches that take as long, places
	elements, bytes := m.elements(moved), m.leaves(moved)
	row := bytes / max(1, places)
	if sorted {
		if w[Atomics] += elements / 8; row < line {
			w[Launches] += run * (1 - row/line) * min(1, places/many)
		}
		return
	}
	w[Atomics] += elements + waits*max(places, bytes/line)*min(1, crowded/max(1, m.leaves(m.m.Instrs[id].Shape)))
}
