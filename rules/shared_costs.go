package rules

import (
	"fmt"
	"slices"

	"github.com/xlagate/xlagate/internal/diff"

	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
)

// checkCost holds a cost against the settings, and that every run has no more of it to do than before: the cost of a conditional is its
// dearest branch's, and does not tell when all of them are computed always; that of a loop of unknown length is one iteration's, and does
// not tell when it cannot end early any more.
func checkCost(c *rule.Context, p *diff.Program) {
	rule.CheckBudget(c, p)
	for _, v := range rule.Live(p) {
		judgeSpared(c, p, v)
	}
}

// judgeSpared counts what a run of the baseline could leave out, because it stood in a branch or behind a loop's early exit, and is in
// every run now.
func judgeSpared(c *rule.Context, p *diff.Program, v *diff.Variant) {
	m := *c.Rule.Budget
	if v.Old == nil || c.MaxIncrease == nil && c.AbsolutelyBounded() || !diff.FactKnown(v, m.Fact) {
		return
	}
	if diff.NothingTold(v.Old) {
		if diff.Conditionals(v.New) < diff.Conditionals(v.Old) || v.New.Facts[diff.UnknownLoops] < v.Old.Facts[diff.UnknownLoops] {
			c.Incomparable(rule.Amount{Program: p, Variant: v, Subject: m.Least, Lacking: true})
		}
		return
	}
	if _, spares := v.Old.Facts[m.Least]; !spares || diff.Counting(v.New) < diff.Counting(v.Old) {
		return
	}
	was, is := diff.RunCosts(v, m.Fact)
	grown := c.NoWorse(m.Better).MaxIncrease
	if is.Most-was.Most > grown.Of(was.Most) && is.Least <= is.Most { // the growth of the whole says it
		return
	}
	if min(is.Least-was.Least, was.Spared()-is.Spared()) <= grown.Of(max(was.Most, was.Least)) {
		return
	}
	a := rule.Amount{Program: p, Variant: v, Subject: m.Least, Noun: m.Noun + " in every run", Unit: m.Unit, Better: rule.Lower, Actual: is.Least, Base: &was.Least}
	a.Cause = func() (*diff.Explanation, result.Evidence) { return explainSpared(v, m.Fact) }
	c.With(rule.NoMore).Hold(a)
}

// explainSpared names the loop that lost its early exit, or the place of the model that a conditional went from, else what brought most of
// the cost.
func explainSpared(v *diff.Variant, fact string) (*diff.Explanation, result.Evidence) {
	pairs, _, _ := diff.PairLoops(diff.Loops(v.Old), diff.Loops(v.New))
	for _, pair := range pairs {
		if old, fresh := pair[0], pair[1]; old.Length == 0 && fresh.Length > 0 {
			return diff.ExplanationOf(fmt.Sprintf("the loop could end early, and runs %d times always now", fresh.Length), fresh), result.Evidence{After: []string{diff.LoopLine(fresh)}}
		}
	}
	for i := range v.Causes {
		if c := &v.Causes[i]; slices.ContainsFunc(c.Edits, lostBranch) {
			cause := diff.ExplanationFrom(c)
			cause.Summary = "the branches of a conditional are all computed always; " + cause.Summary
			return cause, diff.EvidenceOf(c, diff.AnyKernel)
		}
	}
	return diff.ExplainFact(v, fact)
}

func lostBranch(e diff.Edit) bool {
	return slices.ContainsFunc(e.Removed, func(s diff.Step) bool { return s.Opcode == "conditional" })
}
