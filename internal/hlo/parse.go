package hlo

import (
	"bytes"
	"cmp"
)

// Parse reads a module, text or proto by its content; file is only named in errors. The module keeps src.
func Parse(src []byte, file string) (*Module, error) {
	switch {
	case len(bytes.TrimSpace(src)) == 0:
		return nil, &SyntaxError{File: file, Message: "the file is empty"}
	case IsText(src):
		return ParseText(src, file)
	}
	return ParseProto(src, file)
}

// Reader reads modules. Its zero value reads one computation after the other, and each with instructions of its own.
type Reader struct {
	Compact bool // computations that are spelled alike may have their instructions in common; see [Module.Original]
	Hands   int  // how many may read at once
	// Share calls do(0) to do(n-1), in any order, and returns when all are done. Its error is that of the reading.
	Share func(n int, do func(i int)) error

	partSize int // how many bytes are worth a part of their own; 0: 1 MiB
}

// parts is into how many parts so many bytes are cut: a few for each hand, since they are of different size.
func (r Reader) parts(bytes int) int {
	if r.Hands < 2 || r.Share == nil {
		return 1
	}
	return min(4*r.Hands, bytes/cmp.Or(r.partSize, 1<<20))
}

// caught turns a thrown *SyntaxError into an error.
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

// IsText tells whether a file is HLO text: its first token is HloModule, or a computation or an instruction begins with it.
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
