package hlo

import (
	"slices"
	"strings"
)

// XLA prints a literal of more than maxLiteral elements as elided.
const (
	elided     = "{...}"
	maxLiteral = 10
	// maxEmptyRows bounds the print of a literal without elements, such as f32[1000000,0].
	maxEmptyRows = 1000
)

// Literal returns a constant's value as XLA prints it: "1", "{1, 2}", and "{...}" for more than ten elements, whether or not the source
// holds them all. It returns "" for any other instruction.
func (m *Module) Literal(i InstrID) string {
	switch {
	case m.Instrs[i].Opcode != OpConstant:
		return ""
	case m.Format == FormatProto:
		return m.protoLiteral(i)
	}
	return m.textLiteral(i)
}

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

// decodeLiteral prints a LiteralProto and its shape. It does not read the values of a literal that is elided.
func decodeLiteral(src []byte, body Range) (text, shape string) {
	scratch := Module{src: src, shapes: shapeTable{list: make([]Shape, 0, 1)}}
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

// literalPrinter prints values in logical order that are stored in the order of their layout.
type literalPrinter struct {
	shape        *Shape
	values       []string
	minorToMajor []int64
}

// print prints the elements whose index begins with index.
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

// offset returns the position of an element in the stored values.
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

// appendLiteral prints a LiteralProto behind its shape, a tuple as ( s32[] 1, f32[2]{0} {1, 2} ).
func appendLiteral(b, src []byte, body Range, depth int) []byte {
	values, shape := decodeLiteral(src, body)
	if !strings.HasPrefix(shape, "(") || depth > maxNesting {
		return append(append(append(b, shape...), ' '), values...)
	}
	b = append(b, '(', ' ')
	first := true
	for f := fieldsOf(src, body); f.next(); {
		if f.tag != 10<<3|wireBytes { // tuple_literals
			continue
		}
		if !first {
			b = append(b, ',', ' ')
		}
		b, first = appendLiteral(b, src, f.body, depth+1), false
	}
	return append(b, ' ', ')')
}

func (m *Module) textLiteral(i InstrID) string {
	in := &m.Instrs[i]
	open, shape := int(in.args)-1, m.Shape(in.Shape)
	t := text(m.src[:text(m.src).balanced(open)-1])
	start := t.blanks(open + 1)
	if shape.Type == Tuple || t.at(start, '{') && (shape.ElementCount() > maxLiteral || t.at(t.blanks(start+1), '.')) {
		return elided
	}
	var b strings.Builder
	t.writeLiteral(&b, start, len(shape.Dims))
	return b.String()
}

// writeLiteral spells a literal of so many dimensions as XLA does, on one line and without comments: `1`, `{1, 2}`,
// `{ { 1, 2 }, { 3, 4 } }`, `{ {0}, {5} }`.
func (t text) writeLiteral(b *strings.Builder, i, rank int) {
	if !t.at(i, '{') {
		b.WriteString(t.scalar(i, len(t)))
		return
	}
	t.writeList(b, i, rank, rank == 1)
}

// writeList spells one list and returns the offset behind it. XLA prints blanks inside the braces, but not of a vector and not of a row of
// one element or none.
func (t text) writeList(b *strings.Builder, i, rank int, vector bool) int {
	var elements []string
	end := t.blanks(i + 1)
	for end < len(t) && !t.at(end, '}') {
		var element strings.Builder
		start := end
		if t.at(start, '{') {
			end = t.writeList(&element, start, rank-1, false)
		} else {
			end = t.value(start)
			element.WriteString(t.scalar(start, end))
		}
		elements = append(elements, element.String())
		if end = t.blanks(end); t.at(end, ',') || end == start {
			end = t.blanks(end + 1)
		}
	}
	blank := " "
	if vector || rank <= 1 && len(elements) <= 1 {
		blank = ""
	}
	b.WriteString("{" + blank + strings.Join(elements, ", ") + blank + "}")
	return end + 1
}

// spelledLiteral spells a literal and the shape before it as XLA does: `s32[] 1`, `( s32[] 1, f32[2]{0} {1, 2} )`.
func spelledLiteral(value []byte) []byte {
	p, spelled := newTextParser(value, ""), []byte(nil)
	if caught(func() { spelled, _ = p.literal(nil, p.t.blanks(0)) }) != nil {
		return value
	}
	return spelled
}

// literal spells the literal at i and returns the offset behind it.
func (p *textParser) literal(b []byte, i int) ([]byte, int) {
	if p.t.at(i, '(') {
		return p.tupleLiteral(b, i)
	}
	id, i := p.shape(i)
	end, shape := p.t.value(i), p.m.Shape(id)
	b = append(append(b, p.m.ShapeLayoutText(id)...), ' ')
	if shape.ElementCount() > maxLiteral {
		return append(b, elided...), end
	}
	var values strings.Builder
	p.t[:end].writeLiteral(&values, i, len(shape.Dims))
	return append(b, values.String()...), end
}

func (p *textParser) tupleLiteral(b []byte, i int) ([]byte, int) {
	p.nest(i)
	b = append(b, '(', ' ')
	for i = p.t.blanks(i + 1); i < len(p.t) && !p.t.at(i, ')'); {
		b, i = p.literal(b, i)
		if i = p.t.blanks(i); p.t.at(i, ',') {
			b, i = append(b, ',', ' '), p.t.blanks(i+1)
		}
	}
	p.nesting--
	return append(b, ' ', ')'), i + 1
}

// scalar spells a number, a pair of numbers or a word, with single blanks.
func (t text) scalar(i, end int) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(string(t[i:end]), ",", ", ")), " ")
}
