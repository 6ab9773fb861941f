package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// jsonLines writes JSON by appending it, laid out as it will stand: a field a line. It is for what a dump has tens of thousands of, and
// writes what encoding/json and the indenter would.
type jsonLines struct {
	out   []byte
	depth int                 // of the object or list that is being written
	begun bool                // it has a field already
	pass  func([]byte) []byte // takes what is there when it is much, and returns what to append to; nil where all is wanted at once
	err   error
}

// marshalLines writes a value for encoding/json, which lays it out anew.
func marshalLines(write func(*jsonLines)) ([]byte, error) {
	var l jsonLines
	write(&l)
	return l.out, l.err
}

// newLine begins a line, a field or element before it ended.
func (l *jsonLines) newLine() {
	if len(l.out) >= piece && l.pass != nil {
		l.out = l.pass(l.out)
	}
	if l.begun {
		l.out = append(l.out, ',')
	}
	l.begun = true
	l.out = appendLine(l.out, l.depth)
}

func (l *jsonLines) key(name string) {
	l.newLine()
	l.out = append(appendText(l.out, name), ':', ' ')
}

func (l *jsonLines) open(bracket byte) {
	l.out = append(l.out, bracket)
	l.depth++
	l.begun = false
}

func (l *jsonLines) close(bracket byte) {
	l.depth--
	if l.begun {
		l.out = appendLine(l.out, l.depth)
	}
	l.out = append(l.out, bracket)
	l.begun = true
}

func (l *jsonLines) text(name, value string) {
	l.key(name)
	l.out = appendText(l.out, value)
}

// someText leaves out what is empty.
func (l *jsonLines) someText(name, value string) {
	if value != "" {
		l.text(name, value)
	}
}

func (l *jsonLines) number(name string, value int64) {
	l.key(name)
	l.out = strconv.AppendInt(l.out, value, 10)
}

// amount writes a number as encoding/json does.
func (l *jsonLines) amount(name string, value float64) {
	l.key(name)
	if size := math.Abs(value); value == 0 || size >= 1e-6 && size < 1e21 {
		l.out = strconv.AppendFloat(l.out, value, 'f', -1, 64)
		return
	}
	b, err := json.Marshal(value)
	if err != nil {
		l.err = cmp.Or(l.err, fmt.Errorf("%s: %w", name, err))
	}
	l.out = append(l.out, b...)
}

// yes leaves out what is not so.
func (l *jsonLines) yes(name string, value bool) {
	if value {
		l.key(name)
		l.out = append(l.out, "true"...)
	}
}

// someNumber leaves out a zero.
func (l *jsonLines) someNumber(name string, value int64) {
	if value != 0 {
		l.number(name, value)
	}
}

func (l *jsonLines) texts(name string, list []string) {
	linesOf(l, name, list, func(s *string) { l.out = appendText(l.out, *s) })
}

func (l *jsonLines) numbers(name string, list []int64) {
	linesOf(l, name, list, func(n *int64) { l.out = strconv.AppendInt(l.out, *n, 10) })
}

// linesOf writes a list, each element by itself.
func linesOf[T any](l *jsonLines, name string, list []T, write func(*T)) {
	l.key(name)
	l.open('[')
	for i := range list {
		l.newLine()
		write(&list[i])
	}
	l.close(']')
}

// appendLine begins a line at a depth.
func appendLine(out []byte, depth int) []byte {
	blanks := 2 * depth
	out = append(out, margin[:1+min(blanks, len(margin)-1)]...)
	for more := blanks - len(margin) + 1; more > 0; more-- {
		out = append(out, ' ')
	}
	return out
}

// margin is a line break and the blanks of as many levels as there mostly are.
const margin = "\n                                        "

// appendText quotes a text. Nearly all hold nothing that must be escaped.
func appendText(out []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return appendEscaped(out, s)
		}
	}
	out = append(out, '"')
	out = append(out, s...)
	return append(out, '"')
}

func appendEscaped(out []byte, s string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return append(out, `""`...) // cannot be: every text has a JSON form
	}
	return append(out, strings.TrimSuffix(b.String(), "\n")...)
}
