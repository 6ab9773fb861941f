package rules

import (
	"fmt"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/rule"
)

var offloadKept = rule.Rule{
	ID:    "offload-kept",
	Title: "what was offloaded to the host's memory still is",
	Why: "A name that the offload policy no longer matches, or a compiler that gives up, keeps the values on the device. The step is faster and nothing says so, until a larger " +
		"model or batch no longer fits.",
	Reads:  []rule.Input{rule.BufferAssignment},
	Budget: &rule.Metric{Noun: "bytes that left the host's memory", Unit: "bytes", Better: rule.Lower, Difference: true},
	Fails: rule.Example{On: "tpu-offload_lost/after", Base: "tpu-offload_lost/before",
		Config: "- { rule: offload-kept }", Says: "8.0 MiB is no longer in the host's memory: 8.0 MiB → 0 B"},
	Passes:  rule.Example{On: "tpu-offload_lost/before", Base: "tpu-offload_lost/after", Config: "- { rule: offload-kept }"},
	Fix:     "Look at the names of the policy and of checkpoint_name, and at the memory kinds of the arguments. If less is offloaded on purpose, accept it.",
	Threads: []string{"openxla/xla#17541", "jax-ml/jax#39478", "openxla/xla#37979", "jax-ml/jax#23869"},
	Variant: func(c *rule.Context, v *changes.Variant) {
		was, is := v.Old.Facts[facts.MemoryHost], v.New.Facts[facts.MemoryHost]
		assigned := v.New.Facts.Known(facts.MemoryPeak)
		switch {
		case v.Rescaled || was == 0: // a smaller batch offloads less; a program that offloaded nothing loses nothing
			c.Checked()
			return
		case !assigned:
			c.Uncovered(rule.BufferAssignment, rule.DumpFix)
			return
		}
		if f := c.JudgeDifferences("offload", max(0, was-is)); f != nil {
			f.Message = fmt.Sprintf("%s is no longer in the host's memory: %s → %s", phrase.Show(was-is, "bytes"), phrase.Show(was, "bytes"), phrase.Show(is, "bytes"))
			f.Cause, f.Evidence = v.FactGrowth(facts.MemoryPeak)
		}
	},
}
