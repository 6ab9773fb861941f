package hlo

import (
	"math"
	"strconv"
)

// shape interns a ShapeProto. It decodes equal bytes only once. Half of the time they are those of the last one.
func (r *protoReader) shape(body Range) ShapeID {
	s := spelling{at: body.Start, n: uint32(body.Len())}
	if s.n == r.last.n && s.n > 0 && text(r.src).same(&r.last, s) {
		return ShapeID(r.last.value)
	}
	s = text(r.src).spelling(int(body.Start), int(body.End))
	if id := r.shapes.find(r.src, s); id >= 0 {
		r.last = spellingSlot{s, id}
		return ShapeID(id)
	}
	d := shapeDecoder{src: r.src, table: &r.m.shapes}
	id, ok := d.decode(body, 0)
	switch {
	case d.tooLarge:
		r.fail(body.Start, shapeTooLarge)
	case !ok:
		r.fail(body.Start, "a shape is damaged")
	}
	r.shapes.add(r.src, s, int32(id))
	return id
}

// shapeDecoder turns ShapeProto messages into shapes of a table.
type shapeDecoder struct {
	src      []byte
	table    *shapeTable
	tooLarge bool // the size of a shape overflows
}

// maxShapeDepth bounds the nesting of tuples; those of real modules are nested three or four deep.
const maxShapeDepth = 64

// decode interns a ShapeProto. It returns false when that is damaged or too large.
func (d *shapeDecoder) decode(body Range, depth int) (id ShapeID, ok bool) {
	var s Shape
	ok = depth < maxShapeDepth
	f := fieldsOf(d.src, body)
	for ok && f.next() {
		switch f.tag {
		case 2<<3 | wireVarint: // element_type
			s.Type = Type(min(f.value, math.MaxUint8))
		case 3<<3 | wireBytes, 3<<3 | wireVarint: // dimensions
			s.Dims = appendNumbers(s.Dims, &f)
		case 4<<3 | wireBytes: // tuple_shapes
			var e ShapeID
			e, ok = d.decode(f.body, depth+1)
			s.Elements = append(s.Elements, e)
		case 5<<3 | wireBytes: // layout
			s.Layout, ok = d.layout(f.body)
		case 6<<3 | wireBytes, 6<<3 | wireVarint: // is_dynamic_dimension
			s.Dynamic = 0
			for i, v := range appendNumbers(nil, &f) {
				if v != 0 && i < 64 {
					s.Dynamic |= 1 << i
				}
			}
		}
	}
	if !ok || f.broken != whole || !s.isSound() {
		return 0, false
	}
	for i, size := range s.Dims {
		if size == Unbounded && i < 64 {
			s.Dynamic &^= 1 << i // it is printed as `?` alone
		}
	}
	id, ok = d.table.add(s)
	d.tooLarge = d.tooLarge || !ok
	return id, ok
}

// isSound reports whether a shape has the fields that its type needs and no others.
func (s *Shape) isSound() bool {
	for _, d := range s.Dims {
		if d < 0 && d != Unbounded {
			return false
		}
	}
	switch s.Type {
	case TypeInvalid:
		return false
	case Tuple:
		return len(s.Dims) == 0
	case Buffer:
		return len(s.Dims) == 0 && len(s.Elements) == 1
	}
	return len(s.Elements) == 0
}

// appendNumbers appends the numbers of a repeated varint field.
func appendNumbers(to []int64, f *fields) []int64 {
	p := fieldsOf(f.src, f.body)
	for p.more() {
		to = append(to, int64(p.varint()))
	}
	f.broken = p.broken
	return to
}

// appendList prints numbers with commas.
func appendList(b []byte, numbers []int64) []byte {
	return appendEach(b, numbers, ",", func(b []byte, n int64) []byte { return strconv.AppendInt(b, n, 10) })
}

// layout prints the text in the braces of a LayoutProto: "1,0:T(8,128)S(1)". It returns false when the message is damaged.
func (d *shapeDecoder) layout(body Range) (layout string, ok bool) {
	damage := whole
	l := messageOf(d.src, body, &damage)
	b := appendList(nil, l.list(1)) // minor_to_major
	colon := len(b)
	b = append(b, ':')
	for i, tile := range l.bodies(6) { // tiles
		if i == 0 {
			b = append(b, 'T')
		}
		b = d.appendTile(b, tile)
	}
	if alignment := uint64(l.number(16)); alignment > 1 { // tail_padding_alignment_in_elements
		b = appendNumber(b, "L", alignment)
	}
	b = appendType(b, "#", uint64(l.number(11)))  // index_primitive_type
	b = appendType(b, "*", uint64(l.number(12)))  // pointer_primitive_type
	b = appendNumber(b, "E", uint64(l.number(7))) // element_size_in_bits
	b = appendNumber(b, "S", uint64(l.number(8))) // memory_space
	for i, split := range l.bodies(17) {          // split_configs
		if i == 0 {
			b = append(b, "SC"...)
		}
		b = d.appendSplit(b, split)
	}
	b = appendNumber(b, "M", uint64(l.number(15))) // dynamic_shape_metadata_prefix_bytes
	if len(b) == colon+1 {
		b = b[:colon]
	}
	return string(b), damage == whole
}

// appendTile prints a TileProto: its dimensions, and `*` for one that is combined with the next.
func (d *shapeDecoder) appendTile(b []byte, tile Range) []byte {
	b = append(b, '(')
	for f := fieldsOf(d.src, tile); f.next(); {
		if f.tag != 1<<3|wireBytes {
			continue
		}
		b = appendEach(b, appendNumbers(nil, &f), ",", func(b []byte, n int64) []byte {
			if n == math.MinInt64 {
				return append(b, '*')
			}
			return strconv.AppendInt(b, n, 10)
		})
	}
	return append(b, ')')
}

// appendSplit prints a SplitConfigProto: "(0:4,8)".
func (d *shapeDecoder) appendSplit(b []byte, body Range) []byte {
	damage := whole
	split := messageOf(d.src, body, &damage) // dimension, split_indices
	b = strconv.AppendInt(append(b, '('), split.number(1), 10)
	b = appendList(append(b, ':'), split.list(2))
	return append(b, ')')
}

func appendNumber(b []byte, name string, n uint64) []byte {
	if n == 0 {
		return b
	}
	b = append(append(b, name...), '(')
	return append(strconv.AppendUint(b, n, 10), ')')
}

func appendType(b []byte, name string, t uint64) []byte {
	if t == 0 {
		return b
	}
	b = append(append(b, name...), '(')
	return append(append(b, Type(min(t, math.MaxUint8)).String()...), ')')
}
