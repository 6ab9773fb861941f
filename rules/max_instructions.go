package rules

import (
	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/rule"
)

var maxInstructions = rule.Rule{
	ID:    "max-instructions",
	Title: "the program has no more instructions than before",
	Why:   "An unrolled loop, or work that is traced twice, first shows as more instructions; compile time and code size follow.",
	Options: []rule.Option{
		{Key: "stage", Type: rule.Word, Enum: []string{"after", "before"}, Default: "after", Doc: "after XLA's optimizations, or before them"},
	},
	Budget: rule.FactMetric(facts.InstructionsAfter, "instructions"),
	Fails: rule.Example{On: "cpu-unrolled_loop/after", Config: "- { rule: max-instructions, max_increase: 10% }",
		Says: "231 instructions: up from 50 in the baseline, max_increase 10 %"},
	Passes:  rule.Example{On: "cpu-unrolled_loop/after", Config: "- { rule: max-instructions, max: 231 }"},
	Fix:     "Look for a Python loop where lax.scan or vmap would do, and for a function that is called twice with the same arguments.",
	Threads: []string{"jax-ml/jax#2777", "openxla/xla#35719"},
	Variant: func(c *rule.Context, v *changes.Variant) {
		m := *c.Rule.Budget
		if c.Text("stage") == "before" {
			m.Fact, m.Noun = facts.InstructionsBefore, "instructions before optimization"
			if !v.New.Facts.Known(m.Fact) {
				c.Uncovered(rule.Unoptimized, rule.DumpFix)
				return
			}
		}
		c.JudgeFact(m)
	},
}
