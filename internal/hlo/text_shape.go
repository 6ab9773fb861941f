package hlo

import (
	"bytes"
	"strconv"
	"strings"
)

// typeByName holds the types of arrays by their spelling.
var typeByName = func() map[string]Type {
	byName := make(map[string]Type, len(typeNames))
	for t, name := range typeNames {
		if t := Type(t); name != "" && t != Tuple && t != Buffer {
			byName[name] = t
		}
	}
	return byName
}()

// shape skips a shape. It returns i when there is none at i.
func (t text) shape(i int) int {
	if t.at(i, '(') {
		return t.balanced(i)
	}
	end := t.ident(i)
	switch {
	case end == i:
		return i
	case t.at(end, '['):
		return t.layout(t.balanced(end))
	case end == i+1 && t[i] == 'b' && t.at(end, '('):
		return t.balanced(end)
	}
	return i
}

// layout skips a layout: braces that begin with a dimension or a colon, or are empty behind a scalar.
func (t text) layout(i int) int {
	open := i
	for t.is(open, classBlank) {
		open++
	}
	if !t.at(open, '{') {
		return i
	}
	first := t.blanks(open + 1)
	if t.at(first, ':') || first < len(t) && '0' <= t[first] && t[first] <= '9' {
		return t.balanced(open)
	}
	if open == i && t.at(first, '}') {
		return first + 1
	}
	return i
}

// shape reads a shape and the blanks behind it. It parses every spelling only once.
func (p *textParser) shape(i int) (ShapeID, int) {
	head, rest, n := p.t.upTo(i, '!') // to the first blank
	end := i + int(n)
	id := p.shapes.findShort(head, rest, n)
	if n == 0 {
		id, end = p.longShape(i)
	}
	if id >= 0 && p.t.at(end, ' ') && p.t.is(end+1, classIdent|classPercent) {
		return ShapeID(id), end + 1
	}
	shape, end := p.newShape(p.t.blanks(i))
	return shape, p.t.blanks(end)
}

// longShape finds a shape whose spelling is longer than a short one. Half of the time it is the last such shape.
func (p *textParser) longShape(i int) (id int32, end int) {
	if last := p.long; last.n > 0 && i+int(last.n) < len(p.t) && p.t[i+int(last.n)] == ' ' && p.t.same(&last, spelling{at: uint32(i), n: last.n}) {
		return last.value, i + int(last.n)
	}
	const longest = 64
	if end = i + bytes.IndexByte(p.t[i:min(i+longest, len(p.t))], ' '); end <= i+shortSpelling {
		return -1, i
	}
	s := p.t.spelling(i, end)
	if id = p.shapes.find(p.t, s); id >= 0 {
		p.long = spellingSlot{s, id}
	}
	return id, end
}

func (p *textParser) newShape(i int) (ShapeID, int) {
	end := p.t.shape(i)
	if end == i || end >= len(p.t) {
		p.fail(i, end, "expected a shape")
	}
	s := p.t.spelling(i, end)
	id := p.shapes.find(p.t, s)
	if id < 0 {
		id = int32(p.parseShape(i, end))
		p.shapes.add(p.t, s, id)
	}
	return ShapeID(id), end
}

func (p *textParser) parseShape(i, end int) ShapeID {
	p.nest(i)
	defer func() { p.nesting-- }()
	var s Shape
	switch {
	case p.t[i] == '(':
		s = Shape{Type: Tuple, Elements: p.elements(i+1, end-1)}
	case p.t[i] == 'b' && p.t[i+1] == '(':
		s = Shape{Type: Buffer, Elements: p.elements(i+2, end-1)}
		if len(s.Elements) != 1 {
			p.fail(i, i, "expected one shape in b()")
		}
	default:
		s = p.array(i, end)
	}
	id, ok := p.m.shapes.add(s)
	if !ok {
		p.fail(i, end, shapeTooLarge)
	}
	return id
}

// elements reads the shapes between i and end.
func (p *textParser) elements(i, end int) []ShapeID {
	var elements []ShapeID
	for i = p.t.blanks(i); i < end; {
		id, next := p.shape(i)
		elements = append(elements, id)
		if i = next; i < end && !p.t.at(i, ',') {
			p.fail(i, i, "expected , or ) in a tuple shape")
		}
		i = p.t.blanks(i + 1)
	}
	return elements
}

// array reads f32[8,<=64]{1,0:T(8,128)}.
func (p *textParser) array(i, end int) Shape {
	open := p.t.ident(i)
	primitive, ok := typeByName[string(p.t[i:open])]
	if !ok {
		p.fail(i, open, "%s is not a type that this version knows", p.t[i:open])
	}
	s := Shape{Type: primitive}
	i = p.t.blanks(open + 1)
	for !p.t.at(i, ']') {
		i = p.dimension(i, &s)
		if i = p.t.blanks(i); p.t.at(i, ',') {
			i = p.t.blanks(i + 1)
		} else if !p.t.at(i, ']') {
			p.fail(i, i, "expected , or ] behind a dimension")
		}
	}
	if i = p.t.blanks(i + 1); i < end {
		s.Layout = canonicalLayout(p.t[i+1 : end-1])
		if !isLayout(s.Layout, len(s.Dims)) {
			p.fail(i, end, "expected the order of the dimensions and properties like T(8,128)")
		}
	}
	return s
}

// dimension reads 8, <=8 or ?.
func (p *textParser) dimension(i int, s *Shape) int {
	if p.t.at(i, '?') {
		s.Dims = append(s.Dims, Unbounded)
		return i + 1
	}
	if p.t.at(i, '<') && p.t.at(i+1, '=') {
		s.Dynamic |= 1 << len(s.Dims)
		i = p.t.blanks(i + 2)
	}
	n, end := p.integer(i)
	if n < 0 {
		p.fail(i, end, "the dimension %d is negative", n)
	}
	s.Dims = append(s.Dims, n)
	return end
}

// canonicalLayout spells a layout as XLA does today: without blanks and without the level types of sparse arrays.
func canonicalLayout(layout text) string {
	var dense []byte
	for i := layout.blanks(0); i < len(layout); i = layout.blanks(i + 1) {
		dense = append(dense, layout[i])
	}
	order, properties, _ := bytes.Cut(dense, []byte{':'})
	if bytes.HasPrefix(properties, []byte("D(")) {
		properties = properties[text(properties).balanced(1):]
	}
	if len(properties) == 0 {
		return string(order)
	}
	return string(order) + ":" + string(properties)
}

// isLayout reports whether a layout names each dimension of a shape once, or none, and goes on with properties.
func isLayout(layout string, rank int) bool {
	order, properties, _ := strings.Cut(layout, ":")
	if !areProperties(text(properties)) {
		return false
	}
	if order == "" {
		return true
	}
	seen, n := make([]bool, rank), 0
	for word := range strings.SplitSeq(order, ",") {
		d, err := strconv.ParseUint(word, 10, 31)
		if err != nil || d >= uint64(rank) || seen[d] {
			return false
		}
		seen[d] = true
		n++
	}
	return n == rank
}

// areProperties reports whether a text consists of words with parentheses: T(8,128)(2,1)S(1), #(u32)*(u64).
func areProperties(t text) bool {
	for len(t) > 0 {
		word, _, ok := bytes.Cut(t, []byte{'('})
		if !ok || len(bytes.Trim(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ#*")) > 0 {
			return false
		}
		end := t.balanced(len(word))
		if t[end-1] != ')' {
			return false
		}
		t = t[end:]
	}
	return true
}
