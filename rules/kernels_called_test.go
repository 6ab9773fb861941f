package rules

import (
	"testing"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/rule"
)

// A kernel that grew took over what another did only where all of them together do no more of any operation.
func TestMerged(t *testing.T) {
	calling := func(bodies ...map[string]int) *facts.Variant {
		v := &facts.Variant{}
		for _, ops := range bodies {
			v.Kernels = append(v.Kernels, facts.Kernel{Form: &facts.Form{Function: "kernel", Written: ops}, Site: &facts.Site{}})
		}
		return v
	}
	scale, gelu := map[string]int{"arith.mulf": 1, "arith.addf": 1}, map[string]int{"arith.mulf": 4, "math.tanh": 1}
	old := calling(scale, gelu)
	for name, c := range map[string]struct {
		fresh *facts.Variant
		want  bool
	}{
		"both in one":                        {calling(map[string]int{"arith.mulf": 5, "arith.addf": 1, "math.tanh": 1}), true},
		"one grew, the other did other work": {calling(map[string]int{"arith.mulf": 5, "math.tanh": 2}), false},
		"an operation that none had":         {calling(map[string]int{"arith.mulf": 4, "math.exp": 1}), false},
		"as many as before":                  {calling(scale, gelu), false},
		"one more":                           {calling(scale, gelu, scale), false},
	} {
		context := rule.NewContext(&rule.Settings{Rule: &kernelBodies, Options: map[string]any{}}, &rule.Target{}, nil)
		if got := mergedKernels(context, &diff.Variant{Old: old, New: c.fresh}); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
