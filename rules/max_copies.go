package rules

import (
	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/rule"
)

var maxCopies = rule.Rule{
	ID:    "max-copies",
	Title: "no copy is added to the program",
	Why:   "XLA copies a buffer that it cannot update in place, or whose layout two operations do not share.",
	Options: []rule.Option{
		{Key: "in", Type: rule.Word, Enum: []string{"all", "loops"}, Default: "all", Doc: "all, or only those in loops"},
		{Key: "max_bytes", Type: rule.Size, Doc: "the most bytes that all of them may copy, with loop bodies counted once"},
	},
	Budget:  rule.FactMetric(facts.CopiesCount, "copies"),
	Bounds:  []string{"max_bytes"},
	Fails:   rule.Example{On: "cpu-unrolled_loop/before", Config: "- { rule: max-copies, max: 1 }", Says: "2 copies: at most 1 allowed"},
	Passes:  rule.Example{On: "cpu-unrolled_loop/after", Config: "- { rule: max-copies, max_increase: 0 }"},
	Fix:     "Look at what reads the copied value after it is overwritten; donate arguments that are replaced.",
	Threads: []string{"jax-ml/jax#17845", "AI-Hypercomputer/torchprime#119"},
	Variant: func(c *rule.Context, v *changes.Variant) {
		if !v.New.Facts.Known(c.Rule.Budget.Fact) || c.Text("in") == "all" {
			c.JudgeFact(*c.Rule.Budget)
		} else {
			a := c.Count("copies.in_loops", func(v *facts.Variant) float64 { return v.CountKernels(countsCopy(c)) })
			a.Noun = "copies in loops"
			rule.Explain(c.Judge(a), v.Growth, countsCopy(c))
		}
		which, copied := "copies"+placeCounted(c), v.New.KernelBytes(countsCopy(c))/2 // a copy reads it, and writes it
		if f := c.Cap("max_bytes", which+" bytes", "bytes", copied, which+" move %s"); f != nil {
			f.Cause = v.Largest(countsCopy(c))
		}
	},
}

func countsCopy(c *rule.Context) func(k *facts.Kernel) bool {
	return func(k *facts.Kernel) bool {
		return k.Class == facts.ClassCopy && (k.InLoop || c.Text("in") == "all")
	}
}
