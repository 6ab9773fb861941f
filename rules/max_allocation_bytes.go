package rules

import (
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/rule"
)

var maxAllocationBytes = rule.Rule{
	ID:       "max-allocation-bytes",
	Title:    "no single allocation grows too large",
	Category: rule.Memory,
	Why:      "An allocation has to fit into memory in one piece. A program can fail to allocate although enough bytes are free, and the largest allocation fails first.",
	Reads:    []rule.Input{rule.BufferAssignment},
	Budget:   rule.FactMetric(facts.MemoryAllocation, "the largest allocation"),
	Fails:    rule.Example{On: "cpu-constant_baked/after", Config: "- { rule: max-allocation-bytes, max: 16KiB }", Says: "32.0 KiB of the largest allocation: at most 16.0 KiB allowed"},
	Passes:   rule.Example{On: "cpu-constant_baked/before", Config: "- { rule: max-allocation-bytes, max: 1MiB }"},
	Fix:      "See which buffers share the allocation (xlagate inspect): all temporaries share one; a large argument or constant has its own.",
	Threads:  []string{"openxla/xla#17124"},
	Accepts:  []string{"memory.*"},
	Variant:  rule.CheckBudget,
}
