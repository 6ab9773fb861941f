package config

import (
	"fmt"
	"sort"
	"strings"

	"github.com/xlagate/xlagate/internal/yamldoc"
)

// Error is one thing that is wrong in a configuration.
type Error struct {
	File         string
	Line, Column int
	Message      string
}

// Error is "file:line:column: message".
func (e Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Message)
}

// Errors is everything that is wrong in a configuration, in order of place.
type Errors []Error

// Error lists one error a line, then counts them.
func (e Errors) Error() string {
	var b strings.Builder
	for _, one := range e {
		b.WriteString(one.Error() + "\n")
	}
	noun := "errors"
	if len(e) == 1 {
		noun = "error"
	}
	fmt.Fprintf(&b, "%d %s in %s", len(e), noun, e[0].File)
	return b.String()
}

func (r *reader) errorf(n *yamldoc.Node, format string, args ...any) {
	line, column := 1, 1
	if n != nil {
		line, column = max(n.Line, 1), max(n.Column, 1)
	}
	r.errors = append(r.errors, Error{File: r.file, Line: line, Column: column, Message: fmt.Sprintf(format, args...)})
}

func (r *reader) sorted() Errors {
	sort.SliceStable(r.errors, func(i, j int) bool {
		a, b := r.errors[i], r.errors[j]
		if a.Line != b.Line {
			return a.Line < b.Line
		}
		return a.Column < b.Column
	})
	return r.errors
}

// oneOf lists what was expected, shortened when there is much of it.
func oneOf(words []string) string {
	const most = 8
	if len(words) > most {
		return strings.Join(words[:most], ", ") + ", …"
	}
	return strings.Join(words, ", ")
}
