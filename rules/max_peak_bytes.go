package rules

import (
	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/rule"
)

var maxPeakBytes = rule.Rule{
	ID:       "max-peak-bytes",
	Title:    "the program needs no more memory at its peak",
	Category: rule.Memory,
	Why:      "Arguments, outputs, constants and temporaries together decide whether a program fits on the device.",
	Reads:    []rule.Input{rule.BufferAssignment},
	Options:  []rule.Option{memorySpace, minGrowth},
	Budget:   rule.FactMetric(facts.MemoryPeak, "peak memory"),
	Fails:    rule.Example{On: "cpu-unfused/after", Config: "- { rule: max-peak-bytes, max_increase: 5% }", Says: "193.0 KiB of peak memory: up from 129.0 KiB in the baseline (+49.6 %)"},
	Passes:   rule.Example{On: "cpu-unfused/after", Config: "- { rule: max-peak-bytes, max: 1MiB }"},
	Fix:      "See which part grew (xlagate inspect): arguments, outputs, constants or temporaries; each has its own rule and its own cure.",
	Threads:  []string{"jax-ml/jax#30627", "openxla/xla#17124"},
	Since:    "1",
	Accepts:  []string{"memory.*"},
	Check:    checkSpace,
	Program:  checkPeak,
}

func checkPeak(c *rule.Context, p *diff.Program) {
	space := c.Text(memorySpace.Key)
	if space == "" {
		rule.CheckBudget(c, p)
		return
	}
	for _, v := range rule.Live(p) {
		judgeSpace(c, p, v, space)
	}
}
