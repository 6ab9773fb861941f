package wire

import (
	"strings"
	"testing"
)

// A message is cut between characters and says how long it was; nothing in it moves a cursor.
func TestPlain(t *testing.T) {
	long := strings.Repeat("a", mostQuoted-1)
	for message, want := range map[string]string{
		"": "", "fünf": "fünf", "a\x1b[31mb": "a�[31mb", "\xff": "�", "two\nlines": "two\nlines", long + "b": long + "b", long + "bc": long + "b… (401 bytes)", long + "ü": long + "… (401 bytes)",
	} {
		if got := Plain(message); got != want {
			t.Errorf("%q: %q", message, got)
		}
	}
}
