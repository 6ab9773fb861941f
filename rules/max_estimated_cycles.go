package rules

import (
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/rule"
)

var maxEstimatedCycles = rule.Rule{
	ID:       "max-estimated-cycles",
	Title:    "the compiler expects no more cycles",
	Category: rule.CostFacts,
	Why: "The compiler for TPUs writes down how many cycles it expects of every operation. It is a model, not a measurement, but it sees what the number of kernels does " +
		"not: a layout that pads, a fusion that became slower.",
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
