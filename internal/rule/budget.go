package rule

import (
	"fmt"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"

	"github.com/xlagate/xlagate/internal/result"
)

// CheckBudget holds the rule's own metric against the settings, variant by variant. It is the whole of most rules.
func CheckBudget(c *Context, p *diff.Program) {
	for _, v := range Live(p) {
		c.JudgeFact(p, v, *c.Rule.Budget)
	}
}

// JudgeFact holds one fact of one variant against the settings. Where loops are counted as often as they run, and the baseline knows
// that count, it is what growth is measured by: the plain count sees the body of a loop once.
func (c *Context) JudgeFact(p *diff.Program, v *diff.Variant, m Metric) {
	if _, ok := v.New.Facts[m.Fact]; !ok {
		c.lacking(p, v)
		return
	}
	if m.Weighted == "" || !v.Knows(m.Weighted) {
		c.Judge(c.AmountOf(p, v, m, m.Fact))
		return
	}
	c = c.NoWorse(m.Better)
	if c.AbsolutelyBounded() {
		c.With(func(s *Settings) { s.MaxIncrease, s.MaxDecrease = nil, nil }).Hold(c.AmountOf(p, v, m, m.Fact))
	}
	if c.MaxIncrease != nil || c.MaxDecrease != nil {
		c.With(NoBounds).Hold(c.AmountOf(p, v, m, m.Weighted))
	}
}

// lacking says why a fact is not known: it was not dumped, or the program is custom calls alone, whose cost XLA does not know.
func (c *Context) lacking(p *diff.Program, v *diff.Variant) {
	if c.Rule.Category != CostFacts || c.Rule.Reads[0] != Optimized || len(v.New.Kernels) == 0 {
		c.Uncovered(p.Name, c.Rule.Reads[0], DumpFix)
		return
	}
	c.Gap(fmt.Sprintf("%s (%s is custom calls alone: what they cost is not known)", c.Rule.ID, p.Name), result.Problem{
		Message: fmt.Sprintf("%s could not look at %s: it is custom calls alone, and XLA does not know what they cost", c.Rule.ID, p.Name),
		Fix:     "bound it by another rule, such as kernel-bodies",
	})
}

// AmountOf is a fact of a variant beside its baseline, in the metric's terms.
func (c *Context) AmountOf(p *diff.Program, v *diff.Variant, m Metric, fact facts.ID) Amount {
	a := Amount{
		Program: p, Variant: v, Subject: string(m.Fact), Noun: m.Noun, Unit: m.Unit, Better: m.Better, Actual: v.New.Facts[fact],
		Cause: func() (*diff.Cause, result.Evidence) { return v.FactGrowth(m.Fact) },
	}
	if v.Old != nil {
		was, known := v.Old.Facts[fact]
		a.Baseline(known, was)
	}
	return a
}

// With is the same context with other settings; what is found goes to the same place.
func (c *Context) With(change func(*Settings)) *Context {
	settings := *c.Settings
	change(&settings)
	return &Context{Settings: &settings, Target: c.Target, Needed: c.Needed, Said: c.Said}
}

// DumpFix is what to do about an input that was not dumped.
const DumpFix = "dump it: xlagate capture --to DIR -- COMMAND sets the flags"
