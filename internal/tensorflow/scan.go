package tensorflow

import (
	"bytes"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// scanner walks a text proto. It keeps one offset and nothing else: a value that nobody wants is stepped over unread.
type scanner struct {
	data []byte
	pos  int
}

func (s *scanner) errorf(pos int, format string, args ...any) error {
	line := 1 + bytes.Count(s.data[:pos], []byte{'\n'})
	column := pos - bytes.LastIndexByte(s.data[:pos], '\n')
	return &SyntaxError{Line: line, Column: column, Offset: pos, Message: fmt.Sprintf(format, args...)}
}

// blank steps over white space, comments and the separators that text protos allow between fields.
func (s *scanner) blank() {
	for s.pos < len(s.data) {
		switch c := s.data[s.pos]; c {
		case ' ', '\t', '\r', '\n', ',', ';':
			s.pos++
		case '#':
			end := bytes.IndexByte(s.data[s.pos:], '\n')
			if end < 0 {
				s.pos = len(s.data)
				return
			}
			s.pos += end
		default:
			return
		}
	}
}

// peek returns the next byte that means something, 0 at the end.
func (s *scanner) peek() byte {
	s.blank()
	if s.pos == len(s.data) {
		return 0
	}
	return s.data[s.pos]
}

func isWord(c byte) bool {
	return c == '_' || c-'a' < 26 || c-'A' < 26 || c-'0' < 10
}

// word reads a field's name.
func (s *scanner) word() ([]byte, error) {
	start := s.pos
	for s.pos < len(s.data) && isWord(s.data[s.pos]) {
		s.pos++
	}
	if s.pos == start {
		return nil, s.errorf(start, "expected the name of a field, found %s", s.near(start))
	}
	return s.data[start:s.pos], nil
}

// near quotes what stands at a place.
func (s *scanner) near(pos int) string {
	if pos >= len(s.data) {
		return "the end of the file"
	}
	text := s.data[pos:min(len(s.data), pos+20)]
	if end := bytes.IndexByte(text, '\n'); end > 0 {
		text = text[:end]
	}
	return strconv.Quote(string(text))
}

// message calls field for each field of the message that starts here; field must consume the value.
func (s *scanner) message(field func(name []byte) error) error {
	start := s.pos
	if s.peek() == ':' {
		s.pos++
	}
	open := s.peek()
	if open != '{' && open != '<' {
		return s.errorf(s.pos, "expected {, found %s", s.near(s.pos))
	}
	s.pos++
	for {
		switch s.peek() {
		case 0:
			return s.errorf(len(s.data), "the file ends inside the message that starts at byte %d", start)
		case '}', '>':
			s.pos++
			return nil
		}
		if err := s.field(field); err != nil {
			return err
		}
	}
}

// field reads one name and hands it on.
func (s *scanner) field(field func(name []byte) error) error {
	name, err := s.word()
	if err != nil {
		return err
	}
	return field(name)
}

// skip steps over a value of any kind.
func (s *scanner) skip() error {
	if s.peek() == ':' {
		s.pos++
	}
	switch s.peek() {
	case 0:
		return s.errorf(len(s.data), "the file ends where a value should stand")
	case '{', '<', '[':
		return s.skipNested()
	case '"', '\'':
		return s.skipString()
	}
	_, err := s.scalar()
	return err
}

// skipNested steps over brackets of all kinds and what is in them, without recursion: depth costs nothing.
func (s *scanner) skipNested() error {
	start, depth := s.pos, 0
	for s.pos < len(s.data) {
		switch s.data[s.pos] {
		case '{', '[', '<':
			depth++
		case '}', ']', '>':
			if depth--; depth == 0 {
				s.pos++
				return nil
			}
		case '"', '\'':
			if err := s.skipString(); err != nil {
				return err
			}
			continue
		case '#':
			s.blank()
			continue
		}
		s.pos++
	}
	return s.errorf(len(s.data), "the file ends inside the value that starts at byte %d", start)
}

// scalar reads a number or an identifier.
func (s *scanner) scalar() ([]byte, error) {
	if s.peek() == ':' {
		s.pos++
		s.blank()
	}
	start := s.pos
	for s.pos < len(s.data) && (isWord(s.data[s.pos]) || s.data[s.pos] == '-' || s.data[s.pos] == '+' || s.data[s.pos] == '.') {
		s.pos++
	}
	if s.pos == start {
		return nil, s.errorf(start, "expected a value, found %s", s.near(start))
	}
	return s.data[start:s.pos], nil
}

// skipString steps over one string literal, and over those that follow it at once.
func (s *scanner) skipString() error {
	quote, start := s.data[s.pos], s.pos
	for i := s.pos + 1; i < len(s.data); i++ {
		switch s.data[i] {
		case '\\':
			i++
		case '\n':
			return s.errorf(start, "a string is not closed before the line ends")
		case quote:
			s.pos = i + 1
			return nil
		}
	}
	return s.errorf(start, "the file ends inside a string")
}

// text reads a string value; literals that follow each other are one string.
func (s *scanner) text() ([]byte, error) {
	if s.peek() == ':' {
		s.pos++
	}
	var out []byte
	for first := true; ; first = false {
		c := s.peek()
		if c != '"' && c != '\'' {
			if first {
				return nil, s.errorf(s.pos, "expected a string, found %s", s.near(s.pos))
			}
			return out, nil
		}
		start := s.pos
		if err := s.skipString(); err != nil {
			return nil, err
		}
		body := s.data[start+1 : s.pos-1]
		if bytes.IndexByte(body, '\\') >= 0 {
			body = unescape(body)
		}
		if first {
			out = body
		} else {
			out = append(out[:len(out):len(out)], body...)
		}
	}
}

// escapes are the one-letter escapes of C.
var escapes = map[byte]byte{'n': '\n', 'r': '\r', 't': '\t', 'a': 7, 'b': 8, 'f': 12, 'v': 11}

// unescape undoes C's escapes: letters, octal, \x and \u. An escape that is none stands for its own character.
func unescape(b []byte) []byte {
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		if b[i] != '\\' || i+1 == len(b) {
			out = append(out, b[i])
			continue
		}
		i++
		switch c := b[i]; {
		case c >= '0' && c <= '7':
			v, n := number(b[i:], 8, 3)
			out, i = append(out, byte(v)), i+n-1
		case c == 'x' || c == 'X':
			v, n := number(b[i+1:], 16, 2)
			out, i = append(out, byte(v)), i+n
		case c == 'u' || c == 'U':
			v, n := number(b[i+1:], 16, 4+4*int((^c&0x20)>>5))
			out, i = utf8.AppendRune(out, rune(v)), i+n
		case escapes[c] != 0:
			out = append(out, escapes[c])
		default:
			out = append(out, c)
		}
	}
	return out
}

// number reads up to most digits of a base and says how many there were.
func number(b []byte, base, most int) (value, digits int) {
	for digits < most && digits < len(b) {
		d := digitOf(b[digits])
		if d >= base {
			break
		}
		value, digits = value*base+d, digits+1
	}
	return value, digits
}

func digitOf(c byte) int {
	switch {
	case c-'0' < 10:
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return 99
}
