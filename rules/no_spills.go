package rules

import (
	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/rule"
)

var noSpills = rule.Rule{
	ID:       "no-spills",
	Title:    "GPU kernels do not spill registers",
	Category: rule.Kernels,
	Why: "A thread whose values do not fit into its registers keeps them in memory and reads them back each time. The optimized HLO of such a kernel looks like that of a fast one; " +
		"NVIDIA's assembler reports the spilled bytes from the PTX, on any machine.",
	Reads:   []rule.Input{rule.PTX},
	Budget:  rule.FactMetric(facts.SpillsBytes, "spilled registers"),
	Forbids: true,
	Fails:   rule.Example{On: "gpu-kernel_body/after", Config: "- { rule: no-spills, max_increase: 0 }", Says: "48 B of spilled registers: up from 28 B in the baseline (+71.4 %)"},
	Passes:  rule.Example{On: "gpu-kernel_body/after", Config: "- { rule: no-spills, max: 64 }"},
	Fix:     "Give each thread less work: smaller blocks or more warps in a Triton or Pallas kernel, fewer operations or results in one fusion.",
	Threads: []string{"triton-lang/triton#11249", "openxla/xla#34812"},
	Accepts: []string{"spills.*", "registers.*"},
	Variant: checkNoSpills,
}

func checkNoSpills(c *rule.Context, v *diff.Variant) {
	if registersUnknown(c, v, c.Rule.Budget.Fact) {
		return
	}
	a := c.AmountOf(*c.Rule.Budget, c.Rule.Budget.Fact)
	if f := c.Forbid(a); f != nil {
		f.Cause, f.Evidence = mostOf(v.New, (*facts.Kernel).Spilled, func(n int64) string { return "spills " + phrase.Bytes(float64(n)) + " a thread" })
	}
}
