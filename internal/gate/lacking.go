package gate

import (
	"fmt"
	"slices"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
)

// input is a file that facts come from.
type input struct {
	name   string
	fact   facts.ID // which every whole one gives
	better facts.ID // a fact of the file that is read in its place where it is there; "" for none
}

var inputs = []input{
	{string(dump.KindBufferAssignment), facts.MemoryTemp, ""},
	{string(dump.KindLiveRange), facts.MemoryPeak, facts.MemoryTemp},
	{string(dump.KindMemoryReport), "memory.spaces.default", facts.MemoryTemp},
	{string(dump.KindThunks), facts.LaunchesKnown, ""},
	{string(dump.KindPTX), facts.CodePTXBytes, ""},
	{string(dump.KindLLVMOptimized), facts.CodeLLVMBytes, ""},
	{string(dump.StageBefore), facts.InstructionsBefore, ""},
	{string(dump.StageAfterCodegen), facts.CostCycles, ""},
}

// Inputs are the files that a dump may lack with --allow-missing.
func Inputs() (names []string) {
	for _, in := range inputs {
		names = append(names, in.name)
	}
	return names
}

// lacking tells what a program's baseline holds and its dump lacks: what nobody measured is not the same as before. What may be missing is
// listed as not covered.
func lacking(r *result.Result, out *result.Target, o Options, l *looked) {
	if len(l.problems) > 0 { // what could not be read was told
		return
	}
	for _, in := range inputs {
		var names []string
		for _, p := range l.programs {
			if slices.ContainsFunc(p.Variants, func(v *diff.Variant) bool { return in.missing(v) }) {
				names = append(names, p.Name)
			}
		}
		switch {
		case len(names) == 0:
		case slices.Contains(o.AllowMissing, in.name):
			out.NotCovered = append(out.NotCovered, fmt.Sprintf("%s of %s (missing, as --allow-missing says)", in.name, phrase.List(phrase.First(names, 4), "and")))
		default:
			r.Problems = append(r.Problems, result.Problem{
				Target: l.Name, Rule: "facts-complete", File: l.dump,
				Message: fmt.Sprintf("the dump lacks the %s of %s: the baseline holds %s", in.name, phrase.List(phrase.First(names, 4), "and"), in.fact),
				Fix:     "dump it again, with all that was dumped before; or say that it is meant: --allow-missing " + in.name,
			})
		}
	}
}

// missing reports whether the baseline of a variant holds what comes from the file, and the dump lacks the file. Every program has a buffer
// assignment; without kernels of its own it has no code.
func (in input) missing(v *diff.Variant) bool {
	if v.Old == nil || v.New == nil || v.Old.Backend != v.New.Backend { // another backend dumps other files
		return false
	}
	generated := func(k facts.Kernel) bool { return k.Class == facts.ClassKernel && k.Fusion }
	if slices.Contains(ofKernels, in.name) && !slices.ContainsFunc(v.New.Kernels, generated) {
		return false
	}
	_, was := v.Old.Facts[in.fact]
	_, better := v.Old.Facts[in.better]
	return was && !better && slices.Contains(v.New.Missing, in.name)
}

// ofKernels are the files that hold what was generated for kernels.
var ofKernels = []string{string(dump.KindThunks), string(dump.KindPTX), string(dump.KindLLVMOptimized)}
