package wire

import (
	"fmt"
	"strings"
	"unicode"
)

// mostQuoted is how many bytes of a message may come from a file.
const mostQuoted = 400

// Printable replaces the characters of a text that a terminal obeys, and bytes that are none.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) && r != '\n' {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

// Plain makes a message that quotes a file fit to print: without characters that a terminal obeys, and not too long.
func Plain(message string) string {
	message = Printable(message)
	if len(message) <= mostQuoted {
		return message
	}
	return strings.ToValidUTF8(message[:mostQuoted], "") + fmt.Sprintf("… (%d bytes)", len(message))
}
