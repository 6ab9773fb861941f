package config

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

// A fusion is called by its part of the model and by what tells it from others.
func TestName(t *testing.T) {
	for want, p := range map[string]pin{
		"exponential-reduce-add":      {do: []string{"add", "exponential", "multiply", "reduce"}},
		"mlp exponential-reduce-tanh": {do: []string{"add", "exponential", "multiply", "reduce", "select", "subtract", "tanh"}, scope: "mlp"},
		"multiply-subtract":           {do: []string{"multiply", "subtract"}},
	} {
		if got := p.name(); got != want {
			t.Errorf("%v is called %q, wanted %q", p.do, got, want)
		}
	}
}

// Limits are round, and let pass what is there now and a tenth more.
func TestRoomFor(t *testing.T) {
	for _, c := range []struct {
		amount float64
		units  []unit
		want   string
	}{
		{12_400, limitTimeUnits, "14us"}, {9_050, limitTimeUnits, "10us"}, {10_000, limitTimeUnits, "11us"}, {950_000, limitTimeUnits, "1.1ms"}, {300, limitTimeUnits, "330ns"}, {3, limitTimeUnits, "4ns"}, {2.5e9, limitTimeUnits, "2.8s"},
		{257 << 10, limitSizeUnits, "290KiB"}, {1000 << 10, limitSizeUnits, "1.1MiB"}, {41 << 30, limitSizeUnits, "46GiB"}, {4, limitSizeUnits, "5B"}, {900 << 10, limitSizeUnits, "990KiB"}, {920 << 10, limitSizeUnits, "1100KiB"},
	} {
		if got := roomFor(c.amount, c.units); got != c.want {
			t.Errorf("%v: %s, wanted %s", c.amount, got, c.want)
		}
	}
}
