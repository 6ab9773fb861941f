package price

import (
	"math/bits"

	"github.com/xlagate/xlagate/internal/hlo"
)

// work is what an instruction computes: its flops and transcendentals.
func (p *pricer) work(i hlo.InstrID) Cost {
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
	return p.perElement(i)
}

// perElement prices the operations that do one thing to each element, and those that do nothing.
func (p *pricer) perElement(i hlo.InstrID) Cost {
	op := p.m.Instrs[i].Opcode
	if int(op) >= hlo.NumOpcodes {
		p.giveUp(i)
		return Cost{}
	}
	switch workOf[op] {
	case oneFlop:
		return Cost{Flops: p.elements(i)}
	case oneTranscendental:
		return Cost{Transcendentals: p.elements(i)}
	}
	return Cost{}
}

// apply is the work of running the function that an instruction calls n times.
func (p *pricer) apply(i hlo.InstrID, n float64) Cost { return p.callee(i, 0).work().times(n) }

// firstElements is the number of elements in an array, or in the first array of a tuple.
func (p *pricer) firstElements(i hlo.InstrID) float64 {
	id := p.m.Instrs[i].Shape
	if s := p.m.Shape(id); s.Type == hlo.Tuple && len(s.Elements) > 0 {
		id = s.Elements[0]
	}
	return float64(p.sizes.elements[id])
}

// fftFlops: a logarithm for each transformed dimension, and a multiplication of complex numbers for each element.
func (p *pricer) fftFlops(i hlo.InstrID) float64 {
	lengths := hlo.Ints(p.attr(i, "fft_length"))
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
func (p *pricer) lastDimension(i hlo.InstrID) float64 {
	dims := p.argShape(i, 0).Dims
	if len(dims) == 0 {
		p.giveUp(i)
		return 0
	}
	return float64(dims[len(dims)-1])
}

func (p *pricer) argShape(i hlo.InstrID, n int) *hlo.Shape {
	return p.m.Shape(p.m.Instrs[p.m.Operands(i)[n]].Shape)
}
