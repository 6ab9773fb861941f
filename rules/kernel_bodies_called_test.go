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

// Conversions are what a kernel pays for reading and writing less: for nothing else, and not for nothing.
func TestNarrowed(t *testing.T) {
	kernel := func(bytes int64, ops map[string]int) facts.Kernel {
		return facts.Kernel{Form: &facts.Form{Function: "attend", Written: ops, Bytes: bytes}, Site: &facts.Site{}}
	}
	was := kernel(4000, map[string]int{"arith.mulf": 2, "arith.extf": 1})
	for name, c := range map[string]struct {
		fresh facts.Kernel
		want  bool
	}{
		"half the bytes, two conversions": {kernel(2000, map[string]int{"arith.mulf": 2, "arith.extf": 1, "arith.truncf": 2}), true},
		"more in a wider type":            {kernel(2000, map[string]int{"arith.mulf": 2, "arith.extf": 3, "arith.truncf": 2}), false},
		"and a product":                   {kernel(2000, map[string]int{"arith.mulf": 3, "arith.extf": 1, "arith.truncf": 2}), false},
		"and an operation that none had":  {kernel(2000, map[string]int{"arith.mulf": 2, "arith.extf": 2, "math.exp": 1}), false},
		"conversions for as many bytes":   {kernel(4000, map[string]int{"arith.mulf": 2, "arith.extf": 3}), false},
		"conversions for hardly less":     {kernel(3900, map[string]int{"arith.mulf": 2, "arith.extf": 3}), false},
		"one conversion took two's place": {kernel(2000, map[string]int{"arith.mulf": 2, "tt.fp_to_fp": 2}), true},
	} {
		if got := (written{&c.fresh, &diff.KernelChange{Old: was, New: c.fresh}}).narrowed(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if (written{&was, nil}).narrowed() {
		t.Error("a kernel that did not change reads no less")
	}
}

// A kernel whose conversions pass hides no other of the same function, though it grew more.
func TestNarrowedHidesNone(t *testing.T) {
	kernel := func(name string, bytes int64, ops map[string]int) facts.Kernel {
		return facts.Kernel{Name: name, Form: &facts.Form{Function: "attend", Written: ops, Bytes: bytes}, Site: &facts.Site{Times: 1}}
	}
	old := []facts.Kernel{kernel("a", 4000, map[string]int{"arith.mulf": 2}), kernel("b", 4000, map[string]int{"arith.mulf": 2})}
	fresh := []facts.Kernel{kernel("a", 2000, map[string]int{"arith.mulf": 2, "arith.truncf": 9}), kernel("b", 4000, map[string]int{"arith.mulf": 5})}
	v := &diff.Variant{Old: &facts.Variant{Kernels: old}, New: &facts.Variant{Kernels: fresh}}
	for i := range old {
		v.Kernels.Changed = append(v.Kernels.Changed, diff.KernelChange{Old: old[i], New: fresh[i]})
	}
	c := &rule.Context{Settings: &rule.Settings{Rule: &kernelBodies}, Said: &rule.Said{}}
	if bodies := bodiesOf(c, v); len(bodies) != 1 || bodies[0].Name != "b" {
		t.Errorf("of attend %v is judged, want the one that multiplies more", bodies)
	}
}
