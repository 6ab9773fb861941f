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

// IsText tells whether a file is HLO text: its first token is HloModule, or a computation begins with it.
func IsText(src []byte) bool {
	t := text(src)
	i := t.start()
	if t.word(i, "HloModule") || t.word(i, "ENTRY") {
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
	return end < len(t) && (t[end] == '{' || t[end] == '(')
}
