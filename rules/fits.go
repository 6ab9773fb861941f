package rules

import (
	"fmt"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/price"
	"github.com/xlagate/xlagate/internal/rule"
)

var fits = rule.Rule{
	ID:    "fits",
	Title: "the program fits into the memory of the device",
	Why: "A program that needs more than the device has compiles ahead of time without an error, and fails on the machine that was paid for. The framework needs " +
		"some of the memory for itself: JAX gives three quarters of a GPU's to XLA unless XLA_PYTHON_CLIENT_MEM_FRACTION says otherwise.",
	Reads:  []rule.Input{rule.BufferAssignment},
	Budget: &rule.Metric{Noun: "the device's memory", Unit: "share", Better: rule.Lower},
	Fails: rule.Example{On: "tpu-remat/before", Config: "- { rule: fits, max: 50% }",
		Says: "63.3 % of the device's memory: at most 50 % allowed (10.1 GiB of the 16.0 GiB of tpu-v5e)"},
	Passes:  rule.Example{On: "tpu-remat/before", Config: "- { rule: fits, max: 95% }"},
	Fix:     "Shard or offload the largest buffers, rematerialize, use a smaller batch, or name a larger device with device: in the target. `xlagate inspect DUMP` lists the buffers.",
	Threads: []string{"AI-Hypercomputer/maxtext#5112", "AI-Hypercomputer/maxtext#4514", "vllm-project/tpu-inference#3194"},
	Variant: func(c *rule.Context, v *changes.Variant) {
		peak, assigned := v.New.Facts[facts.MemoryPeak]
		device := v.New.Device
		switch {
		case !assigned:
			c.Uncovered(rule.BufferAssignment, rule.DumpFix)
			return
		case device == nil:
			c.Gap("how much memory the device has is not known", "name it with device: in the target; docs/price.md lists the devices")
			return
		case device.Family == price.CPU:
			if c.Pack == "" {
				c.Gap("the memory of a CPU is that of the machine that runs the program", "bound it with max-peak-bytes")
			}
			return
		}
		a := c.Budget("fits", peak/device.Memory.Size)
		if v.Old != nil {
			was, known := v.Old.Facts[facts.MemoryPeak]
			a.SetBase(known, was/device.Memory.Size)
		}
		if f := c.Judge(a); f != nil {
			f.Message += fmt.Sprintf(" (%s of the %s of %s)", phrase.Show(peak, "bytes"), phrase.Show(device.Memory.Size, "bytes"), device.Name)
			f.Cause, f.Evidence = v.FactGrowth(facts.MemoryPeak)
		}
	},
}
