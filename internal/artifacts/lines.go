// Package artifacts reads the files that XLA writes beside a module: buffer assignments, thunk sequences, PTX and its registers, flags and devices, drawings of
// a module. Every reader takes the whole content of a file and returns exact numbers. It returns an error with the line for what it cannot read, never a zero.
package artifacts

import (
	"bytes"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/wire"
)

// lines is an iterator over the lines of a text.
type lines struct {
	rest string
	n    int // the number of the line last returned
}

func (l *lines) next() (line string, ok bool) {
	if l.rest == "" {
		return "", false
	}
	line, l.rest, _ = strings.Cut(l.rest, "\n")
	l.n++
	return strings.TrimSuffix(line, "\r"), true
}

// all iterates over the lines.
func (l *lines) all() iter.Seq[string] {
	return func(yield func(string) bool) {
		for line, ok := l.next(); ok && yield(line); line, ok = l.next() {
		}
	}
}

// errorf returns an error at the last line.
func (l *lines) errorf(format string, args ...any) error { return syntaxError(l.n, format, args...) }

// unknown returns an error at the last line, which is whole and still cannot be read: the file has a form that no reader knows.
func (l *lines) unknown(format string, args ...any) error {
	return &wire.SyntaxError{Line: l.n, Message: wire.Plain(fmt.Sprintf(format, args...)), Form: true}
}

func syntaxError(line int, format string, args ...any) error {
	return &wire.SyntaxError{Line: line, Message: wire.Plain(fmt.Sprintf(format, args...))}
}

// whole returns an error if the last line does not end in a newline: XLA ends every line with one.
func whole(data []byte) error {
	if n := len(data); n > 0 && data[n-1] != '\n' {
		return syntaxError(1+bytes.Count(data, []byte("\n")), "the file ends inside a line: it was cut off")
	}
	return nil
}

// readText reads the fields of a message in text format.
func readText(data []byte, fields wire.Fields) error {
	if err := whole(data); err != nil {
		return err
	}
	return wire.Text(data).All(fields)
}

// word takes the name of a value of an enum type, or whatever value there is, as it is spelled.
func word(to *string) func(*wire.Reader) error {
	return func(r *wire.Reader) (err error) {
		*to, err = r.Value()
		return err
	}
}

// cutInt reads the decimal number at the beginning of s.
func cutInt(s string) (n int64, rest string, ok bool) {
	end := 0
	for end < len(s) && (s[end] >= '0' && s[end] <= '9' || end == 0 && s[end] == '-') {
		end++
	}
	n, err := strconv.ParseInt(s[:end], 10, 64)
	return n, s[end:], err == nil
}

// fields reads a line from left to right. After the first part that is not there, ok is false.
type fields struct {
	rest string
	ok   bool
}

// has reports whether a text comes next, and skips it.
func (f *fields) has(text string) bool {
	rest, found := strings.CutPrefix(f.rest, text)
	if found {
		f.rest = rest
	}
	return found
}

// skip skips a text that must come next.
func (f *fields) skip(text string) { f.ok = f.has(text) && f.ok }

// until reads up to a text, and skips that.
func (f *fields) until(text string) string {
	before, rest, found := strings.Cut(f.rest, text)
	f.rest, f.ok = rest, f.ok && found
	return before
}

// int reads a number.
func (f *fields) int() int64 {
	n, rest, ok := cutInt(f.rest)
	f.rest, f.ok = rest, f.ok && ok
	return n
}

// triple reads three numbers in brackets: "1, 2, 3]".
func (f *fields) triple() (n [3]int64) {
	n[0] = f.int()
	f.skip(", ")
	n[1] = f.int()
	f.skip(", ")
	n[2] = f.int()
	f.ok = f.ok && (f.has("]") || f.has("}"))
	return n
}

// intList reads a comma-separated list of numbers: "1,0".
func intList(s string) (list []int64, ok bool) {
	if s == "" {
		return nil, true
	}
	for number := range strings.SplitSeq(s, ",") {
		n, rest, ok := cutInt(strings.TrimPrefix(number, " "))
		if !ok || rest != "" {
			return nil, false
		}
		list = append(list, n)
	}
	return list, true
}
