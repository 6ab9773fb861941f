package rules

import (
	"fmt"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
)

var maxConstantBytes = rule.Rule{
	ID:       "max-constant-bytes",
	Title:    "nothing large is baked into the program",
	Category: rule.Compilation,
	Why: "A weight that is closed over instead of passed in becomes a constant: it is copied into every compiled program, folded at compile time for " +
		"minutes, and can be neither donated nor sharded.",
	Reads: []rule.Input{rule.Optimized},
	Options: []rule.Option{
		{Key: "per_constant", Type: rule.Size, Sense: rule.Caps, Doc: "the most that a single constant may hold"},
	},
	Budget:  rule.FactMetric(facts.MemoryConstant, "constants"),
	Bounds:  []string{"per_constant"},
	Fails:   rule.Example{On: "cpu-constant_baked/after", Config: "- { rule: max-constant-bytes, max_increase: 1KiB }", Says: "32.0 KiB of constants: up from 0 B in the baseline"},
	Passes:  rule.Example{On: "cpu-constant_baked/after", Config: "- { rule: max-constant-bytes, max: 64KiB }"},
	Fix:     "Pass the array as an argument of the jitted function instead of closing over it.",
	Threads: []string{"openxla/xla#1652", "jax-ml/jax#21300"},
	Since:   "1",
	Accepts: []string{"memory.*", "constants", "params"},
	Variant: checkConstantBytes,
}

func checkConstantBytes(c *rule.Context, v *diff.Variant) {
	if f := c.Judge(c.Count(string(facts.MemoryConstant), (*facts.Variant).ConstantBytes)); f != nil {
		f.Cause, f.Evidence = v.FactGrowth(facts.MemoryConstant)
	}
	checkEachConstant(c, v)
}

func checkEachConstant(c *rule.Context, v *diff.Variant) {
	limit, ok := c.Number("per_constant")
	if !ok {
		return
	}
	for _, k := range v.New.Constants {
		c.Checked()
		if float64(k.Bytes) > limit {
			is, allowed := phrase.Apart(float64(k.Bytes), limit, "bytes")
			c.Find(rule.Finding{
				Subject: k.Shape + " " + k.OpName, Unit: "bytes", Actual: float64(k.Bytes), Limit: limit,
				Message: fmt.Sprintf("the constant %s holds %s, at most %s allowed", k.Shape, is, allowed), Cause: diff.ConstantAt(k),
				Bound: &result.Bound{Key: "per_constant", Needs: float64(k.Bytes)},
			})
		}
	}
}
