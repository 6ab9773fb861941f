package baseline

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// quote writes a scalar plainly where YAML reads it back as the same string, and in double quotes otherwise.
func quote(s string) string {
	if plain(s) {
		return s
	}
	return string(appendQuoted(nil, s))
}

func appendQuoted(b []byte, s string) []byte {
	if plain(s) {
		return append(b, s...)
	}
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case hidden(r):
			b = appendEscaped(b, r)
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}

// hidden reports whether a character cannot stand in a line of YAML as it is, or would not be seen there.
func hidden(r rune) bool {
	return r < 0x20 || r >= 0x7f && r < 0xa0 || r == 0x2028 || r == 0x2029 || r == 0xfeff || r >= 0xfffd && r <= 0xffff
}

func appendEscaped(b []byte, r rune) []byte {
	const hex = "0123456789abcdef"
	return append(b, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
}

// plain reports whether a string needs no quotes: words, with dots, dashes and underscores inside, that no YAML reader takes for a
// number, a bool or null.
func plain(s string) bool {
	return s != "" && wordLen(s) == len(s) && !reserved(s)
}

// wordLen is how much of a text, from its start, is a word.
func wordLen(s string) int {
	for i := range len(s) {
		c := s[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
		if !letter && (i == 0 || !(c >= '0' && c <= '9' || c == '.' || c == '-' || c == '/')) {
			return i
		}
	}
	return len(s)
}

// reserved reports whether a word means something else to a YAML reader, be it of version 1.1.
func reserved(word string) bool {
	switch len(word) {
	case 1:
		return strings.ContainsAny(word, "yYnN")
	case 2, 3, 4, 5:
		return slices.ContainsFunc([]string{"true", "false", "null", "yes", "no", "on", "off"}, func(w string) bool { return strings.EqualFold(w, word) })
	}
	return false
}
