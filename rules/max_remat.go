package rules

import (
	"strings"

	"github.com/xlagate/xlagate/internal/diff"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
)

var maxRemat = rule.Rule{
	ID:       "max-remat",
	Title:    "the compiler computes nothing twice to save memory",
	Category: rule.Memory,
	Why: "When a program does not fit, XLA throws values away and computes them again. The step gets slower by what is computed twice, and only the names of the " +
		"copies (.remat) tell.",
	Reads:   []rule.Input{rule.Optimized},
	Budget:  rule.FactMetric(facts.RematCount, "rematerialized operations"),
	Fails:   rule.Example{On: "tpu-remat/after", Config: "- { rule: max-remat, max_increase: 0 }", Says: "1 rematerialized operation: up from 0 in the baseline"},
	Passes:  rule.Example{On: "tpu-remat/before", Config: "- { rule: max-remat, max: 0 }"},
	Fix:     "Need less memory at once: donate arguments, checkpoint by hand where it is cheapest, shard or shrink the batch.",
	Threads: []string{"marin-community/marin#8549"},
	Since:   "1",
	Accepts: []string{"remat.*", "cost.*", "kernels.*", "ledger"},
	Program: checkMaxRemat,
}

func checkMaxRemat(c *rule.Context, p *diff.Program) {
	for _, v := range rule.Live(p) {
		if _, ok := v.New.Facts[c.Rule.Budget.Fact]; !ok {
			c.Uncovered(p.Name, rule.Optimized, rule.DumpFix)
			continue
		}
		if f := c.Judge(c.AmountOf(p, v, *c.Rule.Budget, c.Rule.Budget.Fact)); f != nil {
			f.Cause, f.Evidence = rematCause(v.New)
		}
	}
}

func rematCause(v *facts.Variant) (*diff.Cause, result.Evidence) {
	again := func(k *facts.Kernel) bool { return strings.Contains(k.Name, ".remat") }
	e := result.Evidence{After: diff.LinesOf(v.Kernels, again)}
	k := facts.FirstKernel(v.Kernels, again)
	if k == nil {
		return nil, e
	}
	return diff.CauseAt(k.Name+" is computed again", k), e
}
