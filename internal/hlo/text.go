package hlo

import (
	"bytes"
	"iter"
)

// text is HLO text. Its methods scan from a byte offset and return the one behind what they scanned. None fails: at the end of the text everything ends.
type text []byte

// Classes of bytes.
const (
	classIdent   = 1 << iota // part of a name
	classBlank               // separates tokens
	classOpening             // ( [ {
	classClosing             // ) ] }
	classQuote               // " and '
	classSlash               // may begin a comment
	classPercent             // begins a name in the long form

	classNested = classOpening | classClosing | classQuote | classSlash // see balanced
)

var class = func() (t [256]uint8) {
	mark := func(bytes string, class uint8) {
		for _, c := range []byte(bytes) {
			t[c] |= class
		}
	}
	mark("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-", classIdent)
	mark(" \t\r\n\v\f", classBlank)
	mark("([{", classOpening)
	mark(")]}", classClosing)
	mark(`"'`, classQuote)
	mark("/", classSlash)
	mark("%", classPercent)
	return t
}()

// is reports whether byte i exists and has a class.
func (t text) is(i int, of uint8) bool { return i < len(t) && class[t[i]]&of != 0 }

// at reports whether byte i exists and is c.
func (t text) at(i int, c byte) bool { return i < len(t) && t[i] == c }

// blanks skips blanks and comments.
func (t text) blanks(i int) int {
	if i < len(t) && class[t[i]]&(classBlank|classSlash) != 0 {
		i = t.manyBlanks(i)
	}
	return i
}

// blank skips one blank if there is one.
func (t text) blank(i int) int {
	if t.at(i, ' ') {
		i++
	}
	return i
}

func (t text) manyBlanks(i int) int {
	for i < len(t) {
		switch {
		case class[t[i]]&classBlank != 0:
			i++
		case t[i] == '/':
			end := t.comment(i)
			if end == i {
				return i
			}
			i = end
		default:
			return i
		}
	}
	return i
}

// comment skips one comment, if there is one.
func (t text) comment(i int) int {
	closing := ""
	switch {
	case t.at(i+1, '*'):
		closing = "*/"
	case t.at(i+1, '/'):
		closing = "\n"
	default:
		return i
	}
	n := bytes.Index(t[i+2:], []byte(closing))
	if n < 0 {
		return len(t)
	}
	return i + 2 + n + len(closing)
}

// word reports whether the name at i is w.
func (t text) word(i int, w string) bool {
	end := i + len(w)
	return end <= len(t) && string(t[i:end]) == w && !t.is(end, classIdent)
}

// quoted skips a string; i is its opening quote. A string may contain line ends.
func (t text) quoted(i int) int {
	quote := t[i]
	for i++; ; i++ {
		n := bytes.IndexByte(t[i:], quote)
		if n < 0 {
			return len(t)
		}
		if i += n; t[i-1] != '\\' || !t.escaped(i) {
			return i + 1
		}
	}
}

// escaped reports whether an odd number of backslashes is before byte i.
func (t text) escaped(i int) bool {
	first := i
	for first > 0 && t[first-1] == '\\' {
		first--
	}
	return (i-first)%2 == 1
}

// balanced skips from the bracket at i to behind the one that closes it. Brackets in strings and comments do not count.
func (t text) balanced(i int) int {
	depth := 0
	for ; i < len(t); i++ {
		kind := class[t[i]]
		switch {
		case kind&classNested == 0:
		case kind&classOpening != 0:
			depth++
		case kind&classClosing != 0:
			if depth--; depth == 0 {
				return i + 1
			}
		case kind&classQuote != 0:
			i = t.quoted(i) - 1
		default:
			i = max(i, t.comment(i)-1)
		}
	}
	return i
}

// braces skips from the { at i to behind the } that closes it, in a value that need not be HLO: only braces and strings in double quotes count.
func (t text) braces(i int) int {
	depth := 0
	for i < len(t) {
		switch t[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i + 1
			}
		case '"':
			i = t.quoted(i)
			continue
		}
		i++
	}
	return i
}

// value skips an attribute's value, `{0,1}`, `kLoop`, `"x"`, `[2,4]<=[4,2]T(1,0)`, up to the end of the line, or to a comma or closing bracket outside of it.
func (t text) value(i int) int {
	for i < len(t) {
		c := t[i]
		switch kind := class[c]; {
		case kind&classIdent != 0:
			i = t.ident(i)
		case kind&classOpening != 0:
			i = t.balanced(i)
		case kind&classQuote != 0:
			i = t.quoted(i)
		case c == ',' || kind&classClosing != 0:
			return i
		case kind&classBlank != 0:
			next := i
			for t.at(next, ' ') || t.at(next, '\t') {
				next++
			}
			if !t.is(next, classOpening) {
				return i
			}
			i = next
		case c == '/' && t.comment(i) > i:
			return i
		default:
			i++
		}
	}
	return i
}

// key reads `, key=`. The key is empty when no attribute follows.
func (t text) key(i int) spelling {
	if i+3 < len(t) && t[i] == '\n' && t[i+1] == ' ' && t[i+2] == ' ' { // nearly always the next instruction follows
		i += 3
	}
	if i = t.blanks(i); !t.at(i, ',') {
		return spelling{}
	}
	key := t.name(t.blanks(t.blank(i + 1)))
	if !t.at(key.end(), '=') {
		return spelling{}
	}
	return key
}

// attributeKey reads `, key=` and the blanks behind it. ok is false when no attribute follows.
func (t text) attributeKey(i int) (key Range, value int, ok bool) {
	k := t.key(i)
	if k.n == 0 { // the blanks behind an empty key are those at the start of the file
		return Range{}, i, false
	}
	return k.bounds(), t.blanks(k.end() + 1), true
}

// attributeValue skips the value of an attribute. The braces of two attributes contain text that is not HLO, and a literal follows its shape.
func (t text) attributeValue(key Range, i int) int {
	switch name := t[key.Start:key.End]; {
	case t.at(i, '{'):
		if string(name) == "backend_config" || string(name) == "frontend_attributes" {
			return t.braces(i)
		}
	case string(name) == "literal" && !t.at(i, '('):
		return t.value(t.blanks(t.shape(i)))
	}
	return t.value(i)
}

// attributes yields keys and values as they are spelled. The value of an attribute includes the device ids of a mesh and the thread of a
// nested computation, which look like attributes of their own.
func (t text) attributes(start uint32) iter.Seq2[Range, Range] {
	return func(yield func(key, value Range) bool) {
		key, value, ok := t.attributeKey(int(start))
		for ok {
			end := t.attributeValue(key, value)
			next, start, more := t.attributeKey(end)
			for more && (string(t[next.Start:next.End]) == "device_ids" || string(t[next.Start:next.End]) == "execution_thread") {
				end = t.attributeValue(next, start)
				next, start, more = t.attributeKey(end)
			}
			if !yield(key, Range{uint32(value), uint32(end)}) {
				return
			}
			key, value, ok = next, start, more
		}
	}
}

// unquote removes the quotes of a string and decodes its C escapes: \n \t \" \' \\ \101 \x41.
func unquote(quoted []byte) string {
	if len(quoted) < 2 {
		return ""
	}
	s := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(s, '\\') < 0 {
		return string(s)
	}
	out := make([]byte, 0, len(s))
	for len(s) > 0 {
		if s[0] != '\\' || len(s) == 1 {
			out, s = append(out, s[0]), s[1:]
			continue
		}
		c, n := escape(s[1:])
		out, s = append(out, c), s[1+n:]
	}
	return string(out)
}

// escape decodes the n bytes behind a backslash.
func escape(s []byte) (c byte, n int) {
	const letters, meanings = `abfnrtv`, "\a\b\f\n\r\t\v"
	if i := bytes.IndexByte([]byte(letters), s[0]); i >= 0 {
		return meanings[i], 1
	}
	if s[0] == 'x' || s[0] == 'X' {
		if c, n := number(s[1:], 16, 2); n > 0 {
			return c, 1 + n
		}
	}
	if c, n := number(s, 8, 3); n > 0 {
		return c, n
	}
	return s[0], 1
}

// number decodes up to limit digits.
func number(s []byte, base, limit int) (c byte, n int) {
	v := 0
	for n < len(s) && n < limit {
		d := bytes.IndexByte([]byte("0123456789abcdefABCDEF"), s[n])
		if d >= 16 {
			d -= 6
		}
		if d < 0 || d >= base {
			break
		}
		v = v*base + d
		n++
	}
	return byte(v), n
}
