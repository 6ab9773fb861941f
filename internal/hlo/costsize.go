package hlo

import (
	"strconv"
	"strings"
)

// pointerBytes is the size of an entry in a tuple's table, and of an opaque value.
const pointerBytes = 8

// shapeSizes holds what the cost rules ask of a shape, by ShapeID.
type shapeSizes struct {
	buffer   []int64 // bytes of the shape's own buffer: a tuple's is its table
	leaves   []int64 // bytes of all arrays in the shape, without the tables
	elements []int64 // in all arrays of the shape
}

// shapeSizes measures every shape of the module. The elements of a tuple are interned before it.
func (m *Module) shapeSizes() shapeSizes {
	n := len(m.shapes.list)
	sizes := shapeSizes{make([]int64, n), make([]int64, n), make([]int64, n)}
	for id := range m.shapes.list {
		sizes.measure(ShapeID(id), &m.shapes.list[id])
	}
	return sizes
}

func (z *shapeSizes) measure(id ShapeID, s *Shape) {
	switch s.Type {
	case Tuple:
		z.buffer[id] = pointerBytes * int64(len(s.Elements))
		for _, e := range s.Elements {
			z.leaves[id] += z.leaves[e]
			z.elements[id] += z.elements[e]
		}
		return
	case Buffer:
		for _, e := range s.Elements {
			z.buffer[id] += z.buffer[e]
			z.elements[id] += z.elements[e]
		}
	case Opaque:
		z.buffer[id] = pointerBytes
	case Token:
	default:
		z.elements[id] = s.ElementCount()
		z.buffer[id] = s.bufferBytes()
	}
	z.leaves[id] = z.buffer[id]
}

// bufferBytes is the size of an array's buffer: elements may be packed, and behind a dynamic array stand its dimensions.
func (s *Shape) bufferBytes() int64 {
	n := s.ElementCount()
	bytes := n * s.Type.Bytes()
	if bits := s.elementBits(); bits > 0 {
		bytes = (n*bits + 7) / 8
	}
	if s.isDynamic() {
		bytes += 4 * int64(len(s.Dims))
	}
	return bytes
}

func (s *Shape) isDynamic() bool {
	for _, d := range s.Dims {
		if d == Unbounded {
			return true
		}
	}
	return s.Dynamic != 0
}

// elementBits is the element size that the layout sets with E(n), 0 when it sets none.
func (s *Shape) elementBits() int64 {
	_, behind, found := strings.Cut(s.Layout, "E(")
	if !found {
		return 0
	}
	digits, _, _ := strings.Cut(behind, ")")
	bits, _ := strconv.ParseInt(digits, 10, 64)
	return bits
}

// dimensionOrder is the order of the dimensions in memory.
func (s *Shape) dimensionOrder() []int64 {
	if order, _, _ := strings.Cut(s.Layout, ":"); order != "" {
		return parseInts(order)
	}
	order := make([]int64, len(s.Dims))
	for i := range order {
		order[i] = int64(len(order) - 1 - i)
	}
	return order
}
