package artifacts

import (
	"strconv"
	"strings"
)

// node is a message in protocol buffer text format, or one field of it.
type node struct {
	name   string
	value  string // a scalar's, unquoted
	nested bool
	fields []node // a message's
	line   int
}

// all lists the fields of a name.
func (n *node) all(name string) []*node {
	var list []*node
	for i := range n.fields {
		if n.fields[i].name == name {
			list = append(list, &n.fields[i])
		}
	}
	return list
}

// message is the last field of a name, nil when there is none. It may be asked of nil.
func (n *node) message(name string) *node {
	if n == nil {
		return nil
	}
	for i := len(n.fields) - 1; i >= 0; i-- {
		if n.fields[i].name == name {
			return &n.fields[i]
		}
	}
	return nil
}

// text is a scalar field's value, "" when it is not set.
func (n *node) text(name string) string {
	if f := n.message(name); f != nil {
		return f.value
	}
	return ""
}

// int is a number field's value, 0 when it is not set: text format leaves out what is 0.
func (n *node) int(name string) (int64, error) {
	f := n.message(name)
	if f == nil {
		return 0, nil
	}
	v, ok := wholeInt(f.value)
	if !ok {
		return 0, syntaxError(f.line, "%s is no number: %q", name, f.value)
	}
	return v, nil
}

// String is the message on one line.
func (n *node) String() string {
	if !n.nested {
		return n.value
	}
	parts := make([]string, len(n.fields))
	for i := range n.fields {
		f := &n.fields[i]
		parts[i] = f.name + ": " + f.String()
	}
	return "{" + strings.Join(parts, " ") + "}"
}

// maxNesting is how deep messages may stand in each other.
const maxNesting = 100

// readTextProto reads a message in text format, without knowing its fields.
func readTextProto(data []byte) (*node, error) {
	p := textProto{s: string(data), line: 1}
	root := &node{nested: true, line: 1}
	if err := p.fields(root, 0, 0); err != nil {
		return root, err
	}
	return root, whole(data)
}

type textProto struct {
	s    string
	pos  int
	line int
}

func (p *textProto) errorf(format string, args ...any) error {
	return syntaxError(p.line, format, args...)
}

// skip goes past blanks and comments and returns the next byte, 0 at the end.
func (p *textProto) skip() byte {
	for p.pos < len(p.s) {
		switch c := p.s[p.pos]; c {
		case '\n':
			p.line++
			p.pos++
		case ' ', '\t', '\r':
			p.pos++
		case '#':
			end := strings.IndexByte(p.s[p.pos:], '\n')
			if end < 0 {
				end = len(p.s) - p.pos
			}
			p.pos += end
		default:
			return c
		}
	}
	return 0
}

// take goes past the next byte if it is the one asked for.
func (p *textProto) take(c byte) bool {
	if p.skip() != c || c == 0 {
		return false
	}
	p.pos++
	return true
}

// fields reads fields up to the end of the message that they stand in.
func (p *textProto) fields(into *node, end byte, depth int) error {
	if depth > maxNesting {
		return p.errorf("messages stand more than %d deep in each other", maxNesting)
	}
	for {
		c := p.skip()
		switch {
		case c == end && end != 0:
			p.pos++
			return nil
		case c == 0 && end == 0:
			return nil
		case c == 0:
			return p.errorf("the file ends inside of %s: it was cut off", into.name)
		}
		if err := p.field(into, depth); err != nil {
			return err
		}
		if !p.take(',') {
			p.take(';')
		}
	}
}

// field reads "name: value", "name { … }" and "name: [value, value]".
func (p *textProto) field(into *node, depth int) error {
	name, err := p.fieldName()
	if err != nil {
		return err
	}
	colon := p.take(':')
	if colon && p.take('[') {
		return p.list(into, name, depth)
	}
	return p.value(into, name, colon, depth)
}

// fieldName reads a field's name, or an extension's or type's in brackets.
func (p *textProto) fieldName() (string, error) {
	start := p.pos
	if p.s[start] == '[' {
		end := strings.IndexByte(p.s[start:], ']')
		if end < 0 {
			return "", p.errorf("a bracket is not closed")
		}
		p.pos += end + 1
		return p.s[start:p.pos], nil
	}
	if word := p.word(); word != "" {
		return word, nil
	}
	return "", p.errorf("expected a field's name, found %q", p.s[start:min(start+20, len(p.s))])
}

// word reads an identifier or number.
func (p *textProto) word() string {
	start := p.pos
	for p.pos < len(p.s) {
		c := p.s[p.pos]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '.' || c == '-' || c == '+' {
			p.pos++
			continue
		}
		break
	}
	return p.s[start:p.pos]
}

func (p *textProto) list(into *node, name string, depth int) error {
	for !p.take(']') {
		if err := p.value(into, name, true, depth); err != nil {
			return err
		}
		p.take(',')
	}
	return nil
}

// value reads a message or, behind a colon, a scalar.
func (p *textProto) value(into *node, name string, colon bool, depth int) error {
	n := node{name: name, line: p.line}
	var err error
	switch c := p.skip(); {
	case c == '{':
		p.pos++
		n.nested = true
		err = p.fields(&n, '}', depth+1)
	case c == '<':
		p.pos++
		n.nested = true
		err = p.fields(&n, '>', depth+1)
	case !colon:
		return p.errorf("expected a value for %s", name)
	case c == '"' || c == '\'':
		n.value, err = p.strings()
	default:
		if n.value = p.word(); n.value == "" {
			return p.errorf("expected a value for %s", name)
		}
	}
	into.fields = append(into.fields, n)
	return err
}

// strings reads a string, and those that follow it: they are one.
func (p *textProto) strings() (string, error) {
	var b strings.Builder
	for c := p.skip(); c == '"' || c == '\''; c = p.skip() {
		if err := p.quoted(&b, c); err != nil {
			return "", err
		}
	}
	return b.String(), nil
}

func (p *textProto) quoted(b *strings.Builder, quote byte) error {
	for p.pos++; p.pos < len(p.s); {
		switch c := p.s[p.pos]; c {
		case quote:
			p.pos++
			return nil
		case '\n':
			return p.errorf("a string is not closed")
		case '\\':
			if err := p.escape(b, quote); err != nil {
				return err
			}
		default:
			b.WriteByte(c)
			p.pos++
		}
	}
	return p.errorf("the file ends inside a string: it was cut off")
}

// escape reads a backslash and what it stands for.
func (p *textProto) escape(b *strings.Builder, quote byte) error {
	s := p.s[p.pos:]
	if len(s) >= 2 && (s[1] == '\'' || s[1] == '"' || s[1] == '?') {
		b.WriteByte(s[1])
		p.pos += 2
		return nil
	}
	if n := octalDigits(s[1:]); n > 0 {
		v, _ := strconv.ParseUint(s[1:1+n], 8, 16)
		b.WriteByte(byte(v))
		p.pos += 1 + n
		return nil
	}
	r, multibyte, tail, err := strconv.UnquoteChar(s, quote)
	if err != nil {
		return p.errorf("%q is no escape sequence", s[:min(len(s), 4)])
	}
	if multibyte {
		b.WriteRune(r)
	} else {
		b.WriteByte(byte(r))
	}
	p.pos += len(s) - len(tail)
	return nil
}

// octalDigits is how many of up to three digits of an octal escape there are.
func octalDigits(s string) int {
	n := 0
	for n < 3 && n < len(s) && s[n] >= '0' && s[n] <= '7' {
		n++
	}
	return n
}
