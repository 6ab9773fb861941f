package wire

import (
	"fmt"
	"strings"
	"unicode"
)

// mostQuoted bounds the bytes of a message that quotes a file.
const mostQuoted = 400

// Printable replaces a text's control characters and invalid bytes.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) && r != '\n' {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

// Plain makes a message that quotes a file safe to print: it removes control characters and bounds the length.
func Plain(message string) string {
	message = Printable(message)
	if len(message) <= mostQuoted {
		return message
	}
	return strings.ToValidUTF8(message[:mostQuoted], "") + fmt.Sprintf("… (%d bytes)", len(message))
}
