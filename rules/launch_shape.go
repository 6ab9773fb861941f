package rules

import (
	"fmt"
	"slices"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/rule"
)

var launchShape = rule.Rule{
	ID:    "launch-shape",
	Title: "GPU kernels are launched with enough blocks and threads, and not too much shared memory",
	Why:   "A kernel of eight blocks leaves most of a GPU idle. A block with 1024 threads and all of the shared memory runs alone on its multiprocessor.",
	Reads: []rule.Input{rule.Thunks},
	Options: []rule.Option{
		{Key: "min_blocks", Type: rule.Count, Doc: "the smallest number of blocks in a launch"},
		{Key: "min_threads", Type: rule.Count, Doc: "the smallest number of threads in a block"},
		{Key: "max_threads", Type: rule.Count, Doc: "the largest number of threads in a block"},
		{Key: "max_shared", Type: rule.Size, Doc: "the most shared memory that a block may use"},
		{Key: "min_occupancy", Type: rule.Share, Doc: "the smallest share of a multiprocessor's warps that the kernel's registers, shared memory and block size allow"},
		{Key: "op_name", Type: rule.Glob, Doc: "only kernels in this part of the model"},
		{Key: "min_bytes", Type: rule.Size, Default: 0.0, Doc: "ignore kernels that read and write less"},
	},
	Budget:   &rule.Metric{Noun: "badly launched kernels", Better: rule.Lower, Unrecorded: "how kernels are launched"},
	NeedsOne: []string{"min_blocks", "min_threads", "max_threads", "max_shared", "min_occupancy"},
	Forbids:  true,
	Fails:    rule.Example{On: "gpu-softmax_barrier/before", Config: "- { rule: launch-shape, min_blocks: 128 }", Says: "1 badly launched kernel: at most 0 allowed"},
	Passes:   rule.Example{On: "gpu-softmax_barrier/before", Config: "- { rule: launch-shape, min_blocks: 16, max_threads: 1024 }"},
	Fix:      "A short minor dimension or a small batch leaves little to distribute. In Triton and Pallas kernels, change the block sizes.",
	Threads:  []string{"openxla/xla#47203"},
	Variant: func(c *rule.Context, v *changes.Variant) {
		planless := func(k *facts.Kernel) bool { return k.Class == facts.ClassKernel && k.Plan == nil } // library calls never have a plan
		switch {
		case slices.Contains(v.New.Missing, facts.MissingLaunches) && v.New.CountKernels(planless) > 0:
			c.Gap("the launch plan of this version names command buffers, branches or loops, but not what runs in them",
				"compile with JAX 0.6.2 or later, or without command buffers: XLA_FLAGS=--xla_gpu_enable_command_buffer=")
		case v.New.CountKernels(planned) == 0 && v.New.CountKernels(func(k *facts.Kernel) bool { return k.Class.Computes() }) > 0:
			c.Uncovered(rule.Thunks, "compile for a GPU with --xla_dump_to=DIR: the dump then holds *.thunk_sequence.txt")
			return
		}
		if _, asked := c.Number("min_occupancy"); asked && registersUnknown(c, v, facts.RegistersMax) {
			return
		}
		bad := func(k *facts.Kernel) bool { return badLaunch(c, k) != "" }
		if f := c.Judge(c.Budget("launches", v.New.CountKernels(bad))); f != nil {
			f.Cause, f.Evidence = launchCause(c, v.New)
		}
	},
}

func planned(k *facts.Kernel) bool { return k.Plan != nil && k.Plan.Grid[0] > 0 }

// badLaunch says what is wrong with a launch, "" when nothing is.
func badLaunch(c *rule.Context, k *facts.Kernel) string {
	if !planned(k) || !hasMinBytes(c, k.Bytes) || !inPart(c, k.OpName) {
		return ""
	}
	blocks, threads := volume(k.Plan.Grid), volume(k.Plan.Block)
	if n, ok := c.Number("min_blocks"); ok && blocks < n {
		return fmt.Sprintf("%s, %s wanted", phrase.Counted(blocks, "", "blocks"), phrase.Number(n))
	}
	if n, ok := c.Number("min_threads"); ok && threads < n {
		return fmt.Sprintf("%s a block, %s wanted", phrase.Counted(threads, "", "threads"), phrase.Number(n))
	}
	if n, ok := c.Number("max_threads"); ok && threads > n {
		return fmt.Sprintf("%s a block, %s allowed", phrase.Counted(threads, "", "threads"), phrase.Number(n))
	}
	if n, ok := c.Number("max_shared"); ok && float64(k.Plan.Shared) > n {
		is, allowed := phrase.Apart(float64(k.Plan.Shared), n, "bytes")
		return fmt.Sprintf("%s of shared memory, %s allowed", is, allowed)
	}
	if o := k.Occupancy; o != nil {
		if n, ok := c.Number("min_occupancy"); ok && o.Share() < n {
			return fmt.Sprintf("an occupancy of %s, limited by %s, %s wanted", percent(o.Share()), o.Limited, percent(n))
		}
	}
	return ""
}

func volume(size [3]int64) float64 { return float64(size[0]) * float64(size[1]) * float64(size[2]) }

func launchCause(c *rule.Context, v *facts.Variant) (*changes.Cause, changes.Evidence) {
	var worst *facts.Kernel
	var e changes.Evidence
	for i := range v.Kernels {
		k := &v.Kernels[i]
		wrong := badLaunch(c, k)
		if wrong == "" {
			continue
		}
		e.After = changes.AddLine(e.After, wrong+": "+k.Describe())
		if worst == nil || k.Bytes > worst.Bytes {
			worst = k
		}
	}
	if worst == nil {
		return nil, e
	}
	return changes.CauseAt(fmt.Sprintf("%s is launched with %s", worst.Name, badLaunch(c, worst)), worst), e
}

func percent(share float64) string { return phrase.Number(100*share) + " %" }
