package wire

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// SyntaxError is an error at a place of a text.
type SyntaxError struct {
	Line, Column int // from 1; the column is 0 if it is unknown
	Message      string
	Form         bool // a line that is whole has an unknown form; else the file may have been cut off
}

// Error returns the message with its line.
func (e *SyntaxError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Message) }

// scanner splits a message in text format into names and values. It keeps an offset and nothing else: it skips a value without reading it.
type scanner struct {
	data []byte
	pos  int
}

func (s *scanner) errorf(pos int, format string, args ...any) error {
	line := 1 + bytes.Count(s.data[:pos], []byte{'\n'})
	column := pos - bytes.LastIndexByte(s.data[:pos], '\n')
	return &SyntaxError{Line: line, Column: column, Message: Plain(fmt.Sprintf(format, args...))}
}

// blank skips white space, comments and the separators between fields.
func (s *scanner) blank() {
	for s.pos < len(s.data) {
		switch s.data[s.pos] {
		case ' ', '\t', '\r', '\n', ',', ';':
			s.pos++
		case '#':
			end := bytes.IndexByte(s.data[s.pos:], '\n')
			if end < 0 {
				end = len(s.data) - s.pos
			}
			s.pos += end
		default:
			return
		}
	}
}

// peek returns the next byte of a name or value, 0 at the end.
func (s *scanner) peek() byte {
	if s.blank(); s.pos < len(s.data) {
		return s.data[s.pos]
	}
	return 0
}

// take skips the next byte if it is c.
func (s *scanner) take(c byte) bool {
	if s.peek() != c || s.pos == len(s.data) {
		return false
	}
	s.pos++
	return true
}

// near quotes the text at a place.
func (s *scanner) near(pos int) string {
	if pos >= len(s.data) {
		return "the end of the file"
	}
	text, _, _ := bytes.Cut(s.data[pos:min(len(s.data), pos+20)], []byte{'\n'})
	return strconv.Quote(string(text))
}

func isWord(c byte) bool {
	return c == '_' || c-'a' < 26 || c-'A' < 26 || c-'0' < 10
}

// word reads an identifier, or a number where signs are allowed.
func (s *scanner) word(signs string, what string) ([]byte, error) {
	s.blank()
	start := s.pos
	for s.pos < len(s.data) && (isWord(s.data[s.pos]) || strings.IndexByte(signs, s.data[s.pos]) >= 0) {
		s.pos++
	}
	if s.pos == start {
		return nil, s.errorf(start, "expected %s, found %s", what, s.near(start))
	}
	return s.data[start:s.pos], nil
}

// name reads the name of a field, or the bracketed name of an extension.
func (s *scanner) name() ([]byte, error) {
	if s.peek() != '[' {
		return s.word("", "the name of a field")
	}
	end := bytes.IndexByte(s.data[s.pos:], ']')
	if end < 0 {
		return nil, s.errorf(s.pos, "a bracket is not closed")
	}
	start := s.pos
	s.pos += end + 1
	return s.data[start:s.pos], nil
}

// scalar reads a number or an identifier.
func (s *scanner) scalar() ([]byte, error) { return s.word("+-.", "a value") }

// skip skips a value of any kind.
func (s *scanner) skip() error {
	switch s.peek() {
	case '{', '<', '[':
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
				if _, err := s.literal(); err != nil {
					return err
				}
				continue
			case '#':
				s.blank()
				continue
			}
			s.pos++
		}
		return s.cut(start)
	case '"', '\'':
		for c := s.peek(); c == '"' || c == '\''; c = s.peek() {
			if _, err := s.literal(); err != nil {
				return err
			}
		}
		return nil
	}
	_, err := s.scalar()
	return err
}

// cut is the error for a file that ends inside the value that starts at a place.
func (s *scanner) cut(start int) error {
	return s.errorf(len(s.data), "the file ends inside the value that starts at byte %d: it was cut off", start)
}

// literal reads one string literal, and returns what is between its quotes.
func (s *scanner) literal() ([]byte, error) {
	quote, start := s.data[s.pos], s.pos
	for i := s.pos + 1; i < len(s.data); i++ {
		switch s.data[i] {
		case '\\':
			i++
		case '\n':
			return nil, s.errorf(start, "a string is not closed before the line ends")
		case quote:
			s.pos = i + 1
			return s.data[start+1 : i], nil
		}
	}
	return nil, s.errorf(start, "the file ends inside a string: it was cut off")
}

// text reads a string. Literals that follow each other are one string.
func (s *scanner) text() ([]byte, error) {
	if c := s.peek(); c != '"' && c != '\'' {
		return nil, s.errorf(s.pos, "expected a string, found %s", s.near(s.pos))
	}
	var out []byte
	for c := s.peek(); c == '"' || c == '\''; c = s.peek() {
		body, err := s.literal()
		if err != nil {
			return nil, err
		}
		if bytes.IndexByte(body, '\\') >= 0 {
			if body, err = s.unescape(body); err != nil {
				return nil, err
			}
		}
		if out == nil {
			out = body[:len(body):len(body)]
		} else {
			out = append(out, body...)
		}
	}
	return out, nil
}

// unescape replaces the escape sequences of C.
func (s *scanner) unescape(body []byte) ([]byte, error) {
	out := make([]byte, 0, len(body))
	for rest := string(body); rest != ""; {
		at := strings.IndexByte(rest, '\\')
		if at < 0 {
			return append(out, rest...), nil
		}
		out, rest = append(out, rest[:at]...), rest[at:]
		escape := rest[1:]
		octal := escape[:min(3, len(escape))]
		digits := len(octal) - len(strings.TrimLeft(octal, "01234567"))
		switch {
		case digits > 0:
			v, _ := strconv.ParseUint(escape[:digits], 8, 16)
			out, rest = append(out, byte(v)), escape[digits:]
		case escape != "" && strings.IndexByte(`'"?`, escape[0]) >= 0:
			out, rest = append(out, escape[0]), escape[1:]
		default:
			r, multibyte, tail, err := strconv.UnquoteChar(rest, 0)
			if err != nil {
				return nil, s.errorf(s.pos, "%q is no escape sequence", rest[:min(len(rest), 4)])
			}
			if rest = tail; multibyte {
				out = append(out, string(r)...)
			} else {
				out = append(out, byte(r))
			}
		}
	}
	return out, nil
}
