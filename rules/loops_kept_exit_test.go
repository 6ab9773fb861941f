package rules

import (
	"testing"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/diff/difftest"
	"github.com/xlagate/xlagate/internal/facts"
)

// A loop that lost its early exit is known by its name, else by another loop that ended early and is gone.
func TestExitsThatWereLost(t *testing.T) {
	stopping := func(v *facts.Variant, at ...int) *facts.Variant {
		for _, i := range at {
			v.Kernels[i].Stops = true
		}
		for i := range v.Kernels {
			v.Kernels[i].Counts = v.Kernels[i].Length == 0 && !v.Kernels[i].Stops
		}
		return v
	}
	unsure := func(v *facts.Variant) *facts.Variant {
		for i := range v.Kernels {
			v.Kernels[i].Counts = false
		}
		return v
	}
	called := func(v *facts.Variant, i int, name string) *facts.Variant {
		v.Kernels[i].OpName = name
		return v
	}
	for _, c := range []struct {
		name       string
		old, fresh *facts.Variant
		want       int
	}{
		{"one of two", stopping(difftest.Looping(-1, -1), 0, 1), stopping(difftest.Looping(-1, -1), 1), 1},
		{"none", stopping(difftest.Looping(-1, 3), 0), stopping(difftest.Looping(-1, 3), 0), 0},
		{"of one that is called otherwise now", stopping(difftest.Looping(-1), 0), called(stopping(difftest.Looping(-1)), 0, "jit(f)/decode/while"), 1},
		{"of one that is called otherwise now and still ends early", stopping(difftest.Looping(-1), 0), called(stopping(difftest.Looping(-1), 0), 0, "jit(f)/decode/while"), 0},
		{"other loops came as well: it is another program", stopping(difftest.Looping(-1), 0), called(difftest.Looping(-1, 7), 0, "jit(f)/decode/while"), 0},
		{"of two that are called otherwise now, of which one ended early", stopping(difftest.Looping(-1, -1), 0), called(called(stopping(difftest.Looping(-1, -1), 1), 1, "b"), 0, "a"), 0},
		{"a loop is new", stopping(difftest.Looping(-1), 0), stopping(difftest.Looping(-1, -1), 0), 0},
		{"it is known how often the loop runs: that is told otherwise", stopping(difftest.Looping(-1), 0), difftest.Looping(3), 0},
		{"nobody knows whether only counters end it now", stopping(difftest.Looping(-1), 0), unsure(stopping(difftest.Looping(-1))), 0},
		{"nobody knows that of one that is called otherwise now", stopping(difftest.Looping(-1), 0), unsure(called(stopping(difftest.Looping(-1)), 0, "jit(f)/decode/while")), 0},
		{"one that nothing but its counter ended", difftest.Looping(-1), difftest.Looping(-1), 0},
	} {
		if got := lostExits(&diff.Variant{Old: c.old, New: c.fresh}); len(got) != c.want {
			t.Errorf("%s: %d loops, wanted %d", c.name, len(got), c.want)
		}
	}
}
