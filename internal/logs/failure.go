package logs

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Failure is an exception of a Python program. It names the operation that XLA could not compile, if there is one.
type Failure struct {
	Line      int    // of the log, from 1
	Exception string // "TypeError"
	Op        string // the operation that XLA could not compile, "" for any other exception
	Traced    string // the function that JAX was tracing, where it says so
	Compiling bool   // XLA, or the framework in front of it, raised it for a line of the program
	Where     Location
	Text      string // its first sentence
}

const traceback = "Traceback (most recent call last):"

// maxPrefix bounds what whoever runs several processes puts before each line.
const maxPrefix = 256

// FindFailure finds the last exception of a log, nil if there is none. A program that succeeds may print an exception that it caught.
func FindFailure(log []byte) *Failure {
	if all := FindFailures(log); len(all) > 0 {
		return all[len(all)-1]
	}
	return nil
}

// FindFailures lists the exceptions of a log in order. JAX prints some of them twice.
func FindFailures(log []byte) (failures []*Failure) {
	line, from, seen := 1, 0, map[string]bool{}
	for {
		at := bytes.Index(log[from:], []byte(traceback))
		if at < 0 {
			return failures
		}
		at += from
		line += bytes.Count(log[from:at], []byte{'\n'})
		end := len(log)
		if next := bytes.Index(log[at+1:], []byte(traceback)); next >= 0 {
			end = at + 1 + next
		}
		text, before := log[at:end], log[max(0, at-maxPrefix):at]
		if begin := bytes.LastIndexByte(before, '\n') + 1; begin < len(before) && (begin > 0 || at < maxPrefix) {
			text = bytes.ReplaceAll(text, append([]byte{'\n'}, before[begin:]...), []byte{'\n'})
		}
		if f := readFailure(text, line); f != nil && !seen[f.String()] {
			failures, seen[f.String()] = append(failures, f), true
		}
		from, line = end, line+bytes.Count(log[at:end], []byte{'\n'})
	}
}

// readFailure reads a traceback and the exception after it, nil if the exception is cut off.
func readFailure(text []byte, line int) *Failure {
	f, r := &Failure{Line: line}, &reader{data: text}
	r.next()
	for {
		start := r.pos
		text, ok := r.next()
		if !ok {
			return nil
		}
		if !bytes.HasPrefix(text, []byte("  ")) {
			f.raise(string(text), r.data[start:])
			f.Compiling = f.Compiling && f.Where.File != ""
			return f
		}
		frame, ok := pythonFrame(string(bytes.TrimSpace(text)))
		switch {
		case ok && !Installed(frame.File):
			f.Where, f.Compiling = frame, false
		case ok:
			f.Compiling = f.Compiling || ofCompiler(frame.File, "/")
		}
	}
}

// compilerPackages are XLA's own package and packages that only pass programs to it. TensorFlow does more.
var compilerPackages = []string{"jax", "jaxlib", "torch_xla"}

// ofCompiler recognises a file or a qualified name of one of these packages.
func ofCompiler(name, separator string) bool {
	return slices.ContainsFunc(compilerPackages, func(p string) bool {
		return strings.HasPrefix(name, p+separator) || strings.Contains(name, "-packages/"+p+separator)
	})
}

// ofXLA matches XLA's messages by its spelling of shapes and its kinds of errors: PyTorch/XLA raises them in C++ under PyTorch's types, so no frame shows it.
var ofXLA = regexp.MustCompile(`\b(pred|bf16|[sufc]\d+)\[[\d,<=]*\]|\b(INTERNAL|INVALID_ARGUMENT|RESOURCE_EXHAUSTED|UNIMPLEMENTED|FAILED_PRECONDITION): |^Error preparing computation: |torch_xla/csrc/|\b(XLA|tf2xla)\b`)

// raise reads "jax.errors.TracerBoolConversionError: Attempted boolean conversion of traced array with shape bool[]." and what follows it.
func (f *Failure) raise(first string, rest []byte) {
	kind, text, _ := strings.Cut(first, ": ")
	switch text {
	case "Graph execution error:":
		text = f.running(rest)
	case "in user code:":
		kind, text = f.tracing(kind, rest)
	}
	f.Compiling = f.Compiling || ofCompiler(kind, ".") || ofXLA.MatchString(text) || bytes.Contains(rest, []byte("\nFor simplicity, JAX has removed its internal frames"))
	if f.Compiling && strings.HasSuffix(text, ":") { // JAX says in the next paragraph what differs
		_, more, _ := strings.Cut(string(rest), "\n")
		if more, _, _ = strings.Cut(strings.TrimSpace(more), "\n"); strings.Trim(more, "-") != "" {
			text += " " + more
		}
	}
	text, _, _ = strings.Cut(text, ". ")
	f.Exception, f.Text = kind[strings.LastIndexByte(kind, '.')+1:], strings.TrimSuffix(text, ".")
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

// tracing reads TensorFlow's report of an error while it traces a function: the stack in the model's code, then the error.
func (f *Failure) tracing(kind string, rest []byte) (string, string) {
	f.Compiling = true
	for line := range bytes.SplitSeq(rest, []byte{'\n'}) {
		text, ok := bytes.CutPrefix(line, []byte("    "))
		if !ok || len(text) == 0 || text[0] == ' ' {
			continue
		}
		frame, framed := pythonFrame(strings.TrimRight(string(text), " *"))
		switch {
		case framed && !Installed(frame.File):
			f.Where = frame
		case !framed:
			kind, said, _ := strings.Cut(string(text), ": ")
			return kind, said
		}
	}
	return kind, ""
}

// running reads TensorFlow's report of an operation that failed while its graph ran: the stack that created it, then the error.
func (f *Failure) running(rest []byte) string {
	_, rest, _ = bytes.Cut(rest, []byte("\nDetected at node "))
	_, rest, _ = bytes.Cut(rest, []byte{'\n'})
	for line := range bytes.SplitSeq(rest, []byte{'\n'}) {
		text := string(bytes.TrimSpace(line))
		frame, framed := pythonFrame(text)
		switch {
		case framed && !Installed(frame.File):
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
