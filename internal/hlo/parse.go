package hlo

import "bytes"

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
