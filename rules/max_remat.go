package rules

import (
	"strings"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/rule"
)

var maxRemat = rule.Rule{
	ID:    "max-remat",
	Title: "the compiler computes nothing twice to save memory",
	Why: "When a program does not fit into memory, XLA discards values and computes them again. The step gets slower, and only the names of the " +
		"copies (.remat) tell.",
	Needs:   facts.RematCount,
	Budget:  rule.FactMetric(facts.RematCount, "rematerialized operations"),
	Fails:   rule.Example{On: "tpu-remat/after", Config: "- { rule: max-remat, max_increase: 0 }", Says: "1 rematerialized operation: up from 0 in the baseline"},
	Passes:  rule.Example{On: "tpu-remat/before", Config: "- { rule: max-remat, max: 0 }"},
	Fix:     "Reduce the peak of memory: donate arguments, checkpoint by hand where it is cheapest, shard or shrink the batch.",
	Threads: []string{"marin-community/marin#8549"},
	Variant: func(c *rule.Context, v *changes.Variant) {
		again := func(k *facts.Kernel) bool { return strings.Contains(k.Name, ".remat") }
		f := c.Judge(c.AmountOf(*c.Rule.Budget, c.Rule.Budget.Fact))
		if k := facts.FirstKernel(v.New.Kernels, again); f != nil && k != nil {
			f.Cause, f.Evidence.After = changes.CauseAt(k.Name+" is computed again", k), changes.LinesOf(v.New.Kernels, again)
		}
	},
}
