package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/rule"
)

var maxRegisters = rule.Rule{
	ID:      "max-registers",
	Title:   "GPU kernels use no more registers per thread",
	Why:     "A kernel that uses twice as many registers runs half as many threads at once. At 255 registers the next value spills.",
	Reads:   []rule.Input{rule.PTX},
	Budget:  rule.FactMetric(facts.RegistersMax, "registers of a thread"),
	Fails:   rule.Example{On: "gpu-kernel_body/after", Config: "- { rule: max-registers, max: 128 }", Says: "255 registers of a thread: at most 128 allowed"},
	Passes:  rule.Example{On: "gpu-kernel_body/after", Config: "- { rule: max-registers, max_increase: 8 }"},
	Fix:     "`xlagate inspect DUMP` lists the kernels with the lowest occupancy. In Triton and Pallas kernels, change the block sizes or the number of warps.",
	Threads: []string{"triton-lang/triton#5572", "EnzymeAD/Reactant.jl#3275"},
	Variant: func(c *rule.Context, v *changes.Variant) {
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
	Why: "A thread whose values do not fit into its registers keeps them in memory and reads them back each time. Only NVIDIA's assembler tells, from " +
		"the PTX, on any machine.",
	Reads:   []rule.Input{rule.PTX},
	Budget:  rule.FactMetric(facts.SpillsBytes, "spilled registers"),
	Forbids: true,
	Fails: rule.Example{On: "gpu-kernel_body/after", Config: "- { rule: no-spills, max_increase: 0 }",
		Says: "48 B of spilled registers: up from 28 B in the baseline (+71.4 %)"},
	Passes:  rule.Example{On: "gpu-kernel_body/after", Config: "- { rule: no-spills, max: 64 }"},
	Fix:     "Give each thread less work: smaller blocks or more warps in a Triton or Pallas kernel, fewer operations in one fusion.",
	Threads: []string{"triton-lang/triton#11249", "openxla/xla#34812"},
	Variant: func(c *rule.Context, v *changes.Variant) {
		if registersUnknown(c, v, c.Rule.Budget.Fact) {
			return
		}
		a := c.AmountOf(*c.Rule.Budget, c.Rule.Budget.Fact)
		if f := c.Judge(a); f != nil {
			f.Cause, f.Evidence = mostOf(v.New, (*facts.Kernel).Spilled, func(n int64) string { return "spills " + phrase.Bytes(float64(n)) + " a thread" })
		}
	},
}

// fixPTX is what to do where the dump holds no PTX: the compiler of 2026 writes it only where it is asked for the emitters' output.
const fixPTX = "compile for an NVIDIA GPU with --xla_dump_to=DIR (with JAX 0.12 and later also --xla_dump_emitter_re=.*): the dump then holds *.ptx"

// registersUnknown says why a fact of a program's registers cannot be checked, where it cannot: it is not known, or was found out by
// another assembler than the baseline's.
func registersUnknown(c *rule.Context, v *changes.Variant, fact facts.ID) bool {
	known := v.New.Facts.Known(fact)
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
		c.BaseGap(fmt.Sprintf("ptxas %s measured the baseline, and ptxas %s the dump", was, is),
			"use the same version, or accept the baseline again: xlagate accept --reason \"ptxas "+is+"\"")
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
func mostOf(v *facts.Variant, takes func(*facts.Kernel) int64, say func(int64) string) (*changes.Cause, changes.Evidence) {
	taking := phrase.Pick(v.Kernels, func(k *facts.Kernel) bool { return takes(k) > 0 })
	slices.SortStableFunc(taking, func(a, b *facts.Kernel) int { return cmp.Compare(takes(b), takes(a)) })
	var e changes.Evidence
	for _, k := range taking {
		e.After = changes.AddLine(e.After, say(takes(k))+": "+k.Describe())
	}
	if len(taking) == 0 {
		return nil, e
	}
	first := taking[0]
	what := first.Name
	if strings.HasPrefix(what, "fusion") { // XLA's name of any
		what = first.Operations()
	}
	return changes.CauseAt(what+" "+say(takes(first)), first), e
}
