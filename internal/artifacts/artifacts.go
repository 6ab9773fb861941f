// Package artifacts reads the files that XLA writes beside a module: buffer assignments, live ranges, thunk sequences, PTX and its
// registers, flags and devices, drawings of a module. Every reader takes the whole content of a file and returns exact numbers. What it
// cannot read is an error with its line, never a zero.
package artifacts

import "fmt"

// SyntaxError is a line that a reader could not make sense of.
type SyntaxError struct {
	Line    int // from 1
	Message string
}

// Error is the message with its line.
func (e *SyntaxError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Message) }

func syntaxError(line int, format string, args ...any) error {
	return &SyntaxError{Line: line, Message: fmt.Sprintf(format, args...)}
}
