package hlo

import "slices"

// elided is how XLA prints a literal of more than maxLiteral elements.
const (
	elided     = "{...}"
	maxLiteral = 10
	// maxEmptyRows bounds what is printed of a literal without elements, such as f32[1000000,0].
	maxEmptyRows = 1000
)

// protoLiteral prints a constant's LiteralProto; see [Module.Literal].
func (m *Module) protoLiteral(i InstrID) string {
	for f := fieldsOf(m.src, m.Instrs[i].message()); f.next(); {
		if f.tag == 8<<3|wireBytes { // literal
			text, _ := decodeLiteral(m.src, f.body)
			return text
		}
	}
	return elided
}

// decodeLiteral prints a LiteralProto and its shape. The values of a literal that is not printed are not looked at.
func decodeLiteral(src []byte, body Range) (text, shape string) {
	scratch := Module{src: src}
	d := shapeDecoder{src: src, table: &scratch.shapes}
	id, known := ShapeID(0), false
	for f := fieldsOf(src, body); f.next(); {
		if f.tag == 1<<3|wireBytes { // shape
			id, known = d.decode(f.body, 0)
		}
	}
	if !known {
		return elided, ""
	}
	s := scratch.Shape(id)
	shape = scratch.ShapeLayoutText(id)
	if s.Type == Tuple || s.ElementCount() > maxLiteral || slices.Max(append(s.Dims, 0)) > maxEmptyRows {
		return elided, shape
	}
	values := literalValues(src, body, s)
	if int64(len(values)) != s.ElementCount() {
		return elided, shape
	}
	p := literalPrinter{shape: s, values: values, minorToMajor: s.DimensionOrder()}
	return string(p.print(nil, nil)), shape
}

// literalPrinter prints values that are stored in the order of their layout in logical order.
type literalPrinter struct {
	shape        *Shape
	values       []string
	minorToMajor []int64
}

// print prints the part of the literal that an index selects.
func (p *literalPrinter) print(b []byte, index []int64) []byte {
	depth, rank := len(index), len(p.shape.Dims)
	if depth == rank {
		return append(b, p.values[p.offset(index)]...)
	}
	size := p.shape.Dims[depth]
	space := " "
	if rank == 1 || depth == rank-1 && size <= 1 {
		space = ""
	}
	b = append(append(b, '{'), space...)
	for i := range size {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = p.print(b, append(index, i))
	}
	return append(append(b, space...), '}')
}

// offset is where the element of an index is stored.
func (p *literalPrinter) offset(index []int64) int64 {
	at, stride := int64(0), int64(1)
	for _, d := range p.minorToMajor {
		if 0 <= d && d < int64(len(index)) {
			at += index[d] * stride
			stride *= p.shape.Dims[d]
		}
	}
	return at
}
