package hlo

import (
	"slices"
	"strconv"
	"strings"
)

// Type is an XLA primitive type; the numbers are those of PrimitiveType in xla_data.proto.
type Type uint8

// The primitive types that facts ask for by name.
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

// typeNames spells the primitive types by their number in xla_data.proto (libtpu 0.0.51).
var typeNames = [...]string{
	1: "pred", "s8", "s16", "s32", "s64", "u8", "u16", "u32", "u64", "f16", "f32", "f64", "tuple", "opaque", "c64", "bf16",
	"token", "c128", "f8e5m2", "f8e4m3fn", "s4", "u4", "f8e4m3b11fnuz", "f8e5m2fnuz", "f8e4m3fnuz", "s2", "u2", "f8e4m3",
	"f8e3m4", "s1", "u1", "f4e2m1fn", "f8e8m0fnu", "b", "f6e3m2fn", "f6e2m3fn",
}

// typeBytes is the size of one element in a buffer; sub-byte types take a byte unless the layout packs them (E(n)).
var typeBytes = [...]uint8{
	1: 1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8, 0, 0, 8, 2,
	0, 16, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 0, 1, 1,
}

// String is the type's spelling in HLO text.
func (t Type) String() string {
	if int(t) < len(typeNames) && typeNames[t] != "" {
		return typeNames[t]
	}
	return "type" + strconv.Itoa(int(t))
}

// Bytes is the size of one element, 0 for tuple, token and opaque.
func (t Type) Bytes() int64 {
	if int(t) < len(typeBytes) {
		return int64(typeBytes[t])
	}
	return 0
}

// Unbounded is the size of a dimension that is printed as `?`.
const Unbounded = int64(-1 << 63)

// Shape is an interned array, tuple or token shape.
type Shape struct {
	Type     Type
	Dims     []int64   // an array's dimensions, major to minor as printed; Unbounded for `?`
	Dynamic  uint64    // bit i: dimension i is bounded (`<=n`), not exact
	Elements []ShapeID // a tuple's elements
	// Layout is what stands in the braces behind an array shape, as XLA prints it: "1,0:T(8,128)S(1)". "" means the
	// default layout (descending) and is also what a printed default layout without properties reads as.
	Layout string
}

// shapeTable interns the shapes of one module.
type shapeTable struct {
	list  []Shape
	byKey map[string]ShapeID // by the printed form or the serialized ShapeProto
}

// Shape returns an interned shape.
func (m *Module) Shape(id ShapeID) *Shape { return &m.shapes.list[id] }

// ShapeIDs is the number behind the last ShapeID.
func (m *Module) ShapeIDs() int { return len(m.shapes.list) }

// ShapeText is the shape as XLA prints it without layout: "f32[8,64]", "(f32[2], s32[])".
func (m *Module) ShapeText(id ShapeID) string {
	var b strings.Builder
	m.writeShape(&b, id, false)
	return b.String()
}

// ShapeLayoutText is the shape with its layout: "f32[8,64]{1,0}".
func (m *Module) ShapeLayoutText(id ShapeID) string {
	var b strings.Builder
	m.writeShape(&b, id, true)
	return b.String()
}

func (m *Module) writeShape(b *strings.Builder, id ShapeID, layout bool) {
	s := m.Shape(id)
	switch s.Type {
	case Tuple:
		b.WriteByte('(')
		for i, e := range s.Elements {
			if i > 0 {
				b.WriteString(", ")
			}
			m.writeShape(b, e, layout)
		}
		b.WriteByte(')')
		return
	case Buffer:
		b.WriteString("b(")
		m.writeShape(b, s.Elements[0], layout)
		b.WriteByte(')')
		return
	}
	b.WriteString(s.Type.String())
	s.writeDims(b)
	if layout && (s.Layout != "" || len(s.Dims) > 0) {
		b.WriteByte('{')
		b.WriteString(s.layoutOrDefault())
		b.WriteByte('}')
	}
}

func (s *Shape) writeDims(b *strings.Builder) {
	b.WriteByte('[')
	for i, d := range s.Dims {
		if i > 0 {
			b.WriteByte(',')
		}
		if i < 64 && s.Dynamic&(1<<i) != 0 {
			b.WriteString("<=")
		}
		if d == Unbounded {
			b.WriteByte('?')
			continue
		}
		b.WriteString(strconv.FormatInt(d, 10))
	}
	b.WriteByte(']')
}

func (s *Shape) layoutOrDefault() string {
	if s.Layout != "" {
		return s.Layout
	}
	var b strings.Builder
	for i := len(s.Dims) - 1; i >= 0; i-- {
		b.WriteString(strconv.Itoa(i))
		if i > 0 {
			b.WriteByte(',')
		}
	}
	return b.String()
}

// ElementCount is the number of elements of an array shape; a bounded dimension counts as its bound.
func (s *Shape) ElementCount() int64 {
	n := int64(1)
	for _, d := range s.Dims {
		if d == Unbounded {
			return 0
		}
		n *= d
	}
	return n
}

// ShapeBytes is the number of data bytes: the sum over all leaves, without tuple tables and without tiling.
func (m *Module) ShapeBytes(id ShapeID) int64 {
	s := m.Shape(id)
	if len(s.Elements) == 0 {
		return s.ElementCount() * s.Type.Bytes()
	}
	var n int64
	for _, e := range s.Elements {
		n += m.ShapeBytes(e)
	}
	return n
}

// DimensionOrder is the order of the dimensions in memory.
func (s *Shape) DimensionOrder() []int64 {
	if order, _, _ := strings.Cut(s.Layout, ":"); order != "" {
		return Ints(order)
	}
	order := make([]int64, len(s.Dims))
	for i := range order {
		order[i] = int64(len(order) - 1 - i)
	}
	return order
}

// TypeNames lists the spellings of the types that an array can have, in order.
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

// lookup finds a shape by the exact bytes it was spelled with: printed text or a serialized ShapeProto.
func (t *shapeTable) lookup(spelling []byte) (ShapeID, bool) {
	id, ok := t.byKey[string(spelling)]
	return id, ok
}

// remember makes lookup find id under one more spelling. A text and a serialized proto never collide: a module is read from
// one of them.
func (t *shapeTable) remember(spelling []byte, id ShapeID) {
	if t.byKey == nil {
		t.byKey = make(map[string]ShapeID)
	}
	t.byKey[string(spelling)] = id
}

// add interns a shape by value: equal shapes get one id. A layout that says no more than the default becomes "".
func (t *shapeTable) add(s Shape) ShapeID {
	if s.hasDefaultLayout() {
		s.Layout = ""
	}
	key := s.appendKey(make([]byte, 0, 64))
	if id, ok := t.lookup(key); ok {
		return id
	}
	id := ShapeID(len(t.list))
	t.list = append(t.list, s)
	t.remember(key, id)
	return id
}

// appendKey spells a shape's value; the # before an element's id keeps it apart from every printed spelling.
func (s *Shape) appendKey(key []byte) []byte {
	key = append(key, '#')
	key = strconv.AppendUint(key, uint64(s.Type), 10)
	for _, e := range s.Elements {
		key = append(key, '#')
		key = strconv.AppendInt(key, int64(e), 10)
	}
	for i, d := range s.Dims {
		key = append(key, ',')
		if i < 64 && s.Dynamic&(1<<i) != 0 {
			key = append(key, '<')
		}
		key = strconv.AppendInt(key, d, 10)
	}
	key = append(key, '{')
	return append(key, s.Layout...)
}

// hasDefaultLayout tells whether the layout is spelled out but descending and without properties.
func (s *Shape) hasDefaultLayout() bool {
	return s.Layout != "" && s.Layout == (&Shape{Dims: s.Dims}).layoutOrDefault()
}
