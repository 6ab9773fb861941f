package glob

import "testing"

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
		if got := Match(c.pattern, c.name); got != c.want {
			t.Errorf("Match(%q, %q) = %v", c.pattern, c.name, got)
		}
	}
}

func TestAnyOfNothingFitsNothing(t *testing.T) {
	if Any(nil, "x") || !Any([]string{"a", "x"}, "x") {
		t.Error("Any is wrong")
	}
}

func TestValid(t *testing.T) {
	for pattern, want := range map[string]bool{"a*": true, "{a,b}": true, "[a": false, "{a": false} {
		if got := Valid(pattern); got != want {
			t.Errorf("Valid(%q) = %v", pattern, got)
		}
	}
}
