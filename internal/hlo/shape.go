package hlo

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// Type is an XLA primitive type; the numbers are those of PrimitiveType in xla_data.proto.
type Type uint8

// The primitive types that code refers to by name.
const (
	TypeInvalid Type = 0
	Pred        Type = 1
	S8          Type = 2
	S16         Type = 3
	S32         Type = 4
	S64         Type = 5
	U8          Type = 6
	U16         Type = 7
	U32         Type = 8
	U64         Type = 9
	F16         Type = 10
	F32         Type = 11
	F64         Type = 12
	Tuple       Type = 13
	Opaque      Type = 14
	C64         Type = 15
	BF16        Type = 16
	Token       Type = 17
	C128        Type = 18
	Buffer      Type = 34
)

// typeNames holds the spellings of the primitive types, by their number in xla_data.proto (libtpu 0.0.51).
var typeNames = [...]string{
	1: "pred", "s8", "s16", "s32", "s64", "u8", "u16", "u32", "u64", "f16", "f32", "f64", "tuple", "opaque", "c64", "bf16",
	"token", "c128", "f8e5m2", "f8e4m3fn", "s4", "u4", "f8e4m3b11fnuz", "f8e5m2fnuz", "f8e4m3fnuz", "s2", "u2", "f8e4m3",
	"f8e3m4", "s1", "u1", "f4e2m1fn", "f8e8m0fnu", "b", "f6e3m2fn", "f6e2m3fn",
}

// typeBytes holds the size of one element in a buffer, in bytes. An element of less than a byte takes one unless the layout packs several: E(n).
var typeBytes = [...]uint8{
	1: 1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8, 0, 0, 8, 2,
	0, 16, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 0, 1, 1,
}

// String returns the type's spelling in HLO text.
func (t Type) String() string {
	if int(t) < len(typeNames) && typeNames[t] != "" {
		return typeNames[t]
	}
	return "type" + strconv.Itoa(int(t))
}

// Bytes returns the size of one element in bytes, 0 for tuple, token and opaque.
func (t Type) Bytes() int64 {
	if int(t) < len(typeBytes) {
		return int64(typeBytes[t])
	}
	return 0
}

// Unbounded is the size of a dimension that is printed as `?`.
const Unbounded = int64(-1 << 63)

// Shape is an array, tuple or token shape of a module; equal shapes of a module have one ShapeID.
type Shape struct {
	Type     Type
	Dims     []int64   // an array's dimensions, major to minor as printed; Unbounded for `?`
	Dynamic  uint64    // bit i: dimension i is bounded (`<=n`), not exact
	Elements []ShapeID // a tuple's elements
	// Layout is the text in the braces behind an array shape, as XLA prints it: "1,0:T(8,128)S(1)". It is "" for the default layout
	// (descending, without properties), whether or not the source spells it out.
	Layout string

	bytes int64   // see ShapeBytes
	order []int64 // see DimensionOrder
}

// shapeTable interns the shapes of one module.
type shapeTable struct {
	list  []Shape
	index hashTable
}

// Shape returns an interned shape.
func (m *Module) Shape(id ShapeID) *Shape { return &m.shapes.list[id] }

// ShapeIDs returns the number of interned shapes; all ShapeIDs are below it.
func (m *Module) ShapeIDs() int { return len(m.shapes.list) }

// add interns a shape by value and returns its id. It returns false when the size of the shape in bytes overflows an int64.
func (t *shapeTable) add(s Shape) (id ShapeID, ok bool) {
	if s.bytes, ok = t.size(&s); !ok {
		return 0, false
	}
	if s.Layout != "" && s.Layout == string(appendDefaultOrder(make([]byte, 0, 64), len(s.Dims))) {
		s.Layout = ""
	}
	if t.index.slots == nil {
		t.index.reset()
	}
	t.index.makeSpare()
	h := mix(uint64(s.Type), s.Dynamic)
	for _, e := range s.Elements {
		h = mix(h, uint64(e))
	}
	h = mix(mix(h, hashNumbers(s.Dims)), hashText(s.Layout))
	hash := uint32(h ^ h>>32)
	slot := t.slot(&s, hash)
	if t.index.fill(slot, hash, int32(len(t.list))) {
		if len(t.list) == cap(t.list) {
			t.list = slices.Grow(t.list, len(t.list)+minSlots)
		}
		s.order = s.dimensionOrder()
		t.list = append(t.list, s)
	}
	return ShapeID(slot.number - 1), true
}

// slot returns the slot of a shape, a free one when the table does not have it.
func (t *shapeTable) slot(s *Shape, hash uint32) *hashSlot {
	slots := t.index.slots
	for i := hash; ; i++ {
		slot := &slots[i&uint32(len(slots)-1)]
		if slot.number == 0 {
			return slot
		}
		o := &t.list[slot.number-1]
		if slot.hash == hash && s.Type == o.Type && s.Dynamic == o.Dynamic && s.Layout == o.Layout &&
			slices.Equal(s.Dims, o.Dims) && slices.Equal(s.Elements, o.Elements) {
			return slot
		}
	}
}

// size returns the number of data bytes of a shape, and false when that or the number of elements overflows an int64.
func (t *shapeTable) size(s *Shape) (bytes int64, ok bool) {
	for _, e := range s.Elements {
		if bytes += t.list[e].bytes; bytes < 0 {
			return 0, false
		}
	}
	if len(s.Elements) > 0 {
		return bytes, true
	}
	if slices.Contains(s.Dims, 0) || slices.Contains(s.Dims, Unbounded) {
		return 0, true
	}
	n := int64(1)
	for _, d := range append(s.Dims[:len(s.Dims):len(s.Dims)], max(1, s.Type.Bytes())) {
		if d > math.MaxInt64/n {
			return 0, false
		}
		n *= d
	}
	return n * min(1, s.Type.Bytes()), true
}

// ShapeText returns the shape as XLA prints it without layout: "f32[8,64]", "(f32[2], s32[])".
func (m *Module) ShapeText(id ShapeID) string { return string(m.appendShape(nil, id, false)) }

// ShapeLayoutText returns the shape as XLA prints it with its layout: "f32[8,64]{1,0}".
func (m *Module) ShapeLayoutText(id ShapeID) string { return string(m.appendShape(nil, id, true)) }

func (m *Module) appendShape(b []byte, id ShapeID, layout bool) []byte {
	s := m.Shape(id)
	switch s.Type {
	case Tuple:
		b = append(b, '(')
		for i, e := range s.Elements {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = m.appendShape(b, e, layout)
		}
		return append(b, ')')
	case Buffer:
		b = m.appendShape(append(b, "b("...), s.Elements[0], layout)
		return append(b, ')')
	}
	b = s.appendDims(append(b, s.Type.String()...))
	switch {
	case !layout || s.Layout == "" && len(s.Dims) == 0:
		return b
	case s.Layout == "":
		b = appendDefaultOrder(append(b, '{'), len(s.Dims))
	default:
		b = append(append(b, '{'), s.Layout...)
	}
	return append(b, '}')
}

func (s *Shape) appendDims(b []byte) []byte {
	b = append(b, '[')
	for i, d := range s.Dims {
		if i > 0 {
			b = append(b, ',')
		}
		if i < 64 && s.Dynamic&(1<<i) != 0 {
			b = append(b, "<="...)
		}
		if d == Unbounded {
			b = append(b, '?')
		} else {
			b = strconv.AppendInt(b, d, 10)
		}
	}
	return append(b, ']')
}

// appendDefaultOrder prints the order of the dimensions in the default layout: "2,1,0".
func appendDefaultOrder(b []byte, rank int) []byte {
	for i := rank - 1; i >= 0; i-- {
		b = strconv.AppendInt(b, int64(i), 10)
		if i > 0 {
			b = append(b, ',')
		}
	}
	return b
}

// ElementCount returns the number of elements of an array shape. A bounded dimension counts as its bound, a shape with an unbounded dimension as empty.
func (s *Shape) ElementCount() int64 {
	n := int64(1)
	for _, d := range s.Dims {
		if d == Unbounded || d == 0 {
			return 0
		}
		n *= d
	}
	return n
}

// ShapeBytes returns the number of data bytes of a shape, all elements of a tuple together, without tuple tables and tiling.
func (m *Module) ShapeBytes(id ShapeID) int64 { return m.Shape(id).bytes }

// DimensionOrder returns the order of the dimensions of a module's shape in memory, minor to major. It must not be changed.
func (s *Shape) DimensionOrder() []int64 { return s.order }

func (s *Shape) dimensionOrder() []int64 {
	if order, _, _ := strings.Cut(s.Layout, ":"); order != "" {
		return Ints(order)
	}
	order := make([]int64, len(s.Dims))
	for i := range order {
		order[i] = int64(len(order) - 1 - i)
	}
	return order
}

// TypeNames returns the spellings of the types that an array can have, sorted.
func TypeNames() []string {
	var names []string
	for t, name := range typeNames {
		if name != "" && Type(t).Bytes() > 0 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// ShapeText is a shape as HLO prints it, without layout: "f32[8,64]", "(f32[8], s32[])".
type ShapeText string

// Type returns the element type; of a tuple, that of its first array.
func (s ShapeText) Type() string {
	dtype, _, _ := strings.Cut(strings.TrimLeft(string(s), "("), "[")
	return dtype
}

// Dims returns the sizes of an array's dimensions as they are printed: "8" and "<=64" of f32[8,<=64].
func (s ShapeText) Dims() []string {
	_, dims, ok := strings.Cut(string(s), "[")
	if dims = strings.TrimSuffix(dims, "]"); !ok || dims == "" {
		return nil
	}
	return strings.Split(dims, ",")
}

// SameDims reports whether two arrays differ in nothing but their types.
func (s ShapeText) SameDims(t ShapeText) bool {
	return s[strings.IndexByte(string(s), '[')+1:] == t[strings.IndexByte(string(t), '[')+1:]
}

// SameRank reports whether two arrays differ in nothing but the sizes of their dimensions.
func (s ShapeText) SameRank(t ShapeText) bool {
	return s.Type() == t.Type() && len(s.Dims()) == len(t.Dims())
}

// Elements returns the shapes in a tuple. Any other shape is its own element.
func (s ShapeText) Elements() []string {
	if !strings.HasPrefix(string(s), "(") {
		return []string{string(s)}
	}
	var list []string
	depth, start := 0, 1
	for i := range len(s) {
		switch s[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		}
		if depth == 1 && s[i] == ',' || depth == 0 {
			list = append(list, strings.TrimSpace(string(s[start:i])))
			start = i + 1
		}
	}
	return list
}
