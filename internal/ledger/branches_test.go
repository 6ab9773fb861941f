package ledger

import (
	"testing"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
)

// A run leaves more out where work stands in a branch now, not where the program merely costs less: XLA counts a loop once whose length it
// does not know.
func TestLeavesOut(t *testing.T) {
	costing := func(most, least float64) *facts.Variant {
		f := facts.Numbers{"cost.flops": most, "cost.bytes_accessed": 100}
		if least < most {
			f["cost.least_flops"], f["cost.least_bytes_accessed"] = least, 100
		}
		return &facts.Variant{Facts: f}
	}
	earlier := costing(100, 100) // what accepted a program with branches and did not know what they cost
	earlier.Kernels = []facts.Kernel{{Form: &facts.Form{Root: "conditional"}}}
	for _, c := range []struct {
		old, fresh *facts.Variant
		want       bool
	}{
		{costing(100, 100), costing(100, 5), true},
		{costing(100, 100), costing(5, 5), false},
		{costing(100, 5), costing(100, 100), false},
		{costing(100, 100), costing(100, 99), false},
		{earlier, costing(100, 5), false},
		{&facts.Variant{Facts: facts.Numbers{"cost.flops": 100, "cost.bytes_accessed": 100, "loops.unknown": 1}}, costing(100, 5), false},
	} {
		if got := LeavesOut(&diff.Variant{Old: c.old, New: c.fresh}); got != c.want {
			t.Errorf("%v after %v leaves out more: %v", c.fresh.Facts, c.old.Facts, got)
		}
	}
}
