package rules

import (
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/rule"
)

var maxEstimatedCycles = rule.Rule{
	ID:       "max-estimated-cycles",
	Title:    "the compiler's estimate of cycles does not grow",
	Category: rule.CostFacts,
	Why: "The TPU compiler writes down how many cycles it expects for every operation. This is a model, not a measurement, but it shows what the number of kernels does " +
		"not: a layout with padding, a fusion that became slower.",
	Reads:   []rule.Input{rule.Codegen},
	Budget:  rule.FactMetric(facts.CostCycles, "estimated cycles"),
	Level:   "warning",
	Fails:   rule.Example{On: "tpu-precision/after", Config: "- { rule: max-estimated-cycles, max_increase: 5% }", Says: "18,532 estimated cycles: up from 10,168 in the baseline"},
	Passes:  rule.Example{On: "tpu-precision/before", Config: "- { rule: max-estimated-cycles, max_increase: 5% }"},
	Fix:     "Look at the kernels that are new or changed; `xlagate inspect` lists the bytes that each moves.",
	Threads: []string{"marin-community/marin#1714"},
	Accepts: []string{"cost.*"},
	Variant: rule.CheckBudget,
}
