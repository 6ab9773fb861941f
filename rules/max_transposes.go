package rules

import (
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/rule"
)

var maxTransposes = rule.Rule{
	ID:       "max-transposes",
	Title:    "no transpose is added to the program",
	Category: rule.Memory,
	Why:      "A transpose moves every byte and computes nothing. It appears when two operations want different layouts.",
	Reads:    []rule.Input{rule.Optimized},
	Budget:   rule.FactMetric(facts.TransposesCount, "transposes"),
	Fails:    rule.Example{On: "cpu-extra_transpose/after", Config: "- { rule: max-transposes, max: 1 }", Says: "2 transposes: at most 1 allowed"},
	Passes:   rule.Example{On: "cpu-extra_transpose/after", Config: "- { rule: max-transposes, max_increase: 0 }"},
	Fix:      "Give the operation its operand in the layout that it needs: change the einsum's order, or transpose once outside of the step.",
	Threads:  []string{"jax-ml/jax#33338", "openxla/xla#47203"},
	Accepts:  []string{"transposes.*", "kernels.*", "ledger"},
	Variant:  rule.CheckBudget,
}
