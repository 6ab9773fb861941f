package report

import (
	"cmp"
	"io"
)

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
	for rest := p; len(rest) > 0; {
		if n.quoted {
			rest = rest[n.inString(rest):]
			continue
		}
		n.between(rest[0])
		rest = rest[1:]
	}
	return len(p), n.pass()
}

// lines passes on a value that lays itself out.
func (n *indenter) lines(write func(*jsonLines)) error {
	n.open(n.opened)
	n.opened = false
	var failed error
	l := jsonLines{out: n.out, depth: n.depth, pass: func(out []byte) []byte {
		n.out = out
		failed = cmp.Or(failed, n.flush())
		return n.out
	}}
	write(&l)
	n.out = l.out
	return cmp.Or(failed, l.err, n.pass())
}

// inString passes on what comes next in a string, up to a quote or a backslash, and says how much that is.
func (n *indenter) inString(p []byte) int {
	end := 0
	for !n.escaped && end < len(p)-1 && p[end] != '"' && p[end] != '\\' {
		end++
	}
	c := p[end]
	n.out = append(n.out, p[:end+1]...)
	n.quoted = c != '"' || n.escaped
	n.escaped = c == '\\' && !n.escaped
	return end + 1
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
	if line {
		n.out = appendLine(n.out, n.depth)
	}
}

// pass passes on what there is when it is enough.
func (n *indenter) pass() error {
	if len(n.out) < piece {
		return nil
	}
	return n.flush()
}

func (n *indenter) flush() error {
	_, err := n.to.Write(n.out)
	n.out = n.out[:0]
	return err
}
