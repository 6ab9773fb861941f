package rules

import (
	"fmt"
	"strings"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
)

var maxOutputBytes = rule.Rule{
	ID:       "max-output-bytes",
	Title:    "the program returns no more than it did",
	Category: rule.Memory,
	Why:      "A result that is returned must be written to memory: an intermediate that is returned as well can no longer stay inside a fusion.",
	Reads:    []rule.Input{rule.BufferAssignment},
	Options:  []rule.Option{{Key: "max_outputs", Type: rule.Count, Sense: rule.Caps, Doc: "the most results that the program may return; needs no buffer assignment"}},
	Budget:   rule.FactMetric(facts.MemoryOutput, "results"),
	Bounds:   []string{"max_outputs"},
	Fails:    rule.Example{On: "gpu-intermediate_out/after", Config: "- { rule: max-output-bytes, max_increase: 0 }", Says: "128.0 KiB of results: up from 64.0 KiB in the baseline (+100.0 %)"},
	Passes:   rule.Example{On: "gpu-intermediate_out/after", Config: "- { rule: max-output-bytes, max: 128.02KiB }"},
	Fix:      "Return it only where it is needed: from another function, or behind a debug switch.",
	Threads:  []string{"AI-Hypercomputer/maxtext#4405"},
	Since:    "1",
	Accepts:  []string{"memory.*"},
	Variant:  checkOutputs,
}

func checkOutputs(c *rule.Context, v *diff.Variant) {
	if _, dumped := v.New.Facts[c.Rule.Budget.Fact]; dumped || c.Bounded() || !c.BoundedByOwn() {
		c.JudgeFact(*c.Rule.Budget)
	}
	boundOutputs(c, v)
}

// boundOutputs holds how many arrays the program returns against max_outputs.
func boundOutputs(c *rule.Context, v *diff.Variant) {
	limit, ok := c.Number("max_outputs")
	if !ok {
		return
	}
	c.Checked()
	n := float64(strings.Count(v.New.Result, "[")) // each array has one, a tuple has none of its own
	if n <= limit {
		return
	}
	f := c.Find(rule.Finding{
		Subject: "outputs", Actual: n, Limit: limit, Bound: &result.Bound{Key: "max_outputs", Needs: n},
		Message: fmt.Sprintf("the program returns %s, at most %s allowed", phrase.Counted(n, "", "results"), phrase.Number(limit)),
		Cause:   v.Largest(func(k *facts.Kernel) bool { return k.Result }),
	})
	if v.Old != nil {
		f.Cause, f.Evidence = v.ResultGrowth()
	}
}
