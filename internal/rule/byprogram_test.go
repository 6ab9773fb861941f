package rule

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// What settings leave to others is found as by going through all of them.
func TestExceptIsFoundByName(t *testing.T) {
	name := rapid.SampledFrom([]string{"a", "b", "ab", "b*", "*", "a?", "{a,b}", "IrToHlo", "IrToHlo-2"})
	rapid.Check(t, func(t *rapid.T) {
		var s Settings
		lists := rapid.SliceOfN(rapid.SliceOfN(name, 0, 3), 0, 3).Draw(t, "others")
		for _, programs := range lists {
			s.Except.Add(&Settings{Programs: programs})
		}
		program := name.Draw(t, "program")
		left := slices.ContainsFunc(lists, func(programs []string) bool { return (&Settings{Programs: programs}).Names(program) })
		if s.Covers("t", program) == left {
			t.Fatalf("%q is left to %q: %v", program, lists, left)
		}
	})
}
