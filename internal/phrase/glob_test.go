package phrase

import (
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
	"pgregory.net/rapid"
)

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"*", "jit(step)/layer0/mlp/tanh", true},
		{"*/mlp/*", "jit(step)/layer0/mlp/tanh", true},
		{"*/mlp/*", "jit(step)/layer0/attention/exp", false},
		{"*mlp*", "jit(step)/layer0/mlp/tanh", true},
		{"eval_*", "eval_step", true},
		{"eval_*", "train_step", false},
		{"{train,eval}_step", "eval_step", true},
		{"layer[0-3]", "layer2", true},
		{"layer[0-3]", "layer4", false},
		{"transpose[permutation=(1, 0)]", "transpose[permutation=(1, 0)]", true}, // an op_name is a pattern for itself
		{"", "", true},
		{"", "x", false},
	} {
		if got := Glob(c.pattern, c.name); got != c.want {
			t.Errorf("Match(%q, %q) = %v", c.pattern, c.name, got)
		}
	}
}

// Names that differ from a pattern by their first characters do not fit the whole pattern.
func TestDiffers(t *testing.T) {
	text := rapid.StringOfN(rapid.RuneFrom([]rune("ab/é*?[]{},!^-\\")), 0, 8, -1)
	rapid.Check(t, func(t *rapid.T) {
		pattern, name := text.Draw(t, "pattern"), text.Draw(t, "name")
		if fits, err := doublestar.Match(flat(pattern), flat(name)); differs(pattern, name) && err == nil && fits {
			t.Fatalf("%q fits %q", name, pattern)
		}
		if differs(pattern, pattern) {
			t.Fatalf("%q differs from itself", pattern)
		}
	})
	if !differs("train_step_v1", "train_step_v10") || !differs("train_step_v10", "train_step_v1") || !differs("a*", "b") || differs("a*", "ab") {
		t.Error("differs is wrong")
	}
}

func TestAnyOfNothingFitsNothing(t *testing.T) {
	if AnyGlob(nil, "x") || !AnyGlob([]string{"a", "x"}, "x") {
		t.Error("Any is wrong")
	}
}

func TestValid(t *testing.T) {
	for pattern, want := range map[string]bool{"a*": true, "{a,b}": true, "[a": false, "{a": false, strings.Repeat("{a,aa}", 10): true, strings.Repeat("{a,aa}", 11): false} {
		if got := ValidGlob(pattern); got != want {
			t.Errorf("Valid(%q) = %v", pattern, got)
		}
	}
}
