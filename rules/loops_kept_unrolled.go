package rules

import (
	"fmt"

	"github.com/xlagate/xlagate/internal/diff"

	"github.com/xlagate/xlagate/internal/facts"

	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
)

// judgeUnrolled counts the loops that are still there and take several steps at once.
func judgeUnrolled(c *rule.Context, p *diff.Program, v *diff.Variant) {
	if v.Old == nil || len(v.Old.Loops()) == 0 || c.MaxIncrease == nil && c.MaxDecrease == nil {
		return
	}
	partly := partlyUnrolled(v)
	a := rule.Amount{Program: p, Variant: v, Subject: "loops.unrolled", Noun: "loops unrolled in part", Better: rule.Lower, Actual: float64(len(partly))}
	a.Base = new(0.0)
	a.Tell = func(f rule.Finding) []rule.Finding {
		old, fresh := partly[0][0], partly[0][1]
		said := fmt.Sprintf("the loop %s ran %d times, now %d, and does several steps at once", fresh.LoopPlace(), old.Length, fresh.Length)
		f.Message = said
		if others := len(partly) - 1; others > 0 {
			f.Message += "; " + phrase.Counted(float64(others), "", "other loops") + " as well"
		}
		f.Cause, f.Evidence = explainUnrolled(v)
		switch {
		case f.Cause == nil:
			f.Cause = diff.CauseAt(said, fresh)
		case fresh.Source.File != "": // what stands in a loop several times stands at the lines where it stood once
			f.Cause = f.Cause.At(fresh)
		}
		return []rule.Finding{f}
	}
	c.With(rule.NoMore).Hold(a)
}

// explainUnrolled names what stands several times now.
func explainUnrolled(v *diff.Variant) (*diff.Cause, result.Evidence) {
	return v.GrowthBy(func(k *facts.Kernel) bool { return k.InLoop }, func(k *facts.Kernel) int64 { return k.Flops })
}

// asMuchMore is the least that one iteration of two or more computes of what one alone did: what they have in common is computed once.
const asMuchMore = 1.5

// partlyUnrolled pairs the loops that run at most half as often as in the baseline, while each time they launch more and compute as much
// more.
func partlyUnrolled(v *diff.Variant) (loops [][2]*facts.Kernel) {
	pairs, _, _ := diff.PairLoops(v.Old.Loops(), v.New.Loops())
	for _, pair := range pairs {
		old, fresh := pair[0], pair[1]
		if fresh.Length == 0 || old.Length < 2*fresh.Length {
			continue
		}
		was, is := v.Old.LoopStep(old), v.New.LoopStep(fresh)
		if is.Launches > was.Launches && is.Flops >= asMuchMore*was.Flops {
			loops = append(loops, pair)
		}
	}
	return loops
}
