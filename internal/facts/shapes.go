package facts

import (
	"encoding/binary"
	"iter"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
)

// Shapes is a list of shapes without layout. A large fusion takes hundreds of arrays of a few shapes: kept are those few, and of each array
// which it is.
type Shapes struct {
	Texts []string `json:"-"`
	Code  string   `json:"-"` // of each array its place in Texts; see binary.AppendUvarint
}

// maxShapes bounds how many different shapes are looked through for one that is known: a kernel has a handful.
const maxShapes = 128

// ShapesOf makes a list of shapes. An empty list is none.
func ShapesOf(list ...string) (s Shapes) {
	code := make([]byte, 0, len(list))
	for _, shape := range list {
		at := slices.Index(s.Texts[:min(len(s.Texts), maxShapes)], shape)
		if at < 0 {
			at, s.Texts = len(s.Texts), append(s.Texts, shape)
		}
		code = binary.AppendUvarint(code, uint64(at))
	}
	s.Code = string(code)
	return s
}

// All yields the shapes in order.
func (s Shapes) All() iter.Seq[string] {
	return func(yield func(string) bool) {
		for left := s.Code; left != ""; {
			at, rest := cutNumber(left)
			if !yield(s.Texts[at]) {
				return
			}
			left = rest
		}
	}
}

// List is what ShapesOf would be given; nil for none.
func (s Shapes) List() []string { return slices.Collect(s.All()) }

// Len counts the shapes.
func (s Shapes) Len() (n int) {
	for range s.All() {
		n++
	}
	return n
}

// Equal says whether two lists hold the same shapes in the same order.
func (s Shapes) Equal(t Shapes) bool { return s.Code == t.Code && slices.Equal(s.Texts, t.Texts) }

// String lists them: "f32[8], f32[]".
func (s Shapes) String() string { return strings.Join(s.List(), ", ") }

// operandShapes lists the operands' shapes.
func (r *reader) operandShapes(id hlo.InstrID) Shapes {
	r.list = r.list[:0]
	for _, o := range r.m.Operands(id) {
		r.list = append(r.list, r.shape(r.m.Instrs[o].Shape))
	}
	return ShapesOf(r.list...)
}
