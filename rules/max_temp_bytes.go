package rules

import (
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/rule"
)

var maxTempBytes = rule.Rule{
	ID:       "max-temp-bytes",
	Title:    "the program needs no more temporary memory",
	Category: rule.Memory,
	Why:      "Temporary memory makes a model that fitted yesterday run out of memory today, and only the crash shows it.",
	Reads:    []rule.Input{rule.BufferAssignment},
	Options:  []rule.Option{minGrowth},
	Budget:   rule.FactMetric(facts.MemoryTemp, "temporary memory"),
	Fails:    rule.Example{On: "cpu-fusion_callback_barrier/after", Config: "- { rule: max-temp-bytes, max: 32KiB, max_increase: 5% }", Says: "64.0 KiB of temporary memory: at most 32.0 KiB allowed; up from 0 B in the baseline"},
	Passes:   rule.Example{On: "cpu-fusion_callback_barrier/after", Config: "- { rule: max-temp-bytes, max: 64KiB }"},
	Fix:      "Look at the buffers that grew: a value that is kept for later (a residual, a stacked scan output), or a fusion that was split and now writes what it used to keep in registers.",
	Threads:  []string{"marin-community/marin#5394", "openxla/xla#45912", "openxla/xla#27322"},
	Accepts:  []string{"memory.*"},
	Variant:  rule.CheckBudget,
}

// minGrowth lets growth of a size pass that is too little to matter.
var minGrowth = rule.Option{Key: rule.MinGrowth, Type: rule.Size, Sense: rule.Caps, Default: 0.0, Doc: "ignore growth below this, even if it is more than max_increase"}
