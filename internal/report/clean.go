package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds on what is shown of one text; the JSON format alone holds texts in full.
const (
	maxName     = 120 // names, shapes and paths
	maxSentence = 600 // messages, which quote names
)

// clean makes a text from a dump harmless to a terminal, a log or a page: no control or escape sequences, no characters that
// reorder or hide others, no line breaks. What is not printable is shown as its escape; a line break with the indentation behind
// it becomes a space.
func clean(s string) string {
	if harmless(s) {
		return s
	}
	var b strings.Builder
	broken := false
	for i, r := range s {
		space := r == '\n' || r == '\t' || r == '\r'
		if broken && (space || r == ' ') {
			continue
		}
		broken = space
		switch {
		case space:
			b.WriteByte(' ')
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD"):
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r < utf8.RuneSelf:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	return unCommand(b.String())
}

func harmless(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] > '~' || s[i] == '#' {
			return false
		}
	}
	return true
}

// unCommand breaks the old form of a workflow command, which GitHub's runner reads anywhere in a line.
func unCommand(s string) string { return strings.ReplaceAll(s, "##[", "# #[") }

// cutName shortens a name to n runes in its middle: names of one model begin alike, and differ at their ends.
func cutName(s string, n int) string {
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	runes := []rune(s)
	head := n / 3
	return string(runes[:head]) + "…" + string(runes[len(runes)-(n-1-head):])
}

// cut shortens a text to at most n runes; the last one is then an ellipsis.
func cut(s string, n int) string {
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	runes := []rune(s)
	return string(runes[:n-1]) + "…"
}
