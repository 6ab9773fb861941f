package price

import (
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
)

// pointerBytes is the size of an entry in a tuple's table, and of an opaque value.
const pointerBytes = 8

// shapeSizes holds what the cost rules ask of a shape, by ShapeID.
type shapeSizes struct {
	buffer   []int64 // bytes of the shape's own buffer: a tuple's is its table
	leaves   []int64 // bytes of all arrays in the shape, without the tables
	elements []int64 // in all arrays of the shape
}

// measureShapes measures the shapes of a module. The elements of a tuple come before it.
func measureShapes(m *hlo.Module) shapeSizes {
	n := m.ShapeIDs()
	z := shapeSizes{make([]int64, n), make([]int64, n), make([]int64, n)}
	for id := range hlo.ShapeID(n) {
		switch s := m.Shape(id); s.Type {
		case hlo.Tuple:
			z.buffer[id] = pointerBytes * int64(len(s.Elements))
			for _, e := range s.Elements {
				z.leaves[id] += z.leaves[e]
				z.elements[id] += z.elements[e]
			}
			continue
		case hlo.Buffer:
			z.buffer[id] = z.buffer[s.Elements[0]]
		case hlo.Opaque:
			z.buffer[id] = pointerBytes
		case hlo.Token:
		default:
			z.elements[id], z.buffer[id] = s.ElementCount(), bufferBytes(s)
		}
		z.leaves[id] = z.buffer[id]
	}
	return z
}

// bufferBytes is the size of an array's buffer: elements may be packed, and behind a dynamic array stand its dimensions.
func bufferBytes(s *hlo.Shape) int64 {
	n := s.ElementCount()
	bytes := n * s.Type.Bytes()
	if bits := elementBits(s); bits > 0 {
		bytes = (n*bits + 7) / 8
	}
	if s.Dynamic != 0 || slices.Contains(s.Dims, hlo.Unbounded) {
		bytes += 4 * int64(len(s.Dims))
	}
	return bytes
}

// elementBits is the element size that the layout sets with E(n), 0 when it sets none.
func elementBits(s *hlo.Shape) int64 {
	_, behind, found := strings.Cut(s.Layout, "E(")
	if !found {
		return 0
	}
	digits, _, _ := strings.Cut(behind, ")")
	bits, _ := strconv.ParseInt(digits, 10, 64)
	return bits
}

// bytes is what an instruction reads and writes: its operands and its result whole, unless a rule knows better.
func (p *analyzer) bytes(i hlo.InstrID) float64 {
	switch p.m.Instrs[i].Opcode {
	case hlo.OpParameter, hlo.OpConstant, hlo.OpGetTupleElement, hlo.OpBitcast, hlo.OpDomain, hlo.OpAfterAll, hlo.OpAddDependency:
		return 0
	case hlo.OpTuple:
		return p.size(i) // only the table is written
	case hlo.OpTranspose:
		if p.isBitcast(i) {
			return 0
		}
	case hlo.OpSlice:
		return 2 * p.size(i)
	case hlo.OpDynamicSlice, hlo.OpGather:
		return 2*p.size(i) + p.argSize(i, 1)
	case hlo.OpDynamicUpdateSlice:
		return 2*p.argSize(i, 1) + p.argSize(i, 2)
	case hlo.OpScatter:
		arrays := p.scatterArrays(i)
		bytes := p.argSize(i, arrays)
		for n := range arrays { // the updates are read, and as much of the operand is read and written
			bytes += 3 * p.argSize(i, arrays+1+n)
		}
		return bytes
	case hlo.OpTriangularSolve:
		return p.size(i) + p.argSize(i, 0)/2 + p.argSize(i, 1)
	case hlo.OpCholesky:
		return p.argSize(i, 0) // it reads one half, and writes one half
	case hlo.OpInfeed:
		return p.leaves(i)
	case hlo.OpOutfeed:
		var bytes float64
		for _, o := range p.m.Operands(i) {
			bytes += p.leaves(o)
		}
		return bytes
	}
	bytes := p.leaves(i)
	for n := range p.m.Operands(i) {
		bytes += p.argSize(i, n)
	}
	return bytes
}

// scatterArrays is how many arrays a scatter updates: its operands are the arrays, the indices and an update for each array.
func (p *analyzer) scatterArrays(i hlo.InstrID) int { return len(p.m.Operands(i)) / 2 }

// isBitcast reports whether a transpose moves nothing because the layouts undo it.
func (p *analyzer) isBitcast(i hlo.InstrID) bool {
	permutation := p.m.Integers(i, "dimensions")
	from := p.m.Shape(p.m.Instrs[p.m.Operands(i)[0]].Shape).DimensionOrder()
	to := p.m.Shape(p.m.Instrs[i].Shape).DimensionOrder()
	if len(permutation) != len(to) || len(from) != len(to) {
		p.giveUp(i)
		return false
	}
	for k, d := range to {
		if d < 0 || d >= int64(len(permutation)) {
			p.giveUp(i)
			return false
		}
		if permutation[d] != from[k] {
			return false
		}
	}
	return true
}

// size is the size of the buffer of an instruction's result.
func (p *analyzer) size(i hlo.InstrID) float64 { return float64(p.sizes.buffer[p.m.Instrs[i].Shape]) }

// leaves is the size of all arrays in an instruction's result.
func (p *analyzer) leaves(i hlo.InstrID) float64 { return float64(p.sizes.leaves[p.m.Instrs[i].Shape]) }

// elements is the number of elements in an instruction's result.
func (p *analyzer) elements(i hlo.InstrID) float64 {
	return float64(p.sizes.elements[p.m.Instrs[i].Shape])
}

func (p *analyzer) argSize(i hlo.InstrID, n int) float64 { return p.size(p.m.Operands(i)[n]) }

func (p *analyzer) argElements(i hlo.InstrID, n int) float64 { return p.elements(p.m.Operands(i)[n]) }
