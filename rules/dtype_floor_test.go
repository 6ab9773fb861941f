package rules

import (
	"slices"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
)

// A product is wider when it went from a narrow type to a wide one; one that was added, or is gone, did not. A TPU multiplies f32 in bf16.
func TestWidening(t *testing.T) {
	type products = map[string]float64
	for name, c := range map[string]struct {
		tpu     bool
		was, is products
		wider   float64
		says    string
	}{
		"all":               {false, products{"bf16": 4}, products{"f32": 4}, 4, "bf16 4 → 0, f32 0 → 4"},
		"some":              {false, products{"bf16": 4, "f32": 1}, products{"bf16": 3, "f32": 2}, 1, "bf16 4 → 3, f32 1 → 2"},
		"eight bits":        {false, products{"s8": 2}, products{"s32": 2}, 2, "s32 0 → 2, s8 2 → 0"},
		"narrower":          {false, products{"f32": 4}, products{"bf16": 4}, 0, "bf16 0 → 4, f32 4 → 0"},
		"added":             {false, products{"bf16": 4}, products{"bf16": 4, "f32": 3}, 0, "f32 0 → 3"},
		"gone":              {false, products{"bf16": 4, "f32": 3}, products{"f32": 3}, 0, "bf16 4 → 0"},
		"the same":          {false, products{"f32": 3}, products{"f32": 3}, 0, ""},
		"more than went":    {false, products{"bf16": 1}, products{"f32": 5}, 1, "bf16 1 → 0, f32 0 → 5"},
		"f32 of a TPU":      {true, products{"bf16": 4}, products{"f32": 4}, 0, "bf16 4 → 0, f32 0 → 4"},
		"f64 of a TPU":      {true, products{"f32": 4}, products{"f64": 4}, 4, "f32 4 → 0, f64 0 → 4"},
		"eight bits, a TPU": {true, products{"s8": 2}, products{"f32": 2}, 2, "f32 0 → 2, s8 2 → 0"},
	} {
		w := widening{tpu: c.tpu, was: c.was, is: c.is}
		if got, says := w.measure(), strings.TrimPrefix(w.sentence(), "in a wider type than in the baseline: "); got != c.wider || says != c.says {
			t.Errorf("%s: %v wider, %q", name, got, w.sentence())
		}
	}
}

// A product is wider, too, when the model does not scale down what it multiplies any more; not when it went, or when others were added.
func TestUnscaled(t *testing.T) {
	type numbers = facts.Values
	converts := func(n int, to string) facts.Statement {
		return facts.Statement{Type: to, Do: slices.Repeat([]string{"convert"}, n)}
	}
	e4, e5 := func(n int) facts.Statement { return converts(n, "f8e4m3fn") }, func(n int) facts.Statement { return converts(n, "f8e5m2") }
	type model = []facts.Statement
	for name, c := range map[string]struct {
		was    numbers
		scaled model
		is     numbers
		scales model
		wider  float64
	}{
		"all":              {numbers{"products.f32": 4}, model{e4(8)}, numbers{"products.f32": 4}, nil, 8},
		"one operand":      {numbers{"products.f32": 1}, model{e4(2)}, numbers{"products.f32": 1}, model{e4(1)}, 1},
		"backwards":        {numbers{"products.f32": 3}, model{e4(1), e5(2)}, numbers{"products.f32": 3}, model{e4(1)}, 2},
		"another type":     {numbers{"products.f32": 3}, model{e4(3)}, numbers{"products.f32": 3}, model{e5(3)}, 0},
		"gone":             {numbers{"products.f32": 4}, model{e4(8)}, numbers{"products.f32": 2}, model{e4(4)}, 0},
		"added":            {numbers{"products.f32": 4}, model{e4(4)}, numbers{"products.f32": 6}, model{e4(4)}, 0},
		"as asked":         {numbers{"products.f32": 2, "asked.bf16": 4}, model{e4(4)}, numbers{"products.f32": 2, "asked.bf16": 4}, model{e4(1)}, 3},
		"integers":         {numbers{"products.f32": 4, "asked.bf16": 4}, model{e4(8)}, numbers{"products.s8": 4, "asked.s8": 4}, nil, 0},
		"one integer":      {numbers{"products.bf16": 4}, model{e4(8)}, numbers{"products.s8": 1, "products.bf16": 3}, nil, 6},
		"four bits":        {numbers{"products.bf16": 4}, model{e4(8)}, numbers{"products.s4": 4}, nil, 0},
		"in itself":        {numbers{"asked.bf16": 4}, model{e4(8)}, numbers{"products.f32": 4, "asked.f8e4m3fn": 4}, model{e4(8)}, 0},
		"not before":       {numbers{"products.f32": 4}, nil, numbers{"products.f32": 4}, model{e4(4)}, 0},
		"what is narrower": {numbers{"products.f32": 4}, model{converts(4, "bf16")}, numbers{"products.f32": 4}, nil, 0},
	} {
		old, fresh := &facts.Variant{Facts: c.was, Input: facts.Input{Model: c.scaled}}, &facts.Variant{Facts: c.is, Input: facts.Input{Model: c.scales}}
		w := unscaled(&changes.Variant{Old: old, New: fresh})
		if got := w.measure(); got != c.wider {
			t.Errorf("%s: %v wider, want %v: %s", name, got, c.wider, w.sentence())
		}
	}
}
