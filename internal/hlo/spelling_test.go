package hlo

import (
	"bytes"
	"testing"
)

// Names end at the first byte that is not part of a name, at every position in eight bytes and before the end of the text.
func TestNamesEnd(t *testing.T) {
	for c := range 256 {
		for n := range 20 {
			for behind := range 9 {
				word := append(bytes.Repeat([]byte("_"), n), byte(c))
				src := text(append(word, "............"[:behind]...))
				want := len(src)
				if class[byte(c)]&classIdent == 0 {
					want = n
				}
				name := src.name(0)
				if got := src.ident(0); got != want || name.end() != want {
					t.Fatalf("%q: ident ends at %d, name at %d, want %d", src, got, name.end(), want)
				}
				if again := append(src[:want:want], " and some more text"...).name(0); again != name {
					t.Fatalf("%q: %x is spelled otherwise before other text: %x", src, name, again)
				}
			}
		}
	}
}
