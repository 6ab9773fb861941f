package rules

import (
	"strings"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/rule"
)

var maxOutputBytes = rule.Rule{
	ID:      "max-output-bytes",
	Title:   "the program's results do not grow",
	Why:     "Every result is written to memory: an intermediate that is also returned can no longer stay inside a fusion.",
	Reads:   []rule.Input{rule.BufferAssignment},
	Options: []rule.Option{{Key: "max_outputs", Type: rule.Count, Doc: "the largest number of results; needs no buffer assignment"}},
	Budget:  rule.FactMetric(facts.MemoryOutput, "results"),
	Bounds:  []string{"max_outputs"},
	Fails: rule.Example{On: "gpu-intermediate_out/after", Config: "- { rule: max-output-bytes, max_increase: 0 }",
		Says: "128.0 KiB of results: up from 64.0 KiB in the baseline (+100.0 %)"},
	Passes:  rule.Example{On: "gpu-intermediate_out/after", Config: "- { rule: max-output-bytes, max: 128.02KiB }"},
	Fix:     "Return it only where it is needed: from another function, or behind a debug switch.",
	Threads: []string{"AI-Hypercomputer/maxtext#4405"},
	Variant: func(c *rule.Context, v *changes.Variant) {
		if v.New.Facts.Known(c.Rule.Budget.Fact) || c.Bounded() || !c.BoundedByOwn() {
			c.JudgeFact(*c.Rule.Budget)
		}
		n := float64(strings.Count(v.New.Result, "[")) // each array has one, a tuple has none of its own
		if f := c.Cap("max_outputs", "outputs", "", n, "the program returns "+phrase.Counted(n, "", "results")); f != nil {
			f.Cause, f.Evidence = v.ResultGrowth()
		}
	},
}
