package rules

import (
	"slices"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/rule"
)

var maxUnfused = rule.Rule{
	ID:    "max-unfused",
	Title: "operations that should be fused do not run by themselves",
	Why: "A transpose or a reduction that runs as a kernel of its own reads and writes a whole tensor for next to no arithmetic. One that left its " +
		"fusion went from 21.8 to 128 microseconds.",
	Options: []rule.Option{
		{Key: "ops", Type: rule.Words, Enum: rule.OpcodeWords, Default: []string{"transpose", "copy", "convert", "reduce", "reshape", "slice", "concatenate", "pad"}, Doc: "counted when a kernel does nothing else"},
		{Key: "min_bytes", Type: rule.Size, Default: 0.0, Doc: "ignore kernels that read and write less"},
		{Key: "op_name", Type: rule.Glob, Doc: "only those in this part of the model"},
	},
	Budget: &rule.Metric{Noun: "unfused operations", Better: rule.Lower},
	Fails: rule.Example{On: "gpu-softmax_barrier/after", Config: "- { rule: max-unfused, ops: [reduce, divide], max: 0 }",
		Says: "3 unfused operations: at most 0 allowed"},
	Passes:  rule.Example{On: "gpu-softmax_barrier/before", Config: "- { rule: max-unfused, ops: [reduce, divide], max: 0 }"},
	Fix:     "Look for a barrier, a second user, or a layout that the operation's neighbours do not share.",
	Threads: []string{"jax-ml/jax#33338", "AI-Hypercomputer/torchprime#119"},
	Variant: func(c *rule.Context, v *changes.Variant) {
		a := c.Count("unfused", func(v *facts.Variant) float64 { return v.CountKernels(runsAlone(c)) })
		rule.Explain(c.Judge(a), v.Growth, runsAlone(c))
	},
}

// runsAlone reports whether a kernel does one of the operations and nothing else.
func runsAlone(c *rule.Context) func(k *facts.Kernel) bool {
	return func(k *facts.Kernel) bool {
		return k.Do.Len() == 1 && slices.Contains(c.List("ops"), k.Do[0].Opcode) && k.Class != facts.ClassControl && k.Class != facts.ClassCollective &&
			hasMinBytes(c, k.Bytes) && inPart(c, k.OpName)
	}
}
