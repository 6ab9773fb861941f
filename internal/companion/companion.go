// Package companion reads the small files that XLA writes beside a module: where its buffers lie, what is launched, for which
// device and with which flags it was compiled. Every reader takes a file's whole content and returns exact numbers; what it
// cannot make sense of is an error with the line it stands on, never a zero.
package companion

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
