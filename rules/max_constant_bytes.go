package rules

import (
	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/rule"
)

var maxConstantBytes = rule.Rule{
	ID:    "max-constant-bytes",
	Title: "nothing large is baked into the program",
	Why: "A weight that is closed over instead of passed in becomes a constant. It is copied into every compiled program, and can be neither donated " +
		"nor sharded.",
	Options: []rule.Option{
		{Key: "per_constant", Type: rule.Size, Doc: "the largest single constant"},
	},
	Budget: rule.FactMetric(facts.MemoryConstant, "baked constants"),
	Bounds: []string{"per_constant"},
	Fails: rule.Example{On: "cpu-constant_baked/after", Config: "- { rule: max-constant-bytes, max_increase: 1KiB }",
		Says: "32.0 KiB of baked constants: up from 0 B in the baseline, max_increase 1.0 KiB"},
	Passes:  rule.Example{On: "cpu-constant_baked/after", Config: "- { rule: max-constant-bytes, max: 64KiB }"},
	Fix:     "Pass the array as an argument of the jitted function instead of closing over it.",
	Threads: []string{"openxla/xla#1652", "jax-ml/jax#21300"},
	Variant: func(c *rule.Context, v *changes.Variant) {
		rule.Explain(c.Judge(c.Count("constants.bytes", (*facts.Variant).ConstantBytes)), v.FactGrowth, facts.MemoryConstant)
		for _, k := range v.New.Constants {
			if f := c.Cap("per_constant", k.Shape+" "+k.OpName, "bytes", float64(k.Bytes), "the constant "+k.Shape+" holds %s"); f != nil {
				f.Cause = changes.ConstantAt(k)
			}
		}
	},
}
