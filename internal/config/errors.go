package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/phrase"
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
	b.WriteString(phrase.Count(len(e), "error", "errors") + " in " + e[0].File)
	return b.String()
}

func (r *reader) errorf(n *yamldoc.Node, format string, args ...any) {
	line, column := 1, 1
	if n != nil {
		line, column = max(n.Line, 1), max(n.Column, 1)
	}
	r.errors = append(r.errors, Error{File: r.file, Line: line, Column: column, Message: fmt.Sprintf(format, args...)})
}

// oneOf lists words, the first few if there are many.
func oneOf(words []string) string {
	const most = 8
	if len(words) > most {
		return strings.Join(words[:most], ", ") + ", …"
	}
	return strings.Join(words, ", ")
}

// meant suggests a word for a misspelled one. HLO and NumPy have different names for types.
func meant(word string, known []string) string {
	for _, t := range []struct{ numpy, hlo string }{{"bfloat", "bf"}, {"float", "f"}, {"complex", "c"}, {"uint", "u"}, {"int", "s"}, {"bool", "pred"}} {
		bits, ok := strings.CutPrefix(strings.ToLower(word), t.numpy)
		if name := t.hlo + strings.TrimLeft(bits, "_"); ok && slices.Contains(known, name) { // f32 for float32
			return fmt.Sprintf("; HLO calls it %s", name)
		}
	}
	return phrase.DidYouMean(word, known)
}

// slips are the common mistakes behind the errors of the YAML reader.
var slips = []struct{ said, hint string }{
	{"did not find expected ',' or '}'", "a text with brackets, braces or a comma must be in quotes, and every { needs its }"},
	{"did not find expected ',' or ']'", "a text with brackets, braces or a comma must be in quotes, and every [ needs its ]"},
	{"cannot start any token", "YAML is indented with spaces, not with tabs; a text that starts with @, %, ` or a tab must be in quotes"},
	{"mapping values are not allowed", "is the line indented too far, or is a text with a colon not in quotes?"},
	{"did not find expected '-' indicator", "is the line indented like those beside it?"},
	{"did not find expected key", "is the line indented like those beside it?"},
	{"did not find expected <document start>", "everything before it is one mapping in braces; does its } come too early?"},
	{"could not find expected ':'", "is a colon missing, or a quote?"},
	{"found unexpected end of stream", "a quote is not closed"},
}
