package hlo

import "strings"

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

// writeList spells one list and returns the offset behind it. Blanks stand inside the braces of all but the list of a vector and
// a row of one element or none.
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

// spelledLiteral spells a literal that stands behind its shape as XLA does: `s32[] 1`, `( s32[] 1, f32[2]{0} {1, 2} )`.
func spelledLiteral(value []byte) []byte {
	p, spelled := newTextParser(value, ""), []byte(nil)
	if caught(func() { spelled, _ = p.literal(nil, p.t.blanks(0)) }) != nil {
		return value
	}
	return spelled
}

// literal spells the one at i, and returns where it ends.
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

// scalar is a number, a pair of numbers or a word, with one blank where there were several.
func (t text) scalar(i, end int) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(string(t[i:end]), ",", ", ")), " ")
}
