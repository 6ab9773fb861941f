package rules

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/rule"
)

// fixPTX is what to do where the dump holds no PTX: the compiler of 2026 writes it only where it is asked for the emitters' output.
const fixPTX = "compile for an NVIDIA GPU with --xla_dump_to=DIR (with JAX 0.12 and later also --xla_dump_emitter_re=.*): the dump then holds *.ptx"

// registersUnknown says why a fact of a program's registers cannot be looked at, where it cannot: it is not known, or was found out by
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
	var taking []*facts.Kernel
	for i := range v.Kernels {
		if k := &v.Kernels[i]; takes(k) > 0 {
			taking = append(taking, k)
		}
	}
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
