package rules

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/rule"
)

var launchShape = rule.Rule{
	ID:    "launch-shape",
	Title: "GPU kernels are launched with enough blocks and threads, and not too much shared memory",
	Why: "A kernel of eight blocks leaves most of a GPU idle. A block with 1024 threads and all of the shared memory runs alone on its multiprocessor. The optimized HLO does not say " +
		"how a kernel is launched; the runtime's plan does.",
	Reads: []rule.Input{rule.Thunks},
	Options: []rule.Option{
		{Key: "min_blocks", Type: rule.Count, Sense: rule.Demands, Doc: "the smallest number of blocks in a launch"},
		{Key: "min_threads", Type: rule.Count, Sense: rule.Demands, Doc: "the smallest number of threads in a block"},
		{Key: "max_threads", Type: rule.Count, Sense: rule.Caps, Doc: "the largest number of threads in a block"},
		{Key: "max_shared", Type: rule.Size, Sense: rule.Caps, Doc: "the most shared memory that a block may use"},
		{Key: "min_occupancy", Type: rule.Share, Sense: rule.Demands, Doc: "the smallest occupancy: the share of a multiprocessor's warps that the kernel's registers, shared memory and block size allow, such as 50%"},
		{Key: "op_name", Type: rule.Glob, Sense: rule.Selects, Doc: "only kernels in this part of the model"},
		{Key: "min_bytes", Type: rule.Size, Sense: rule.Narrows, Default: 0.0, Doc: "ignore kernels that read and write less"},
	},
	Budget:   &rule.Metric{Noun: "badly launched kernels", Better: rule.Lower, Unrecorded: "how kernels are launched"},
	NeedsOne: []string{"min_blocks", "min_threads", "max_threads", "max_shared", "min_occupancy"},
	Forbids:  true,
	Fails:    rule.Example{On: "gpu-softmax_barrier/before", Config: "- { rule: launch-shape, min_blocks: 128 }", Says: "1 badly launched kernel: at most 0 allowed"},
	Passes:   rule.Example{On: "gpu-softmax_barrier/before", Config: "- { rule: launch-shape, min_blocks: 16, max_threads: 1024 }"},
	Fix:      "Look at the shape that the kernel works on: a short minor dimension or a small batch leaves little to distribute. For Triton and Pallas kernels change the block sizes.",
	Threads:  []string{"openxla/xla#47203"},
	Variant:  checkLaunchShape,
}

func checkLaunchShape(c *rule.Context, v *diff.Variant) {
	switch {
	case slices.Contains(v.New.Missing, facts.MissingLaunches) && v.New.CountKernels(unplanned) > 0:
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
	if f := c.Forbid(c.Budget("launches", v.New.CountKernels(bad))); f != nil {
		f.Cause, f.Evidence = launchCause(c, v.New)
	}
}

// unplanned reports whether a kernel lacks its place in the launch plan. Library calls never have one.
func unplanned(k *facts.Kernel) bool { return k.Class == facts.ClassKernel && k.Plan == nil }

func planned(k *facts.Kernel) bool { return k.Plan != nil && k.Plan.Grid[0] > 0 }

// badLaunch says what is wrong with a launch, "" when nothing is.
func badLaunch(c *rule.Context, k *facts.Kernel) string {
	if !planned(k) || !large(c, k.Bytes) || !inPart(c, k.OpName) {
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

func launchCause(c *rule.Context, v *facts.Variant) (*diff.Cause, diff.Evidence) {
	var worst *facts.Kernel
	var e diff.Evidence
	for i := range v.Kernels {
		k := &v.Kernels[i]
		wrong := badLaunch(c, k)
		if wrong == "" {
			continue
		}
		e.After = diff.AddLine(e.After, wrong+": "+k.Describe())
		if worst == nil || k.Bytes > worst.Bytes {
			worst = k
		}
	}
	if worst == nil {
		return nil, e
	}
	return diff.CauseAt(fmt.Sprintf("%s is launched with %s", worst.Name, badLaunch(c, worst)), worst), e
}

func percent(share float64) string { return phrase.Number(100*share) + " %" }

var maxRegisters = rule.Rule{
	ID:    "max-registers",
	Title: "GPU kernels use no more registers per thread",
	Why: "A multiprocessor divides its registers among its threads. A kernel that uses twice as many registers runs half as many threads at once, and waits for memory where they would have worked. " +
		"At 255 registers the next value spills.",
	Reads:   []rule.Input{rule.PTX},
	Budget:  rule.FactMetric(facts.RegistersMax, "registers of a thread"),
	Fails:   rule.Example{On: "gpu-kernel_body/after", Config: "- { rule: max-registers, max: 128 }", Says: "255 registers of a thread: at most 128 allowed"},
	Passes:  rule.Example{On: "gpu-kernel_body/after", Config: "- { rule: max-registers, max_increase: 8 }"},
	Fix:     "`xlagate inspect` lists the kernels with the lowest occupancy and what limits each. For Triton and Pallas kernels change the block sizes or the number of warps.",
	Threads: []string{"triton-lang/triton#5572", "EnzymeAD/Reactant.jl#3275"},
	Accepts: []string{"registers.*"},
	Variant: func(c *rule.Context, v *diff.Variant) {
		if registersUnknown(c, v, c.Rule.Budget.Fact) {
			return
		}
		a := c.AmountOf(*c.Rule.Budget, c.Rule.Budget.Fact)
		if f := c.Judge(a); f != nil {
			f.Cause, f.Evidence = mostOf(v.New, registersAbove(c, a), func(n int64) string { return fmt.Sprintf("uses %d registers per thread", n) })
		}
	},
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

var noSpills = rule.Rule{
	ID:    "no-spills",
	Title: "GPU kernels do not spill registers",
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
	Variant: func(c *rule.Context, v *diff.Variant) {
		if registersUnknown(c, v, c.Rule.Budget.Fact) {
			return
		}
		a := c.AmountOf(*c.Rule.Budget, c.Rule.Budget.Fact)
		if f := c.Forbid(a); f != nil {
			f.Cause, f.Evidence = mostOf(v.New, (*facts.Kernel).Spilled, func(n int64) string { return "spills " + phrase.Bytes(float64(n)) + " a thread" })
		}
	},
}

// fixPTX is what to do where the dump holds no PTX: the compiler of 2026 writes it only where it is asked for the emitters' output.
const fixPTX = "compile for an NVIDIA GPU with --xla_dump_to=DIR (with JAX 0.12 and later also --xla_dump_emitter_re=.*): the dump then holds *.ptx"

// registersUnknown says why a fact of a program's registers cannot be checked, where it cannot: it is not known, or was found out by
// another assembler than the baseline's.
func registersUnknown(c *rule.Context, v *diff.Variant, fact facts.ID) bool {
	_, known := v.New.Facts[fact]
	was, is := assembler(c.Target.Base), assembler(c.Target.Report)
	switch {
	case known && (c.MaxIncrease == nil || was == "" || is == "" || was == is):
		return false
	case v.New.Unassembled == facts.NoAssembler && !known:
		c.Gap(facts.NoAssembler, "pip install nvidia-cuda-nvcc-cu12 (it needs no GPU), or name one: XLAGATE_PTXAS=/usr/local/cuda/bin/ptxas")
	case v.New.Unassembled != "" && !known:
		c.Gap(v.New.Unassembled, "use a ptxas as new as the compiler: pip install --upgrade nvidia-cuda-nvcc-cu12, or XLAGATE_PTXAS=PATH")
	case !known && c.Pack != "" && !slices.Contains([]string{"gpu", ""}, c.Target.Report.Toolchain.Backend):
		// A program for another device has no kernel that the pack speaks of.
	case !known:
		c.Uncovered(rule.PTX, fixPTX)
	default:
		c.Gap(fmt.Sprintf("ptxas %s measured the baseline, and ptxas %s the dump", was, is), "use the same version, or accept the baseline again: xlagate accept --reason \"ptxas "+is+"\"")
	}
	return true
}

// assembler is the version of ptxas that counted a target's registers; "" where none did.
func assembler(r *facts.Report) string {
	if r == nil {
		return ""
	}
	return r.Toolchain.Versions[facts.AssemblerPart]
}

// mostOf names the kernel that takes most of something, with all that take any.
func mostOf(v *facts.Variant, takes func(*facts.Kernel) int64, say func(int64) string) (*diff.Cause, diff.Evidence) {
	taking := phrase.Pick(v.Kernels, func(k *facts.Kernel) bool { return takes(k) > 0 })
	slices.SortStableFunc(taking, func(a, b *facts.Kernel) int { return cmp.Compare(takes(b), takes(a)) })
	var e diff.Evidence
	for _, k := range taking {
		e.After = diff.AddLine(e.After, say(takes(k))+": "+k.Describe())
	}
	if len(taking) == 0 {
		return nil, e
	}
	return diff.CauseAt(taking[0].Name+" "+say(takes(taking[0])), taking[0]), e
}
