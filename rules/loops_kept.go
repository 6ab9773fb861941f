package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/diff"

	"github.com/xlagate/xlagate/internal/facts"

	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
)

var loopsKept = rule.Rule{
	ID:       "loops-kept",
	Title:    "loops are not unrolled, and it stays known how often they run",
	Category: rule.Compilation,
	Why: "A scan that became a Python loop compiles its body once for every step: compile time, code size and temporary memory grow with the number of layers, " +
		"and one that is unrolled in part grows as many times. " +
		"A loop that ran a known number of times and now runs until something is true can be neither pipelined nor unrolled, and what it costs cannot be told. " +
		"One that ended as soon as nothing was left to do, and now runs until its counter is through, does more, which the cost of an iteration does not show.",
	Reads:   []rule.Input{rule.Optimized},
	Options: []rule.Option{maxTrips, keptTrips},
	Budget:  rule.FactMetric(facts.LoopsWhile, "loops"),
	Bounds:  []string{"max_trip_count"},
	Fails:   rule.Example{On: "cpu-unrolled_loop/after", Config: "- { rule: loops-kept }", Says: "0 loops: down from 1 in the baseline"},
	Passes:  rule.Example{On: "cpu-unrolled_loop/before", Config: "- { rule: loops-kept }"},
	Fix:     "Use lax.scan or lax.fori_loop where a Python loop repeats the same layer, with bounds that are Python numbers.",
	Threads: []string{"jax-ml/jax#2777", "openxla/xla#35719"},
	Since:   "1",
	Accepts: []string{"loops.*", "instructions.*", "kernels.*", "fusions.*", "ledger"},
	Program: checkLoopsKept,
}

func checkLoopsKept(c *rule.Context, p *diff.Program) {
	if !c.Bounded() { // a loop more is a change like any other
		c = c.With(func(s *rule.Settings) { s.MaxDecrease = &rule.Change{} })
	}
	for _, v := range rule.Live(p) {
		if _, ok := v.New.Facts[c.Rule.Budget.Fact]; !ok {
			c.Uncovered(p.Name, rule.Optimized, rule.DumpFix)
			continue
		}
		a := c.AmountOf(p, v, *c.Rule.Budget, c.Rule.Budget.Fact)
		a.Cause = func() (*diff.Cause, result.Evidence) { return explainLoops(v) }
		if a.Base != nil && a.Actual < *a.Base && !unrolled(v) {
			a.Base = &a.Actual
		}
		c.Judge(a)
		judgeLengths(c, p, v)
		judgeExits(c, p, v)
		judgeUnrolled(c, p, v)
		judgeTrips(c, p, v)
	}
}

// judgeLengths counts the loops of which the baseline knows how often they run, and the dump does not. A loop of unknown length that is
// merely new is none of them, nor one that got an early exit.
func judgeLengths(c *rule.Context, p *diff.Program, v *diff.Variant) {
	if !v.Knows(facts.LoopsUnknown) || c.MaxIncrease == nil && c.MaxDecrease == nil {
		return
	}
	known := func(v *facts.Variant) float64 { return v.Facts[facts.LoopsWhile] - v.Facts[facts.LoopsUnknown] }
	lost := min(v.New.Facts[facts.LoopsUnknown]-v.Old.Facts[facts.LoopsUnknown], known(v.Old)-known(v.New)) - float64(len(diff.EndSooner(v.Old, v.New)))
	a := rule.Amount{Program: p, Variant: v, Subject: string(facts.LoopsUnknown), Noun: "loops of unknown length", Better: rule.Lower, Actual: max(lost, 0)}
	a.Base = new(0.0)
	a.Tell = func(f rule.Finding) []rule.Finding {
		f.Message = phrase.Counted(a.Actual, "", a.Noun) + ", which the baseline knows"
		f.Cause, f.Evidence = explainLength(v)
		return []rule.Finding{f}
	}
	c.With(rule.NoMore).Hold(a)
}

// explainLength names a loop that ran a known number of times, and what brought its new form about.
func explainLength(v *diff.Variant) (*diff.Cause, result.Evidence) {
	cause, e := v.Growth(endless)
	loop, times := lostLength(v)
	if loop == nil {
		return cause, e
	}
	said := fmt.Sprintf("the loop ran %d times, and how often it runs is not known any more", times)
	if cause != nil && strings.HasPrefix(cause.Title, "new: ") {
		said += "; " + cause.Title
	}
	return diff.CauseAt(said, loop), e
}

// lostLength finds a loop of which it is not known any more how often it runs, and how often it ran: of loops that the model calls alike;
// else, where the model calls it otherwise now, as a kernel in it tells.
func lostLength(v *diff.Variant) (loop *facts.Kernel, times int64) {
	pairs, _, _ := diff.PairLoops(v.Old.Loops(), v.New.Loops())
	for _, pair := range pairs {
		if was, is := pair[0], pair[1]; was.Length > 0 && is.Length == 0 {
			return is, was.Length
		}
	}
	at := slices.IndexFunc(v.Kernels.Moved, func(m diff.KernelChange) bool { return m.Old.Times > 1 && endless(&m.New) })
	if at < 0 {
		return nil, 0
	}
	m := &v.Kernels.Moved[at]
	loop = facts.FirstKernel(v.New.Kernels, func(k *facts.Kernel) bool { return k.Root == "while" && k.OpName == m.New.Loop })
	return cmp.Or(loop, &m.New), m.Old.Times
}

// endless says whether a kernel stands in a loop of unknown length.
func endless(k *facts.Kernel) bool { return k.InLoop && k.Times <= 1 }

// unrolled says whether the program became longer: a loop that went without that was not unrolled, but is not needed any more.
func unrolled(v *diff.Variant) bool {
	return v.New.Facts[facts.InstructionsAfter] > v.Old.Facts[facts.InstructionsAfter] || v.New.KernelsAndCopies() > v.Old.KernelsAndCopies()
}

// explainLoops names the place of the model that a loop went from, else what brought most kernels into the program: the body of a
// loop that was unrolled.
func explainLoops(v *diff.Variant) (*diff.Cause, result.Evidence) {
	most, e := v.GrowthBy(facts.AnyKernel, func(*facts.Kernel) int64 { return 1 })
	at := slices.IndexFunc(v.Causes, func(c diff.Cause) bool { return slices.ContainsFunc(c.Edits, lostLoop) })
	if at < 0 {
		return most, e
	}
	if c := &v.Causes[at]; most == nil || !c.Spreads() {
		return c, c.Evidence(facts.AnyKernel)
	}
	loop, _, _ := strings.Cut(v.Causes[at].Title, "; ") // the layers that the loop held tell more than how they spread what they hand on
	return most.With(loop), e
}

func lostLoop(e diff.Edit) bool {
	return slices.ContainsFunc(e.Removed, func(s diff.Step) bool { return s.Opcode == "while" })
}
