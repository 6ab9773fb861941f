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
	Program: checkConstantBytes,
}

func checkConstantBytes(c *rule.Context, p *diff.Program) {
	for _, v := range rule.Live(p) {
		if f := c.Judge(c.Count(p, v, string(facts.MemoryConstant), (*facts.Variant).ConstantBytes)); f != nil {
			f.Cause, f.Evidence = constantCause(v)
		}
		checkEachConstant(c, p, v)
	}
}

func checkEachConstant(c *rule.Context, p *diff.Program, v *diff.Variant) {
	limit, ok := c.Number("per_constant")
	if !ok {
		return
	}
	for _, k := range v.New.Constants {
		c.Checked()
		if float64(k.Bytes) > limit {
			is, allowed := phrase.Apart(float64(k.Bytes), limit, "bytes")
			c.Find(rule.Finding{
				Program: p.Name, Variant: rule.VariantName(v), Subject: k.Shape + " " + k.OpName, Unit: "bytes", Actual: float64(k.Bytes), Limit: limit,
				Message: fmt.Sprintf("the constant %s holds %s, at most %s allowed", k.Shape, is, allowed), Cause: constantAt(k),
				Bound: &result.Bound{Key: "per_constant", Needs: float64(k.Bytes)},
			})
		}
	}
}

// constantCause names the largest constant that is new, and the argument that it was.
func constantCause(v *diff.Variant) (*diff.Cause, result.Evidence) {
	var e result.Evidence
	var largest *facts.Constant
	for _, k := range diff.NewConstants(v) {
		if largest == nil || k.Bytes > largest.Bytes {
			largest = &k
		}
		if len(e.After) < diff.MaxLines {
			e.After = append(e.After, fmt.Sprintf("constant %s (%s) %s", k.Shape, phrase.Bytes(float64(k.Bytes)), k.OpName))
		}
	}
	if largest == nil {
		return nil, e
	}
	cause := constantAt(*largest)
	cause.Title = diff.Baked(*largest, diff.FormerArgument(v, largest.Shape))
	return cause, e
}

func constantAt(k facts.Constant) *diff.Cause {
	return &diff.Cause{Kind: result.KindConstants, Title: diff.Baked(k, ""), OpName: k.OpName, Source: k.Source}
}
