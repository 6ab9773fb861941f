package hlo

import "strings"

func (m *Module) textLiteral(i InstrID) string {
	in := &m.Instrs[i]
	open, shape := int(in.args)-1, m.Shape(in.Shape)
	t := text(m.src[:text(m.src).balanced(open)-1])
	start := t.blanks(open + 1)
	if t.at(start, '{') && (shape.ElementCount() > maxLiteral || t.at(t.blanks(start+1), '.')) {
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

// scalar is a number, a pair of numbers or a word, with one blank where there were several.
func (t text) scalar(i, end int) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(string(t[i:end]), ",", ", ")), " ")
}
