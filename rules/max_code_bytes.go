package rules

import (
	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/rule"
)

var maxCodeBytes = rule.Rule{
	ID:      "max-code-bytes",
	Title:   "the generated code does not grow",
	Why:     "A loop once ran 37,000 times slower with the same optimized HLO. The size of the LLVM IR or PTX is the only sign of it in a dump.",
	Reads:   []rule.Input{rule.Code},
	Budget:  rule.FactMetric(facts.CodeLLVMBytes, "generated code"),
	Level:   "info",
	Fails:   rule.Example{On: "gpu-intermediate_out/after", Config: "- { rule: max-code-bytes, max_increase: 5% }", Says: "2.6 KiB of generated code: up from 2.3 KiB in the baseline (+10.4 %), max_increase 5 %"},
	Passes:  rule.Example{On: "gpu-intermediate_out/after", Config: "- { rule: max-code-bytes, max: 1MiB }"},
	Fix:     "Compare the .ll or .ptx files of the kernel that grew; if nothing in the model explains it, report it to the compiler's developers.",
	Threads: []string{"jax-ml/jax#40101"},
	Variant: func(c *rule.Context, v *changes.Variant) {
		m := *c.Rule.Budget
		if _, ok := v.New.Facts[m.Fact]; !ok { // the CPU compiler writes LLVM IR, that for GPUs may write PTX alone
			m.Fact = facts.CodePTXBytes
		}
		c.JudgeFact(m)
	},
}
