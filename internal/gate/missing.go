package gate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
)

// missing is the problem of a pattern of programs.include that no program of the dump matches.
func (l *measuredTarget) missing(pattern string) {
	message := fmt.Sprintf("no program matches %q: it was not compiled, or not dumped", pattern)
	fix := "`xlagate inspect` lists the programs of a dump; fix programs.include, or make the run compile it"
	left := l.leftOut()
	renamed, alike := l.renamedTo(pattern, left), phrase.Closest(pattern, programNames(left))
	switch {
	case len(left) == 0:
	case renamed != "":
		message += fmt.Sprintf("; was it renamed to %s, which the dump holds and programs.include leaves out?", renamed)
	case alike != "":
		message = fmt.Sprintf("no program matches %q; did you mean %s, which the dump holds and programs.include leaves out?", pattern, alike)
	default:
		message += "; programs.include leaves out " + namesOf(left)
	}
	if name := cmp.Or(renamed, alike); name != "" {
		fix = fmt.Sprintf("write %q for %q in the configuration, or make the run compile it", name, pattern)
	}
	l.didNotRun(message, fix)
}

// leftOut lists the model's programs that the configuration neither includes nor excludes.
func (l *measuredTarget) leftOut() []*facts.Program {
	leavesOut := leftOutBy(l.Target)
	return slices.DeleteFunc(slices.Clone(l.report.Programs), func(p *facts.Program) bool { return leavesOut(p.Name) != "programs.include" })
}

// renamedTo returns the program that equals an accepted one whose name matches the pattern.
func (l *measuredTarget) renamedTo(pattern string, left []*facts.Program) string {
	if l.base == nil {
		return ""
	}
	accepted := slices.DeleteFunc(slices.Clone(l.base.Programs), func(p *facts.Program) bool { return !facts.Fits(pattern, p.Name) })
	for _, p := range changes.Compare(&facts.Report{Programs: accepted}, &facts.Report{Programs: left}).Programs {
		if p.Was != "" {
			return p.Name
		}
	}
	return ""
}

func programNames(programs []*facts.Program) []string {
	return phrase.Map(programs, func(p *facts.Program) string { return p.Name })
}

// namesOf names programs, but not a long list of them.
func namesOf(programs []*facts.Program) string {
	return strings.Join(phrase.First(programNames(programs), 4), ", ")
}

// input is a file that facts come from.
type input struct {
	name   string
	fact   facts.ID // which every whole one gives
	better facts.ID // a fact of the file that is read in its place where it is there; "" for none
	part   bool     // a file with more of the same fact: without it, the fact counts less
	code   bool     // it holds what was generated for kernels
}

var inputs = []input{
	{name: string(dump.KindBufferAssignment), fact: facts.MemoryTemp},
	{name: string(dump.KindMemoryReport), fact: "memory.spaces.default", better: facts.MemoryTemp},
	{name: string(dump.KindThunks), fact: facts.LaunchesKnown, code: true},
	{name: string(dump.KindThunkMetadata), fact: facts.LaunchesKnown, part: true, code: true},
	{name: string(dump.KindPTX), fact: facts.CodePTXBytes, code: true},
	{name: string(dump.KindLLVMOptimized), fact: facts.CodeLLVMBytes, code: true},
	{name: string(dump.StageBefore), fact: facts.InstructionsBefore},
	{name: string(dump.StageAfterCodegen), fact: facts.CostCycles},
}

// Inputs are the files that a dump may lack with --allow-missing.
func Inputs() []string {
	return phrase.Map(inputs, func(in input) string { return in.name })
}

// missingInputs reports inputs that the baseline has facts of and the dump lacks: unmeasured does not mean unchanged. Inputs that --allow-missing names are
// listed as not covered.
func missingInputs(r *result.Result, out *result.Target, o Options, l *measuredTarget) {
	if len(l.problems) > 0 { // these problems say what could not be read
		return
	}
	again := "dump it again, with everything that was dumped before"
	if why := l.upgrades(); len(why) > 0 {
		again = "if another toolchain dumps other files: xlagate accept --reason \"" + why[0] + "\""
	}
	for _, in := range inputs {
		lacking := phrase.Filter(l.programs, func(p *changes.Program) bool { return slices.ContainsFunc(p.Variants, in.missing) })
		names := phrase.Map(lacking, func(p *changes.Program) string { return p.Name })
		switch {
		case len(names) == 0:
		case slices.Contains(o.AllowMissing, in.name):
			out.NotCovered = append(out.NotCovered, fmt.Sprintf("%s of %s (missing; allowed by --allow-missing)", in.name, phrase.List(phrase.First(names, 4), "and")))
		default:
			r.Problems = append(r.Problems, result.Problem{
				Target: l.Name, Rule: "facts-complete", File: l.dump, Settled: true,
				Message: fmt.Sprintf("the dump lacks the %s of %s: the baseline holds %s", in.name, phrase.List(phrase.First(names, 4), "and"), in.fact),
				Fix:     again + "; or allow it: --allow-missing " + in.name,
			})
		}
	}
}

// missing reports whether the baseline of a variant has facts of the file, and the dump lacks the file. Every program has a buffer assignment; one
// without kernels of its own has no code.
func (in input) missing(v *changes.Variant) bool {
	if v.Old == nil || v.New == nil || v.New.Backend != "" && v.Old.Backend != v.New.Backend { // another backend dumps other files
		return false
	}
	generated := func(k facts.Kernel) bool { return k.Class == facts.ClassKernel && k.Fusion }
	if in.code && !slices.ContainsFunc(v.New.Kernels, generated) {
		return false
	}
	was, held := v.Old.Facts[in.fact]
	better := v.Old.Facts.Known(in.better)
	is, known := v.New.Facts[in.fact]
	if in.part { // a program with fewer kernels has fewer launches to know
		return known && is < was && v.New.Facts[facts.KernelsTotal] >= v.Old.Facts[facts.KernelsTotal] && slices.Contains(v.New.Missing, in.name)
	}
	return held && !better && !(known && is >= was) && slices.Contains(v.New.Missing, in.name)
}
