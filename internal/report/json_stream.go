package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// jsonStream writes JSON piece by piece, indented. The first error stops it and is told at the end.
type jsonStream struct {
	to    *indenter
	enc   *json.Encoder
	begun bool // there is a value before the next one, and a comma between them
	err   error
}

func newJSONStream(w io.Writer) *jsonStream {
	s := &jsonStream{to: &indenter{to: w}}
	s.enc = json.NewEncoder(s.to)
	s.enc.SetEscapeHTML(false)
	return s
}

// value writes a value at once.
func (s *jsonStream) value(v any) {
	s.next()
	if s.err == nil {
		s.err = s.enc.Encode(v)
	}
}

// lines writes a value that lays itself out.
func (s *jsonStream) lines(write func(*jsonLines)) {
	s.next()
	if s.err == nil {
		s.err = s.to.lines(write)
	}
}

// fields writes the fields of a struct as those of the object that is being written.
func (s *jsonStream) fields(of any) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(of); err != nil {
		s.err = cmp.Or(s.err, err)
		return
	}
	if inner := strings.TrimSuffix(strings.TrimPrefix(b.String(), "{"), "}\n"); inner != "" {
		s.next()
		s.raw(inner)
	}
}

// key begins a field: the value comes next.
func (s *jsonStream) key(name string) {
	s.value(name)
	s.raw(":")
	s.begun = false
}

// object writes the fields that write writes.
func (s *jsonStream) object(write func()) { s.between("{", "}", write) }

// listOf writes a list, each value of it by itself.
func listOf[T any](s *jsonStream, name string, list []T, write func(*T)) {
	s.key(name)
	s.between("[", "]", func() {
		for i := range list {
			write(&list[i])
		}
	})
}

func (s *jsonStream) between(open, closed string, write func()) {
	s.next()
	s.raw(open)
	s.begun = false
	write()
	s.raw(closed)
	s.begun = true
}

// next separates a value from the one before it.
func (s *jsonStream) next() {
	if s.begun {
		s.raw(",")
	}
	s.begun = true
}

func (s *jsonStream) raw(text string) {
	if s.err == nil {
		_, s.err = io.WriteString(s.to, text)
	}
}

// end ends the last line.
func (s *jsonStream) end(what string) error {
	s.to.out = append(s.to.out, '\n')
	if s.err == nil {
		s.err = s.to.flush()
	}
	if s.err != nil {
		return fmt.Errorf("write %s as JSON: %w", what, s.err)
	}
	return nil
}
