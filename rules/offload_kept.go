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
	Reads:   []rule.Input{rule.BufferAssignment},
	Budget:  &rule.Metric{Noun: "bytes that left the host's memory", Unit: "bytes", Better: rule.Lower, Difference: true},
	Fails:   rule.Example{On: "tpu-offload_lost/after", Base: "tpu-offload_lost/before", Config: "- { rule: offload-kept }", Says: "8.0 MiB is no longer in the host's memory: 8.0 MiB → 0 B"},
	Passes:  rule.Example{On: "tpu-offload_lost/before", Base: "tpu-offload_lost/after", Config: "- { rule: offload-kept }"},
	Fix:     "Look at the names of the policy and of checkpoint_name, and at the memory kinds of the arguments. If less is offloaded on purpose, accept it.",
	Threads: []string{"openxla/xla#17541", "jax-ml/jax#39478", "openxla/xla#37979", "jax-ml/jax#23869"},
	Variant: checkOffloadKept,
}

// checkOffloadKept compares the memory of the host for arguments of the same sizes: a smaller batch offloads less.
func checkOffloadKept(c *rule.Context, v *changes.Variant) {
	if v.Old == nil {
		return
	}
	if v.Rescaled || v.Old.Facts[facts.MemoryHost] == 0 {
		c.Checked()
		return
	}
	if _, assigned := v.New.Facts[facts.MemoryPeak]; !assigned {
		c.Uncovered(rule.BufferAssignment, rule.DumpFix)
		return
	}
	was, is := v.Old.Facts[facts.MemoryHost], v.New.Facts[facts.MemoryHost]
	a := c.Budget("offload", max(0, was-is))
	a.Base = new(0.0)
	if f := c.Judge(a); f != nil {
		f.Message = fmt.Sprintf("%s is no longer in the host's memory: %s → %s", phrase.Show(a.Actual, "bytes"), phrase.Show(was, "bytes"), phrase.Show(is, "bytes"))
		f.Cause, f.Evidence = v.FactGrowth(facts.MemoryPeak)
	}
}
