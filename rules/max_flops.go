package rules

import (
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/rule"
)

var maxFlops = rule.Rule{
	ID:       "max-flops",
	Title:    "the program does no more arithmetic",
	Category: rule.CostFacts,
	Why:      "More arithmetic for the same result is work done twice: a forward pass that is recomputed, a common subexpression that is no longer shared.",
	Reads:    []rule.Input{rule.Optimized},
	Budget:   rule.FactMetric(facts.CostFlops, "floating-point operations"),
	Fails:    rule.Example{On: "cpu-f64_creep/after", Config: "- { rule: max-flops, max_increase: 1% }", Says: "82,047 floating-point operations: up from 65,599 in the baseline"},
	Passes:   rule.Example{On: "cpu-f64_creep/after", Config: "- { rule: max-flops, max: 100000 }"},
	Fix:      "Look for what is computed twice: an aux output that runs the model again, a checkpoint that covers too much.",
	Threads:  []string{"marin-community/marin#1714"},
	Accepts:  []string{"cost.*"},
	Variant:  rule.CheckBudget,
}
