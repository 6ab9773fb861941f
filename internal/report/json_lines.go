package report

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// jsonLines writes JSON by appending it, laid out as it will stand: a field a line. It is for what a dump has tens of thousands of, and
// writes what encoding/json and the indenter would.
type jsonLines struct {
	out   []byte
	depth int  // of the object or list that is being written
	begun bool // it has a field already
}

// marshalLines writes a value for encoding/json, which lays it out anew.
func marshalLines(write func(*jsonLines)) []byte {
	var l jsonLines
	write(&l)
	return l.out
}

// newLine begins a line, a field or element before it ended.
func (l *jsonLines) newLine() {
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

// someNumber leaves out a zero.
func (l *jsonLines) someNumber(name string, value int64) {
	if value != 0 {
		l.number(name, value)
	}
}

func (l *jsonLines) texts(name string, list []string) {
	l.key(name)
	l.open('[')
	for _, s := range list {
		l.newLine()
		l.out = appendText(l.out, s)
	}
	l.close(']')
}

func (l *jsonLines) numbers(name string, list []int64) {
	l.key(name)
	l.open('[')
	for _, n := range list {
		l.newLine()
		l.out = strconv.AppendInt(l.out, n, 10)
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
