package report

import "io"

// indenter puts line breaks and two blanks a level into the JSON that is written to it, as json.Indent does, and passes it on in
// pieces: the JSON of a large dump is never in memory as a whole.
type indenter struct {
	to      io.Writer
	out     []byte
	depth   int
	quoted  bool // in a string
	escaped bool // behind a backslash in it
	opened  bool // behind an opening bracket: line breaks follow unless it closes at once
}

// piece is from how many bytes on they are passed on.
const piece = 1 << 16

// Write indents a piece of valid JSON, cut anywhere.
func (n *indenter) Write(p []byte) (int, error) {
	for _, c := range p {
		if n.quoted {
			n.inString(c)
		} else {
			n.between(c)
		}
	}
	if len(n.out) < piece {
		return len(p), nil
	}
	return len(p), n.flush()
}

func (n *indenter) inString(c byte) {
	n.out = append(n.out, c)
	n.quoted = c != '"' || n.escaped
	n.escaped = c == '\\' && !n.escaped
}

func (n *indenter) between(c byte) {
	switch c {
	case ' ', '\n':
		return
	case '}', ']':
		n.depth--
		n.open(!n.opened)
		n.opened = false
		n.out = append(n.out, c)
		return
	}
	n.open(n.opened)
	n.opened = false
	n.out = append(n.out, c)
	switch c {
	case '"':
		n.quoted = true
	case '{', '[':
		n.depth++
		n.opened = true
	case ',':
		n.open(true)
	case ':':
		n.out = append(n.out, ' ')
	}
}

// open begins a line.
func (n *indenter) open(line bool) {
	if !line {
		return
	}
	n.out = append(n.out, '\n')
	for range n.depth {
		n.out = append(n.out, "  "...)
	}
}

func (n *indenter) flush() error {
	_, err := n.to.Write(n.out)
	n.out = n.out[:0]
	return err
}
