package proposal

import "testing"

// Names as real dumps hold them.
func TestScopeOf(t *testing.T) {
	for opName, want := range map[string]string{
		"jit(softmax)/div":                        "",
		"jit(fb)/transpose(jvp(mlp))/dot_general": "mlp backward",
		"jit(fb)/jvp(mlp)/dot_general":            "mlp",
		"jit(train_step)/transpose(jvp())/mul;jit(train_step)/transpose(jvp())/broadcast_in_dim": "",
		"jit(slope)/transpose(jvp(jvp()))/checkpoint/rematted_computation/dot_general":           "",
		"jit(train_step)/transpose(jvp())/while/body/closed_call/add_any":                        "",
		"jit(train_step)/transpose(jvp())/while/body/eval_jaxpr/add_any":                         "",
		"jit(adam_step)/transpose(jvp(layer18))/jit(clip)/mul":                                   "clip backward",
		"gradient_tape/Mul_1":      "Mul",
		"Mean":                     "Mean",
		"aten__lerp.18/aten__lerp": "aten__lerp",
		"":                         "",
	} {
		if got := scopeOf(opName); got != want {
			t.Errorf("%q is of %q, wanted %q", opName, got, want)
		}
	}
}

// However alike the fusions are, no two pins have one name: the name is what tells findings apart.
func TestNamesAreApart(t *testing.T) {
	pins := []pin{
		{do: []string{"add", "exponential", "multiply", "reduce"}},
		{do: []string{"add", "exponential", "multiply", "reduce", "subtract"}},
		{do: []string{"add", "exponential", "multiply", "reduce", "select", "subtract", "tanh"}, scope: "mlp"},
		{do: []string{"add", "exponential", "multiply", "reduce"}},
		{do: []string{"add", "exponential", "multiply", "reduce"}},
		{do: []string{"multiply", "subtract"}},
	}
	nameApart(pins)
	want := []string{
		"exponential-reduce-add", "exponential-reduce-add-multiply-subtract", "mlp exponential-reduce-tanh", "exponential-reduce-add-multiply",
		"exponential-reduce-add 2", "multiply-subtract",
	}
	for i, p := range pins {
		if p.name != want[i] {
			t.Errorf("pin %d is called %q, wanted %q", i, p.name, want[i])
		}
	}
}
