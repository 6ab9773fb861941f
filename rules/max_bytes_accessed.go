package rules

import (
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/rule"
)

var maxBytesAccessed = rule.Rule{
	ID:       "max-bytes-accessed",
	Title:    "no more memory traffic than before",
	Category: rule.CostFacts,
	Why:      "Most kernels wait for memory. The bytes that they read and write, by XLA's own cost model, rise when a fusion is lost, a layout changes or a type is widened.",
	Reads:    []rule.Input{rule.Optimized},
	Budget:   rule.FactMetric(facts.CostBytes, "memory traffic"),
	Fails:    rule.Example{On: "gpu-softmax_barrier/after", Config: "- { rule: max-bytes-accessed, max_increase: 5% }", Says: "769.0 KiB of memory traffic: up from 256.0 KiB in the baseline (+200.4 %)"},
	Passes:   rule.Example{On: "gpu-softmax_barrier/after", Config: "- { rule: max-bytes-accessed, max: 769KiB }"},
	Fix:      "Look at the kernels that are new or changed: each reads its operands and writes its result once.",
	Threads:  []string{"marin-community/marin#1714"},
	Accepts:  []string{"cost.*"},
	Variant:  rule.CheckBudget,
}
