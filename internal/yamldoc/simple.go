package yamldoc

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// simple reads the YAML that [Format] writes, and JSON, ten times as fast as the library. It refuses everything else, even if it is YAML.
type simple struct {
	text   string
	at     int
	line   int
	depth  int
	quoted Style  // of strings in double quotes; 0 in JSON
	spare  []Node // are not used yet

	counted, column int // the column of the byte at counted
}

// parseSimple returns the root of a document; nil if it is not simple.
func parseSimple(text string) *Node {
	for _, r := range text {
		if r != '\n' && !unicode.IsPrint(r) || r == utf8.RuneError {
			return nil
		}
	}
	s := &simple{text: text, line: 1, quoted: DoubleQuoted, column: 1}
	for s.peek() == '#' && s.line < 3 {
		comment, _, _ := strings.Cut(s.text[s.at:], "\n")
		s.at += len(comment)
		s.newLine()
	}
	root := s.block(0)
	if s.at < len(s.text) {
		return nil
	}
	return root
}

// parseJSON returns a value that was written as JSON on one line.
func parseJSON(text string) *Node {
	s := &simple{text: text, line: 1}
	root := s.value(true)
	if s.at < len(s.text) {
		return nil
	}
	return root
}

// peek returns the next byte, a newline at the end.
func (s *simple) peek() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return '\n'
}

// skip reports whether a text is next, and skips it.
func (s *simple) skip(what string) bool {
	if !strings.HasPrefix(s.text[s.at:], what) {
		return false
	}
	s.at += len(what)
	return true
}

// newLine skips the end of a line.
func (s *simple) newLine() bool {
	if !s.skip("\n") {
		return false
	}
	s.line++
	s.counted, s.column = s.at, 1
	return true
}

// node returns a new node at the next byte.
func (s *simple) node() *Node {
	if len(s.spare) == 0 {
		s.spare = make([]Node, 64)
	}
	n := &s.spare[0]
	s.spare = s.spare[1:]
	if s.quoted == DoubleQuoted {
		s.column += utf8.RuneCountInString(s.text[s.counted:s.at])
		s.counted = s.at
		n.Line, n.Column = s.line, s.column
	}
	return n
}

// indent returns the number of spaces that are next, -1 at the end.
func (s *simple) indent() int {
	rest := s.text[s.at:]
	if rest == "" {
		return -1
	}
	return len(rest) - len(strings.TrimLeft(rest, " "))
}

// block reads the lines of a mapping or a list that have an indent.
func (s *simple) block(indent int) *Node {
	if s.depth++; s.indent() != indent || s.depth > maxDepth {
		return nil
	}
	defer func() { s.depth-- }()
	s.at += indent
	n := s.node()
	n.Kind, n.Tag = Mapping, "!!map"
	if strings.HasPrefix(s.text[s.at:], "- ") {
		n.Kind, n.Tag = Sequence, "!!seq"
	}
	for {
		if !s.entry(n, indent) {
			return nil
		}
		next := s.indent()
		if next < indent {
			return n
		}
		if next > indent {
			return nil
		}
		s.at += indent
	}
}

// entry reads an item of a list, or a key with its value.
func (s *simple) entry(n *Node, indent int) bool {
	if n.Kind == Mapping {
		key := s.key()
		if key == nil {
			return false
		}
		n.Content = append(n.Content, key)
		if s.newLine() {
			if s.indent() <= indent {
				return false
			}
			child := s.block(s.indent())
			n.Content = append(n.Content, child)
			return child != nil
		}
		if !s.skip(" ") {
			return false
		}
	} else if !s.skip("- ") {
		return false
	}
	value := s.value(false)
	n.Content = append(n.Content, value)
	return value != nil && s.newLine()
}

// key reads a key with its colon.
func (s *simple) key() *Node {
	var key *Node
	if c := s.peek(); c == '"' || c == '\'' {
		key = s.quotedText(c)
	} else {
		end := s.at
		for end < len(s.text) && isWord(s.text[end]) {
			end++
		}
		if end > s.at && s.text[s.at] != '-' && s.text[s.at] != '.' {
			key = s.plainText(end)
		}
	}
	if key == nil || !s.skip(":") {
		return nil
	}
	return key
}

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '.' || c == '-' || c == '/'
}

// value reads a value on one line; within brackets if it is in flow style.
func (s *simple) value(flow bool) *Node {
	switch c := s.peek(); c {
	case '{':
		return s.bracketed(Mapping, "!!map", "}")
	case '[':
		return s.bracketed(Sequence, "!!seq", "]")
	case '"', '\'':
		return s.quotedText(c)
	}
	ends := "\n"
	if flow {
		ends = "\n,]}[{:?"
	}
	text := s.text[s.at:]
	end := strings.IndexAny(text, ends)
	if end < 0 {
		end = len(text)
	}
	if !isPlain(text[:end]) {
		return nil
	}
	return s.plainText(s.at + end)
}

// isPlain reports whether a text on one line means itself without quotes.
func isPlain(text string) bool {
	if text == "" || text[len(text)-1] == ' ' || text[len(text)-1] == ':' || strings.Contains(text, ": ") || strings.Contains(text, " #") {
		return false
	}
	first := text[0]
	return isWord(first) && (first != '-' || len(text) > 1 && isWord(text[1])) || first == '(' || first == '_' || first == '+'
}

// bracketed reads a mapping or a list in flow style.
func (s *simple) bracketed(kind yaml.Kind, tag, end string) *Node {
	if s.depth++; s.depth > maxDepth {
		return nil
	}
	defer func() { s.depth-- }()
	n := s.node()
	n.Kind, n.Tag = kind, tag
	if s.quoted == DoubleQuoted {
		n.Style = FlowStyle
	}
	s.at++
	for !s.skip(end) {
		if len(n.Content) > 0 {
			if !s.skip(",") {
				return nil
			}
			s.skip(" ")
		}
		if kind == Mapping {
			key := s.key()
			if key == nil || !s.skip(" ") && s.quoted == DoubleQuoted {
				return nil
			}
			n.Content = append(n.Content, key)
		}
		value := s.value(true)
		if value == nil {
			return nil
		}
		n.Content = append(n.Content, value)
	}
	return n
}

func (s *simple) plainText(end int) *Node {
	n := s.node()
	n.Kind, n.Value = Scalar, s.text[s.at:end]
	n.Tag = n.ShortTag()
	s.at = end
	return n
}

// quotedText reads a text in quotes.
func (s *simple) quotedText(quote byte) *Node {
	n := s.node()
	n.Kind, n.Tag, n.Style = Scalar, "!!str", s.quoted
	start, end := s.at+1, s.at+1
	for end < len(s.text) && s.text[end] != quote {
		if s.text[end] == '\n' {
			return nil
		}
		if quote == '"' && s.text[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(s.text) {
		return nil
	}
	s.at = end + 1
	n.Value = s.text[start:end]
	if quote == '\'' {
		n.Style = SingleQuoted
		if s.peek() == '\'' {
			return nil
		}
		return n
	}
	if strings.IndexByte(n.Value, '\\') >= 0 && !unescape(&n.Value) {
		return nil
	}
	if s.quoted == 0 {
		n.Style = styleOf(n.Value)
	}
	return n
}

// unescape replaces the escapes of a text in double quotes that mean the same in YAML, JSON and Go.
func unescape(text *string) bool {
	for i := 0; i+1 < len(*text); i++ {
		if (*text)[i] == '\\' {
			if i++; !strings.Contains(`"\nrtbfu`, (*text)[i:i+1]) {
				return false
			}
		}
	}
	value, err := strconv.Unquote(`"` + *text + `"`)
	*text = value
	return err == nil
}
