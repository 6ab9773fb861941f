package hlo

import (
	"math"
	"strconv"
)

// shape interns a ShapeProto. It decodes equal bytes only once.
func (r *protoReader) shape(body Range) ShapeID {
	s := text(r.src).spelling(int(body.Start), int(body.End))
	if id := r.shapes.find(r.src, s); id >= 0 {
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
			s.Dynamic = dynamicBits(&f)
		}
	}
	if !ok || f.broken != whole || !s.isSound() {
		return 0, false
	}
	s.markUnbounded()
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

func dynamicBits(f *fields) (bits uint64) {
	for i, v := range appendNumbers(nil, f) {
		if v != 0 && i < 64 {
			bits |= 1 << i
		}
	}
	return bits
}

// markUnbounded clears the dynamic bits of unbounded dimensions, which are printed as `?` alone.
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

// layoutFields holds the fields of a LayoutProto in the order in which XLA prints them.
type layoutFields struct {
	minorToMajor                 []int64
	levels, unique, ordered      []int64
	tiles, splits                []Range
	physical                     Range
	alignment, index, pointer    uint64
	elementBits, memory, dynamic uint64
}

func (d *shapeDecoder) layout(body Range) (string, bool) {
	l := layoutFields{alignment: 1}
	f := fieldsOf(d.src, body)
	for f.next() {
		l.field(&f)
	}
	if f.broken != whole {
		return "", false
	}
	return d.layoutText(&l), true
}

func (l *layoutFields) field(f *fields) {
	switch f.tag {
	case 1<<3 | wireBytes, 1<<3 | wireVarint: // minor_to_major
		l.minorToMajor = appendNumbers(l.minorToMajor, f)
	case 6<<3 | wireBytes: // tiles
		l.tiles = append(l.tiles, f.body)
	case 7<<3 | wireVarint: // element_size_in_bits
		l.elementBits = f.value
	case 8<<3 | wireVarint: // memory_space
		l.memory = f.value
	case 9<<3 | wireBytes, 9<<3 | wireVarint: // dim_level_types
		l.levels = appendNumbers(l.levels, f)
	case 10<<3 | wireBytes: // physical_shape
		l.physical = f.body
	case 11<<3 | wireVarint: // index_primitive_type
		l.index = f.value
	case 12<<3 | wireVarint: // pointer_primitive_type
		l.pointer = f.value
	case 13<<3 | wireBytes: // dim_unique
		l.unique = appendNumbers(l.unique, f)
	case 14<<3 | wireBytes: // dim_ordered
		l.ordered = appendNumbers(l.ordered, f)
	case 15<<3 | wireVarint: // dynamic_shape_metadata_prefix_bytes
		l.dynamic = f.value
	case 16<<3 | wireVarint: // tail_padding_alignment_in_elements
		l.alignment = f.value
	case 17<<3 | wireBytes: // split_configs
		l.splits = append(l.splits, f.body)
	}
}

// layoutText prints the text in the braces: "1,0:T(8,128)S(1)".
func (d *shapeDecoder) layoutText(l *layoutFields) string {
	b := appendList(nil, l.minorToMajor)
	colon := len(b)
	b = append(b, ':')
	b = l.appendLevels(b)
	if len(l.tiles) > 0 {
		b = append(b, 'T')
	}
	for _, t := range l.tiles {
		b = d.appendTile(b, t)
	}
	if l.alignment > 1 {
		b = appendNumber(b, "L", l.alignment)
	}
	b = appendType(b, "#", l.index)
	b = appendType(b, "*", l.pointer)
	b = appendNumber(b, "E", l.elementBits)
	b = appendNumber(b, "S", l.memory)
	if len(l.splits) > 0 {
		b = append(b, "SC"...)
	}
	for _, s := range l.splits {
		b = d.appendSplit(b, s)
	}
	if l.physical.Len() > 0 {
		b = append(b, "P(...)"...)
	}
	b = appendNumber(b, "M", l.dynamic)
	if len(b) == colon+1 {
		b = b[:colon]
	}
	return string(b)
}

// appendLevels prints the level types of a sparse array, and nothing for a dense one.
func (l *layoutFields) appendLevels(b []byte) []byte {
	sparse := false
	for _, level := range l.levels {
		sparse = sparse || level != 0
	}
	if !sparse {
		return b
	}
	b = append(b, "D("...)
	for i, level := range l.levels {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, "DCSH?"[min(uint64(level), 4)])
		if i < len(l.unique) && l.unique[i] == 0 {
			b = append(b, '+')
		}
		if i < len(l.ordered) && l.ordered[i] == 0 {
			b = append(b, '~')
		}
	}
	return append(b, ')')
}

// appendTile prints a TileProto: its dimensions, and `*` for one that is combined with the next.
func (d *shapeDecoder) appendTile(b []byte, tile Range) []byte {
	b = append(b, '(')
	for f := fieldsOf(d.src, tile); f.next(); {
		if f.tag != 1<<3|wireBytes {
			continue
		}
		for i, n := range appendNumbers(nil, &f) {
			if i > 0 {
				b = append(b, ',')
			}
			if n == math.MinInt64 {
				b = append(b, '*')
				continue
			}
			b = strconv.AppendInt(b, n, 10)
		}
	}
	return append(b, ')')
}

// appendSplit prints a SplitConfigProto: "(0:4,8)".
func (d *shapeDecoder) appendSplit(b []byte, split Range) []byte {
	var dimension uint64
	var indices []int64
	for f := fieldsOf(d.src, split); f.next(); {
		switch f.tag {
		case 1<<3 | wireVarint: // dimension
			dimension = f.value
		case 2<<3 | wireBytes: // split_indices
			indices = appendNumbers(indices, &f)
		}
	}
	b = append(b, '(')
	b = strconv.AppendUint(b, dimension, 10)
	b = append(b, ':')
	b = appendList(b, indices)
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
