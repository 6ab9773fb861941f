package hlo

import (
	"bytes"
	"fmt"
)

// Parse reads a module from text or from a proto, whichever src is. Errors name the file. The module keeps src.
func Parse(src []byte, file string) (*Module, error) {
	switch {
	case len(bytes.TrimSpace(src)) == 0:
		return nil, &SyntaxError{File: file, Message: "the file is empty"}
	case IsText(src):
		return ParseText(src, file)
	}
	return ParseProto(src, file)
}

// caught calls read and returns the *SyntaxError that it throws.
func caught(read func()) (err error) {
	defer func() {
		switch failure := recover().(type) {
		case nil:
		case *SyntaxError:
			err = failure
		default:
			panic(failure)
		}
	}()
	read()
	return nil
}

// IsText reports whether a file is HLO text: whether it begins with HloModule, a computation or an instruction.
func IsText(src []byte) bool {
	t := text(src)
	i := t.start()
	if t.word(i, "HloModule") || t.word(i, "ENTRY") || t.instruction(i) {
		return true
	}
	if i < len(t) && t[i] == '%' {
		i++
	}
	end := t.ident(i)
	if end == i {
		return false
	}
	end = t.blanks(end)
	if !t.at(end, '(') {
		return t.at(end, '{')
	}
	behind := t.parameters(end)
	return !t.at(behind-1, ')') || t.at(t.blanks(behind), '-')
}

// SyntaxError is the reason why a module could not be read, and where.
type SyntaxError struct {
	File         string
	Line, Column int    // 1-based, in bytes; 0 for a proto
	Offset       int64  // bytes from the start
	Near         string // the text at that place, at most 40 bytes
	Message      string // "the file ends inside an instruction of %fused_computation.4"
}

// Error returns the place, the message and the text at that place.
func (e *SyntaxError) Error() string {
	place := fmt.Sprintf("%s:%d:%d", e.File, e.Line, e.Column)
	if e.Line == 0 {
		place = fmt.Sprintf("%s: at byte %d", e.File, e.Offset)
	}
	if e.Near == "" {
		return place + ": " + e.Message
	}
	return fmt.Sprintf("%s: %s, near %q", place, e.Message, e.Near)
}
