package price

import (
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
	sizes := shapeSizes{make([]int64, n), make([]int64, n), make([]int64, n)}
	for id := range hlo.ShapeID(n) {
		sizes.measure(id, m.Shape(id))
	}
	return sizes
}

func (z *shapeSizes) measure(id hlo.ShapeID, s *hlo.Shape) {
	switch s.Type {
	case hlo.Tuple:
		z.buffer[id] = pointerBytes * int64(len(s.Elements))
		for _, e := range s.Elements {
			z.leaves[id] += z.leaves[e]
			z.elements[id] += z.elements[e]
		}
		return
	case hlo.Buffer:
		for _, e := range s.Elements {
			z.buffer[id] += z.buffer[e]
		}
	case hlo.Opaque:
		z.buffer[id] = pointerBytes
	case hlo.Token:
	default:
		z.elements[id] = s.ElementCount()
		z.buffer[id] = bufferBytes(s)
	}
	z.leaves[id] = z.buffer[id]
}

// bufferBytes is the size of an array's buffer: elements may be packed, and behind a dynamic array stand its dimensions.
func bufferBytes(s *hlo.Shape) int64 {
	n := s.ElementCount()
	bytes := n * s.Type.Bytes()
	if bits := elementBits(s); bits > 0 {
		bytes = (n*bits + 7) / 8
	}
	if isDynamic(s) {
		bytes += 4 * int64(len(s.Dims))
	}
	return bytes
}

func isDynamic(s *hlo.Shape) bool {
	for _, d := range s.Dims {
		if d == hlo.Unbounded {
			return true
		}
	}
	return s.Dynamic != 0
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
