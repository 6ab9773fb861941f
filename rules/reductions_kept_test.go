package rules

import (
	"testing"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/rule"
)

// A sum is narrower only beside one of the same size: an array that is summed in place of a scalar is another sum.
func TestNarrowerSums(t *testing.T) {
	summing := func(asked string, arrays ...string) *facts.Variant {
		v := &facts.Variant{}
		for _, array := range arrays {
			k := collective("all-reduce", 8)
			k.Out = array
			v.Kernels = append(v.Kernels, k)
			v.Model = append(v.Model, facts.Statement{Type: asked, Do: []string{"all-reduce"}})
		}
		return v
	}
	for name, c := range map[string]struct {
		was, is *facts.Variant
		want    int
	}{
		"in bf16":                       {summing("f32", "f32[8,4]"), summing("bf16", "bf16[8,4]"), 1},
		"in bf16, which a CPU widens":   {summing("f32", "f32[8,4]"), summing("bf16", "f32[8,4]"), 1},
		"in f32":                        {summing("bf16", "bf16[8,4]"), summing("f32", "f32[8,4]"), 0},
		"an array in place of a scalar": {summing("f32", "f32[]"), summing("bf16", "bf16[8,4]"), 0},
		"one more":                      {summing("f32", "f32[8,4]"), summing("bf16", "f32[8,4]", "f32[8,4]"), 1},
		"beside another one":            {summing("f32", "f32[8,4]"), summing("bf16", "f32[8,4]", "f32[]"), 1},
		"one of two":                    {summing("f32", "f32[]", "f32[8,4]"), summing("bf16", "bf16[8,4]", "bf16[16]"), 1},
	} {
		settings := &rule.Settings{Rule: &reductionsKept, Options: map[string]any{}}
		in := &rule.Context{Settings: settings, Report: &rule.Report{}}
		in.Run([]*changes.Program{{Name: "step", Old: &facts.Program{}, New: &facts.Program{}, Variants: []*changes.Variant{{Old: c.was, New: c.is}}}})
		if len(in.Findings) != c.want {
			t.Errorf("%s: %+v", name, in.Findings)
		}
	}
}
