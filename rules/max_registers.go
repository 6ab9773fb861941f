package rules

import (
	"fmt"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/rule"
)

var maxRegisters = rule.Rule{
	ID:       "max-registers",
	Title:    "GPU kernels use no more registers per thread",
	Category: rule.Kernels,
	Why: "A multiprocessor divides its registers among its threads. A kernel that uses twice as many registers runs half as many threads at once, and waits for memory where they would have worked. " +
		"At 255 registers the next value spills.",
	Reads:   []rule.Input{rule.PTX},
	Budget:  rule.FactMetric(facts.RegistersMax, "registers of a thread"),
	Fails:   rule.Example{On: "gpu-kernel_body/after", Config: "- { rule: max-registers, max: 128 }", Says: "255 registers of a thread: at most 128 allowed"},
	Passes:  rule.Example{On: "gpu-kernel_body/after", Config: "- { rule: max-registers, max_increase: 8 }"},
	Fix:     "`xlagate inspect` lists the kernels with the lowest occupancy and what limits each. For Triton and Pallas kernels change the block sizes or the number of warps.",
	Threads: []string{"triton-lang/triton#5572", "EnzymeAD/Reactant.jl#3275"},
	Accepts: []string{"registers.*"},
	Variant: checkMaxRegisters,
}

func checkMaxRegisters(c *rule.Context, v *diff.Variant) {
	if registersUnknown(c, v, c.Rule.Budget.Fact) {
		return
	}
	a := c.AmountOf(*c.Rule.Budget, c.Rule.Budget.Fact)
	if f := c.Judge(a); f != nil {
		f.Cause, f.Evidence = mostOf(v.New, registersAbove(c, a), func(n int64) string { return fmt.Sprintf("uses %d registers per thread", n) })
	}
}

// registersAbove are the registers of a kernel that takes more than it may; 0 of any other.
func registersAbove(c *rule.Context, a rule.Amount) func(*facts.Kernel) int64 {
	most := 0.0
	switch {
	case c.Max != nil:
		most = *c.Max
	case a.Base != nil:
		most = *a.Base
	}
	return func(k *facts.Kernel) int64 {
		if k.Code == nil || float64(k.Code.Registers) <= most {
			return 0
		}
		return k.Code.Registers
	}
}
