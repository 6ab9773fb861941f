package phrase

import (
	"testing"

	"pgregory.net/rapid"
)

// A set fits what its patterns fit one by one, and a plain one nothing but itself.
func TestSetFitsWhatAnyFits(t *testing.T) {
	text := rapid.StringOfN(rapid.RuneFrom([]rune("ab/é*?[]{},!^-\\")), 0, 4, -1)
	rapid.Check(t, func(t *rapid.T) {
		patterns, name := rapid.SliceOfN(text, 0, 4).Draw(t, "patterns"), text.Draw(t, "name")
		if got, want := NewGlobs(patterns).Fits(name), AnyGlob(patterns, name); got != want {
			t.Fatalf("%q fits %q: %v in a set, %v one by one", name, patterns, got, want)
		}
		for _, p := range patterns {
			if PlainName(p) && Glob(p, name) && p != name {
				t.Fatalf("%q fits %q, which is plain", name, p)
			}
		}
	})
}
