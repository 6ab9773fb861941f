package logs

import (
	"bytes"
	"fmt"
	"path"
	"strings"
)

// Failure is what ended a Python program: an exception that nothing caught. XLA says in it which operation it could not compile.
type Failure struct {
	Line      int    // of the log, from 1
	Exception string // "TypeError"
	Op        string // the operation that XLA could not compile, "" for any other exception
	Traced    string // the function that JAX was tracing, where it says so
	Where     Location
	Text      string // its first sentence
}

const traceback = "Traceback (most recent call last):"

// FindFailure finds the last exception of a log, nil when there is none. A program that ends well may have printed one that it caught.
func FindFailure(log []byte) *Failure {
	at := bytes.LastIndex(log, []byte(traceback))
	if at < 0 {
		return nil
	}
	f := &Failure{Line: 1 + bytes.Count(log[:at], []byte{'\n'})}
	prefix := log[bytes.LastIndexByte(log[:at], '\n')+1 : at] // of whoever runs several processes
	r := &reader{data: bytes.ReplaceAll(log[at:], append([]byte{'\n'}, prefix...), []byte{'\n'})}
	r.next()
	for {
		start := r.pos
		text, ok := r.next()
		if !ok {
			return nil
		}
		if !bytes.HasPrefix(text, []byte("  ")) {
			f.raise(string(text), r.data[start:])
			return f
		}
		if frame, ok := pythonFrame(string(bytes.TrimSpace(text))); ok && !installed(frame.File) {
			f.Where = frame
		}
	}
}

// raise reads "jax.errors.TracerBoolConversionError: Attempted boolean conversion of traced array with shape bool[]." and what follows it.
func (f *Failure) raise(first string, rest []byte) {
	kind, text, _ := strings.Cut(first, ": ")
	if text == "Graph execution error:" {
		text = f.running(rest)
	}
	f.Exception, f.Text = kind[strings.LastIndexByte(kind, '.')+1:], firstSentence(text)
	if _, traced, ok := bytes.Cut(rest, []byte("\nThe error occurred while tracing the function ")); ok {
		name, _, _ := bytes.Cut(traced, []byte(" "))
		f.Traced = string(name)
	}
	for _, e := range Read(rest) {
		if e.Kind == Uncompilable {
			f.Op, f.Text = e.Op, e.Text
			if e.Where.File != "" {
				f.Where = e.Where
			}
			return
		}
	}
}

// running reads what TensorFlow says of an operation that failed while its graph ran: the stack behind which it was made, then the error.
func (f *Failure) running(rest []byte) string {
	_, rest, _ = bytes.Cut(rest, []byte("\nDetected at node "))
	_, rest, _ = bytes.Cut(rest, []byte{'\n'})
	for line := range bytes.SplitSeq(rest, []byte{'\n'}) {
		text := string(bytes.TrimSpace(line))
		frame, framed := pythonFrame(text)
		switch {
		case framed && !installed(frame.File):
			f.Where = frame
		case framed || text == "" || strings.HasSuffix(text, "(most recent call last):") || strings.HasSuffix(text, "root error(s) found."):
		default:
			text = strings.TrimPrefix(text, "(0) ")
			if code, said, ok := strings.Cut(text, ": "); ok && strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == "" {
				text = strings.TrimSpace(said)
			}
			return text
		}
	}
	return ""
}

func firstSentence(text string) string {
	text, _, _ = strings.Cut(text, ". ")
	return strings.TrimSuffix(text, ".")
}

// String is one sentence: what failed, where, and why.
func (f *Failure) String() string {
	what := f.Exception
	switch {
	case f.Op != "":
		what = "XLA cannot compile " + f.Op
	case f.Traced != "":
		what += " while JAX traces " + f.Traced
	}
	if f.Where.File != "" {
		what += fmt.Sprintf(" at %s:%d", path.Base(f.Where.File), f.Where.Line)
	}
	if f.Where.Function != "" && f.Where.Function != "<module>" && f.Where.Function != f.Traced {
		what += " in " + f.Where.Function
	}
	if f.Text == "" {
		return what
	}
	return what + ": " + f.Text
}
