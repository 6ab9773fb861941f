package hlo

import (
	"math"
	"strconv"
)

// shape interns a ShapeProto; most are found by their bytes.
func (r *protoReader) shape(body Range) ShapeID {
	s := text(r.src).spelling(int(body.Start), int(body.End))
	if id := r.shapes.find(r.src, s); id >= 0 {
		return ShapeID(id)
	}
	d := shapeDecoder{src: r.src, table: &r.m.shapes}
	id, ok := d.decode(body, 0)
	if !ok {
		r.fail(body.Start, "a shape is damaged")
	}
	r.shapes.add(r.src, s, int32(id))
	return id
}

// shapeDecoder turns ShapeProto messages into shapes of a table.
type shapeDecoder struct {
	src   []byte
	table *shapeTable
}

const maxShapeDepth = 64 // of tuples in tuples; real ones have three or four

func (d *shapeDecoder) decode(body Range, depth int) (ShapeID, bool) {
	var s Shape
	ok := depth < maxShapeDepth
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
			s.Dynamic = dynamicBits(&f)
		}
	}
	if !ok || f.broken != whole || !s.isSound() {
		return 0, false
	}
	s.markUnbounded()
	return d.table.add(s), true
}

// isSound tells whether a shape has what its type needs and nothing else.
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

func dynamicBits(f *fields) (bits uint64) {
	for i, v := range appendNumbers(nil, f) {
		if v != 0 && i < 64 {
			bits |= 1 << i
		}
	}
	return bits
}

// markUnbounded clears the dynamic bit of the dimensions that have no bound: they are printed as `?` alone.
func (s *Shape) markUnbounded() {
	for i, d := range s.Dims {
		if d == Unbounded && i < 64 {
			s.Dynamic &^= 1 << i
		}
	}
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
	for i, n := range numbers {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, n, 10)
	}
	return b
}
