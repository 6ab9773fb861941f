package hlo

import "bytes"

// unquote undoes the quotes of a string and its C escapes: \n \t \" \' \\ \101 \x41.
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

// escape decodes what stands behind a backslash and tells how many bytes it takes.
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
