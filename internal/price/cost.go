package price

import (
	"math/bits"

	"github.com/xlagate/xlagate/internal/hlo"
)

// Cost is what an instruction or a computation asks of the machine, counted by the rules of XLA's HloCostAnalysis.
//
// A custom call counts -1 flops and -1 bytes, as it does there: nobody knows what it costs, and a module's sum includes the
// -1 so that it equals the number XLA gives.
type Cost struct {
	Flops           float64 // arithmetic operations; a multiply-add is two
	Transcendentals float64 // exponentials, logarithms, roots and their like, which Flops leaves out
	BytesAccessed   float64 // read and written, with 8 bytes for each entry of a tuple's table
}

func (c Cost) plus(d Cost) Cost {
	return Cost{c.Flops + d.Flops, c.Transcendentals + d.Transcendentals, c.BytesAccessed + d.BytesAccessed}
}

func (c Cost) times(n float64) Cost {
	return Cost{c.Flops * n, c.Transcendentals * n, c.BytesAccessed * n}
}

// work is the cost without its bytes: what a function that is applied to elements in registers adds to its caller.
func (c Cost) work() Cost { return Cost{Flops: c.Flops, Transcendentals: c.Transcendentals} }

// Costs is the cost analysis of a module. It is not to be asked by several goroutines at once.
type Costs struct {
	analyzer *analyzer
	alike    *hlo.Alike
	comps    []Cost // by CompID, of the computations that are first of their like
	// Unknowns are the instructions that could not be analyzed: their operation is not known, or operands, called computations
	// or attributes that the cost depends on are missing or damaged.
	Unknowns map[hlo.InstrID]bool
}

// Instr is the cost of one execution of an instruction with everything that it calls.
func (c *Costs) Instr(i hlo.InstrID) Cost { return c.analyzer.cost(i) }

// arithmetic is what Instr tells, without the bytes of an instruction that enters no computation.
func (c *Costs) arithmetic(i hlo.InstrID) Cost {
	cost, _ := c.analyzer.computed(i)
	return cost
}

// Comp is the sum over the computation's instructions.
func (c *Costs) Comp(id hlo.CompID) Cost { return c.comps[c.alike.First(id)] }

// Analyze analyzes every instruction. users are those of the module. trips says how often a while runs its body, a negative number when that is not known; a
// loop that it does not know, and every loop when trips is nil, counts body and condition once. See [hlo.Module.KnownTrips].
func Analyze(a *hlo.Alike, users *hlo.Users, trips func(hlo.InstrID) int64) *Costs {
	m := a.Module()
	n := len(m.Comps)
	p := &analyzer{
		m:            m,
		trips:        trips,
		sizes:        measureShapes(m),
		users:        users,
		states:       make([]progress, n),
		bodies:       make([]*fusedBody, n),
		convolutions: map[hlo.InstrID]convolution{},
		Costs:        &Costs{alike: a, comps: make([]Cost, n), Unknowns: map[hlo.InstrID]bool{}},
	}
	p.analyzer = p
	for c := range m.Comps {
		p.computation(a.First(hlo.CompID(c)))
	}
	return p.Costs
}

// progress is how far a computation has been analyzed.
type progress uint8

const (
	unseen progress = iota
	begun
	done
)

// analyzer finds the costs of the instructions of one module.
type analyzer struct {
	*Costs
	m            *hlo.Module
	trips        func(hlo.InstrID) int64
	sizes        shapeSizes
	users        *hlo.Users
	states       []progress   // by CompID
	bodies       []*fusedBody // by CompID, of the computations that fusions call; see fusedBody
	spare        *bodyReader  // nil while it is in use
	convolutions map[hlo.InstrID]convolution
}

// computation analyzes a computation that is the first of its like, once. Callees come before callers, so that it seldom goes deep.
func (p *analyzer) computation(c hlo.CompID) (Cost, bool) {
	if p.states[c] != unseen {
		return p.comps[c], p.states[c] == done
	}
	p.states[c] = begun
	var sum Cost
	for i, end := p.m.Body(c); i < end; i++ {
		sum = sum.plus(p.cost(i))
	}
	p.comps[c], p.states[c] = sum, done
	return sum, true
}

// callee is the cost of the n-th computation that an instruction calls.
func (p *analyzer) callee(i hlo.InstrID, n int) Cost {
	cost, ok := p.computation(p.alike.First(p.m.Callees(i)[n]))
	if !ok {
		p.giveUp(i) // it calls itself
	}
	return cost
}

// giveUp notes that an instruction could not be analyzed.
func (p *analyzer) giveUp(i hlo.InstrID) { p.Unknowns[i] = true }

func (p *analyzer) cost(i hlo.InstrID) Cost {
	cost, whole := p.computed(i)
	if !whole {
		cost.BytesAccessed = p.bytes(i)
	}
	return cost
}

// computed is the cost of an instruction. Unless it is whole, its bytes are not in it.
func (p *analyzer) computed(i hlo.InstrID) (cost Cost, whole bool) {
	op := p.m.Instrs[i].Opcode
	if int(op) < len(partsOf) && (len(p.m.Operands(i)) < int(partsOf[op].operands) || len(p.m.Callees(i)) < int(partsOf[op].callees)) {
		p.giveUp(i)
		return Cost{}, true
	}
	switch op {
	case hlo.OpFusion:
		return p.fusion(i), true
	case hlo.OpCall, hlo.OpAsyncStart:
		return p.callee(i, 0), true
	case hlo.OpWhile:
		return p.loop(i), true
	case hlo.OpConditional:
		return p.conditional(i), true
	case hlo.OpCustomCall:
		return Cost{Flops: -1, BytesAccessed: -1}, true
	}
	return p.work(i), false
}

// loop is the cost of a while: n runs of the body and n+1 of the condition, or one of each when n is not known.
func (p *analyzer) loop(i hlo.InstrID) Cost {
	body, condition := p.callee(i, 0), p.callee(i, 1)
	if p.trips != nil {
		if n := p.trips(i); n >= 0 {
			return body.times(float64(n)).plus(condition.times(float64(n + 1)))
		}
	}
	return body.plus(condition)
}

// conditional takes for each number the dearest branch. A branch's 0 does not raise another's -1.
func (p *analyzer) conditional(i hlo.InstrID) Cost {
	cost := p.callee(i, 0)
	for n := range p.m.Callees(i)[1:] {
		branch := p.callee(i, n+1)
		cost.Flops = dearer(cost.Flops, branch.Flops)
		cost.Transcendentals = dearer(cost.Transcendentals, branch.Transcendentals)
		cost.BytesAccessed = dearer(cost.BytesAccessed, branch.BytesAccessed)
	}
	return cost
}

func dearer(a, b float64) float64 {
	if a < 0 && b == 0 {
		return a
	}
	return max(a, b)
}

// work is what an instruction computes: its flops and transcendentals.
func (p *analyzer) work(i hlo.InstrID) Cost {
	op := p.m.Instrs[i].Opcode
	switch op {
	case hlo.OpMap:
		return p.apply(i, p.elements(i))
	case hlo.OpReduce:
		return p.apply(i, p.argElements(i, 0)-p.firstElements(i))
	case hlo.OpScan:
		return p.apply(i, p.argElements(i, 1))
	case hlo.OpScatter:
		return p.apply(i, p.argElements(i, p.scatterArrays(i)+1))
	case hlo.OpReduceWindow:
		return p.apply(i, p.reductions(i))
	case hlo.OpSelectAndScatter:
		return p.selectAndScatter(i)
	case hlo.OpDot, hlo.OpScaledDot:
		return Cost{Flops: p.dotFlops(i, p.elements(i))}
	case hlo.OpRaggedDot:
		return Cost{Flops: p.dotFlops(i, p.ungroupedElements(i))}
	case hlo.OpConvolution:
		return Cost{Flops: p.convolutionFlops(i)}
	case hlo.OpFft:
		return Cost{Flops: p.fftFlops(i)}
	case hlo.OpSort:
		n := p.argElements(i, 0)
		return Cost{Flops: n * float64(bits.Len64(uint64(max(n, 1))-1))} // the logarithm, rounded up
	case hlo.OpTriangularSolve:
		return Cost{Flops: 2 * p.lastDimension(i) * p.argElements(i, 1)}
	case hlo.OpCholesky:
		return Cost{Flops: float64(int64(p.lastDimension(i)*p.argElements(i, 0)) / 3)}
	}
	if int(op) >= hlo.NumOpcodes {
		p.giveUp(i)
		return Cost{}
	}
	switch workOf[op] { // what the others do to each element
	case oneFlop:
		return Cost{Flops: p.elements(i)}
	case oneTranscendental:
		return Cost{Transcendentals: p.elements(i)}
	}
	return Cost{}
}

// apply is the work of running the function that an instruction calls n times.
func (p *analyzer) apply(i hlo.InstrID, n float64) Cost { return p.callee(i, 0).work().times(n) }

// firstElements is the number of elements in an array, or in the first array of a tuple.
func (p *analyzer) firstElements(i hlo.InstrID) float64 {
	id := p.m.Instrs[i].Shape
	if s := p.m.Shape(id); s.Type == hlo.Tuple && len(s.Elements) > 0 {
		id = s.Elements[0]
	}
	return float64(p.sizes.elements[id])
}

// fftFlops: a logarithm for each transformed dimension, and a multiplication of complex numbers for each element.
func (p *analyzer) fftFlops(i hlo.InstrID) float64 {
	lengths := p.m.Integers(i, "fft_length")
	if lengths == nil {
		p.giveUp(i)
	}
	steps := 1
	for _, n := range lengths {
		steps *= bits.Len64(uint64(n)) - 1
	}
	const multiplication = 8
	operand := p.m.Operands(i)[0]
	return multiplication * float64(steps) * p.firstElements(operand)
}

// lastDimension is the size of the first operand's last dimension.
func (p *analyzer) lastDimension(i hlo.InstrID) float64 {
	dims := p.argShape(i, 0).Dims
	if len(dims) == 0 {
		p.giveUp(i)
		return 0
	}
	return float64(dims[len(dims)-1])
}

func (p *analyzer) argShape(i hlo.InstrID, n int) *hlo.Shape {
	return p.m.Shape(p.m.Instrs[p.m.Operands(i)[n]].Shape)
}

// elementWork is what an operation does to each element of its result.
type elementWork uint8

const (
	noWork elementWork = iota
	oneFlop
	oneTranscendental
)

// workOf tells the work of the operations that have no rule of their own.
var workOf = [hlo.NumOpcodes]elementWork{
	hlo.OpAbs: oneFlop, hlo.OpAdd: oneFlop, hlo.OpAnd: oneFlop, hlo.OpBitcastConvert: oneFlop, hlo.OpCeil: oneFlop, hlo.OpClamp: oneFlop,
	hlo.OpCompare: oneFlop, hlo.OpComplex: oneFlop, hlo.OpConvert: oneFlop, hlo.OpCountLeadingZeros: oneFlop, hlo.OpDivide: oneFlop,
	hlo.OpFloor: oneFlop, hlo.OpImag: oneFlop, hlo.OpIsFinite: oneFlop, hlo.OpMaximum: oneFlop, hlo.OpMinimum: oneFlop, hlo.OpMulhi: oneFlop,
	hlo.OpMultiply: oneFlop, hlo.OpNegate: oneFlop, hlo.OpNot: oneFlop, hlo.OpOr: oneFlop, hlo.OpPopcnt: oneFlop, hlo.OpReal: oneFlop,
	hlo.OpReducePrecision: oneFlop, hlo.OpRemainder: oneFlop, hlo.OpRoundNearestAfz: oneFlop, hlo.OpRoundNearestEven: oneFlop,
	hlo.OpSelect: oneFlop, hlo.OpShiftLeft: oneFlop, hlo.OpShiftRightArithmetic: oneFlop, hlo.OpShiftRightLogical: oneFlop,
	hlo.OpSign: oneFlop, hlo.OpStochasticConvert: oneFlop, hlo.OpSubtract: oneFlop, hlo.OpXor: oneFlop,
	hlo.OpAllReduce: oneFlop, hlo.OpAllReduceStart: oneFlop, // two replicas are assumed

	hlo.OpAcos: oneTranscendental, hlo.OpAcosh: oneTranscendental, hlo.OpAsin: oneTranscendental, hlo.OpAsinh: oneTranscendental,
	hlo.OpAtan: oneTranscendental, hlo.OpAtan2: oneTranscendental, hlo.OpAtanh: oneTranscendental, hlo.OpCbrt: oneTranscendental,
	hlo.OpCosine: oneTranscendental, hlo.OpCosh: oneTranscendental, hlo.OpErf: oneTranscendental, hlo.OpExponential: oneTranscendental,
	hlo.OpExponentialMinusOne: oneTranscendental, hlo.OpLog: oneTranscendental, hlo.OpLogPlusOne: oneTranscendental,
	hlo.OpLogistic: oneTranscendental, hlo.OpPower: oneTranscendental, hlo.OpRsqrt: oneTranscendental, hlo.OpSine: oneTranscendental,
	hlo.OpSinh: oneTranscendental, hlo.OpSqrt: oneTranscendental, hlo.OpTan: oneTranscendental, hlo.OpTanh: oneTranscendental,
	hlo.OpRng: oneTranscendental, hlo.OpRngBitGenerator: oneTranscendental, // a number drawn counts as one
}

// parts is how many operands and callees the cost of an operation depends on.
type parts struct{ operands, callees uint8 }

var partsOf = [hlo.NumOpcodes]parts{
	hlo.OpAsyncStart: {0, 1}, hlo.OpCall: {0, 1}, hlo.OpCholesky: {1, 0}, hlo.OpConditional: {0, 1}, hlo.OpConvolution: {2, 0}, hlo.OpDot: {2, 0},
	hlo.OpDynamicSlice: {2, 0}, hlo.OpDynamicUpdateSlice: {3, 0}, hlo.OpFft: {1, 0}, hlo.OpFusion: {0, 1}, hlo.OpGather: {2, 0}, hlo.OpMap: {0, 1},
	hlo.OpRaggedDot: {2, 0}, hlo.OpReduce: {1, 1}, hlo.OpReduceWindow: {1, 1}, hlo.OpScaledDot: {2, 0}, hlo.OpScan: {2, 1}, hlo.OpScatter: {3, 1},
	hlo.OpSelectAndScatter: {2, 2}, hlo.OpSort: {1, 0}, hlo.OpTranspose: {1, 0}, hlo.OpTriangularSolve: {2, 0}, hlo.OpWhile: {0, 2},
}
