package yamldoc

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Simple reads a document of the form that Format gives keys, numbers and names: mappings over several lines, lists of one line an item, and texts, lists
// and mappings within a line. It takes a fraction of the library's time. Its nodes have no places. It returns nil for a document of another form.
func Simple(data []byte) *Node {
	text := string(data)
	if !utf8.ValidString(text) || strings.ContainsFunc(text, func(c rune) bool { return c != '\n' && !unicode.IsPrint(c) }) {
		return nil
	}
	r := &simpleReader{left: text}
	for r.next(); strings.HasPrefix(r.line, "#"); r.next() {
	}
	if root := r.mapping(0); !r.failed && r.line == "" {
		return root
	}
	return nil
}

// simpleReader reads a document line by line.
type simpleReader struct {
	line   string // what is left of it, without its indentation; "" behind the last one
	indent int
	left   string // the lines behind this one
	depth  int    // of brackets
	failed bool
}

func (r *simpleReader) next() {
	line, left, ended := strings.Cut(r.left, "\n")
	r.line, r.left = strings.TrimLeft(line, " "), left
	r.indent = len(line) - len(r.line)
	r.failed = r.failed || !ended && line != "" || r.line == "" && left != ""
}

// fail gives up: the document is of another form.
func (r *simpleReader) fail() *Node {
	r.failed = true
	return &Node{}
}

// take skips a text if the line goes on with it.
func (r *simpleReader) take(text string) bool {
	rest, ok := strings.CutPrefix(r.line, text)
	r.line = rest
	return ok
}

// mapping reads keys of the same indentation, each with a value behind it or on the lines below.
func (r *simpleReader) mapping(indent int) *Node {
	m := &Node{Kind: Mapping, Tag: "!!map"}
	for !r.failed && r.line != "" && r.indent == indent {
		m.Content = append(m.Content, r.key())
		if r.line != "" {
			m.Content = append(m.Content, r.last())
			continue
		}
		switch r.next(); {
		case r.indent != indent+2:
			return r.fail()
		case strings.HasPrefix(r.line, "- "):
			m.Content = append(m.Content, r.list(indent+2))
		default:
			m.Content = append(m.Content, r.mapping(indent+2))
		}
	}
	if r.indent > indent || m.Content == nil {
		return r.fail()
	}
	return m
}

func (r *simpleReader) list(indent int) *Node {
	l := &Node{Kind: Sequence, Tag: "!!seq"}
	for !r.failed && r.indent == indent && r.take("-") {
		l.Content = append(l.Content, r.last())
	}
	if r.indent > indent {
		return r.fail()
	}
	return l
}

// last reads the value at the end of a line.
func (r *simpleReader) last() *Node {
	if !r.take(" ") {
		return r.fail()
	}
	n := r.value("")
	if r.line != "" {
		return r.fail()
	}
	r.next()
	return n
}

// key reads a name with its colon.
func (r *simpleReader) key() *Node {
	name, rest, ok := strings.Cut(r.line, ":")
	if !ok || name == "" || len(name) > 1000 || !isLetter(rune(name[0])) || strings.ContainsFunc(name, isNoName) {
		return r.fail()
	}
	r.line = rest
	return &Node{Kind: Scalar, Value: name}
}

func isLetter(c rune) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func isNoName(c rune) bool {
	return !isLetter(c) && (c < '0' || c > '9') && c != '_' && c != '.' && c != '-'
}

// value reads a value within a line. A text without quotes ends before one of some letters.
func (r *simpleReader) value(before string) *Node {
	switch {
	case r.take("{"):
		return r.within(&Node{Kind: Mapping, Tag: "!!map", Style: FlowStyle}, "}")
	case r.take("["):
		return r.within(&Node{Kind: Sequence, Tag: "!!seq", Style: FlowStyle}, "]")
	case r.take("'"):
		return r.singleQuoted()
	case r.take(`"`):
		text, rest, ok := strings.Cut(r.line, `"`)
		if !ok || strings.Contains(text, `\`) {
			return r.fail()
		}
		r.line = rest
		return &Node{Kind: Scalar, Tag: "!!str", Style: DoubleQuoted, Value: text}
	}
	return r.plain(before)
}

// within reads what is between brackets.
func (r *simpleReader) within(n *Node, end string) *Node {
	if r.depth++; r.depth > maxDepth {
		return r.fail()
	}
	for !r.failed && !r.take(end) {
		if n.Content != nil && !r.take(", ") {
			return r.fail()
		}
		if n.Kind == Mapping {
			if n.Content = append(n.Content, r.key()); !r.take(" ") {
				return r.fail()
			}
		}
		n.Content = append(n.Content, r.value(",[]{}?"))
	}
	r.depth--
	return n
}

// singleQuoted reads a text in which a quote is doubled.
func (r *simpleReader) singleQuoted() *Node {
	end := 0
	for {
		quote := strings.IndexByte(r.line[end:], '\'')
		if quote < 0 {
			return r.fail()
		}
		if end += quote; !strings.HasPrefix(r.line[end:], "''") {
			break
		}
		end += len("''")
	}
	n := &Node{Kind: Scalar, Tag: "!!str", Style: SingleQuoted, Value: strings.ReplaceAll(r.line[:end], "''", "'")}
	r.line = r.line[end+1:]
	return n
}

// plain reads a text without quotes.
func (r *simpleReader) plain(before string) *Node {
	text := r.line
	if end := strings.IndexAny(text, before); end >= 0 {
		text = text[:end]
	}
	negative := len(text) > 1 && text[0] == '-' && text[1] >= '0' && text[1] <= '9'
	if text == "" || text == "<<" || !negative && strings.ContainsAny(text[:1], "-?:,[]{}#&*!|>%@` ") ||
		strings.Contains(text, ": ") || strings.Contains(text, " #") || strings.HasSuffix(text, ":") || strings.HasSuffix(text, " ") {
		return r.fail()
	}
	r.line = r.line[len(text):]
	return &Node{Kind: Scalar, Value: text}
}
