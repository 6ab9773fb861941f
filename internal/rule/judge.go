package rule

import (
	"fmt"
	"math"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/result"
)

// Judge holds an amount against max, min, equal, max_increase and max_decrease. What they leave open may not be worse than in the
// baseline; improvements are noted.
func (c *Context) Judge(a Amount) { c.NoWorse(a.Better).Hold(a) }

// Forbid judges an amount of what should not be there at all, unless the settings give it a limit.
func (c *Context) Forbid(a Amount) {
	if c.MaxIncrease == nil && !c.AbsolutelyBounded() {
		c = c.With(func(s *Settings) { s.Max, s.implied = new(float64), true })
	}
	c.Hold(a)
}

// JudgePinned judges a count of what is not as it was pinned, or, without pins of the rule's own, as it was in the baseline.
func (c *Context) JudgePinned(a Amount) {
	if c.BoundedByOwn() {
		c.Forbid(a)
		return
	}
	c.Judge(a)
}

// JudgeRuns holds a number of launches against the settings, and where they are no more than in the baseline how often they run: a launch
// that moved into a loop is still one.
func (c *Context) JudgeRuns(a Amount, runs func(*facts.Variant) float64) {
	found := len(c.Findings)
	c.Judge(a)
	if a.Base == nil || len(c.Findings) > found || c.AbsolutelyBounded() && c.MaxIncrease == nil {
		return
	}
	if now, was := runs(a.Variant.New), runs(a.Variant.Old); now > was {
		a.Actual, a.Base, a.Noun = now, &was, "runs of "+a.Noun
		c.With(NoBounds).Judge(a)
	}
}

// NoBounds leaves only what is held against the baseline.
func NoBounds(s *Settings) { s.Max, s.Min, s.Equal = nil, nil, nil }

// NoMore leaves only that there may be no more than in the baseline.
func NoMore(s *Settings) {
	NoBounds(s)
	s.MaxIncrease, s.MaxDecrease = &Change{}, nil
}

// NoWorse bounds the side that is worse by the baseline, unless the settings bound the amount themselves. So a bound on the other
// side, of an improvement that would be too good to be true, never takes the place of it.
func (c *Context) NoWorse(better Direction) *Context {
	if c.AbsolutelyBounded() || better == Exact && c.Bounded() {
		return c
	}
	return c.With(func(s *Settings) {
		if better != Higher && s.MaxIncrease == nil {
			s.MaxIncrease = &Change{}
		}
		if better != Lower && s.MaxDecrease == nil {
			s.MaxDecrease = &Change{}
		}
	})
}

// Hold reports what an amount breaks.
func (c *Context) Hold(a Amount) {
	c.Checked()
	var b breach
	c.absolute(a, &b)
	drift := len(b.said) == 0 && !a.Upgrade
	c.drift(a, &b)
	c.room(a)
	if len(b.said) == 0 {
		c.noteBetter(a)
		return
	}
	for _, f := range a.findings(b) {
		f.Drift = drift
		c.Find(f)
	}
}

// Exceeds says whether an amount breaks a limit that needs no baseline.
func (c *Context) Exceeds(a Amount) bool {
	var b breach
	c.absolute(a, &b)
	return len(b.said) > 0
}

// absolute holds an amount against the limits that need no baseline.
func (c *Context) absolute(a Amount, b *breach) {
	if c.Equal != nil && a.Actual != *c.Equal {
		b.add(*c.Equal, a.Actual > *c.Equal, *c.Equal, "exactly "+a.beside(*c.Equal)+" wanted")
	}
	if c.Max != nil && a.Actual > *c.Max {
		b.add(*c.Max, true, *c.Max, "at most "+a.beside(*c.Max)+" allowed")
	}
	if c.Min != nil && a.Actual < *c.Min {
		b.add(*c.Min, false, *c.Min, "at least "+a.beside(*c.Min)+" wanted")
	}
}

// MinGrowth is the option that lets growth pass which is too little to matter.
const MinGrowth = "min_growth"

// drift compares with the baseline, where there is one and the settings ask for it.
func (c *Context) drift(a Amount, b *breach) {
	if c.MaxIncrease == nil && c.MaxDecrease == nil || c.Incomparable(a) || a.Base == nil {
		return
	}
	grown, shrunk := max(a.Actual-*a.Base, a.Added), max(*a.Base-a.Actual, a.Lost)
	if least, _ := c.Number(MinGrowth); grown < least {
		grown = 0
	}
	if c.MaxIncrease != nil && grown > 0 && grown > c.MaxIncrease.Of(*a.Base) {
		b.add(math.Floor(*a.Base+c.MaxIncrease.Of(*a.Base)), true, *a.Base, a.comparison("up from"))
	}
	if c.MaxDecrease != nil && shrunk > 0 && shrunk > c.MaxDecrease.Of(*a.Base) {
		b.add(math.Ceil(*a.Base-c.MaxDecrease.Of(*a.Base)), false, *a.Base, a.comparison("down from"))
	}
}

// Incomparable says why an amount cannot be held against the baseline, if it cannot: the baseline does not have it, or it differs from
// compile to compile.
func (c *Context) Incomparable(a Amount) bool {
	switch {
	case a.Lacking:
		c.Gap(fmt.Sprintf("%s (the baseline does not hold %s)", c.Rule.ID, a.Subject), result.Problem{
			Message: fmt.Sprintf("%s could not compare: the baseline of %s does not hold %s", c.Rule.ID, a.program(), a.Subject),
			Fix:     "accept it again from a dump that has it: xlagate accept --reason \"…\"",
		})
		return true
	case a.unstable():
		c.Notes = append(c.Notes, result.Note{
			Kind: "unstable", Program: a.program(), Message: fmt.Sprintf("%s differs from compile to compile: not held against the baseline", a.Subject),
		})
		return true
	}
	return false
}

// room notes how much of a budget is used.
func (c *Context) room(a Amount) {
	row := result.Headroom{Program: a.program(), Rule: c.Rule.ID, Subject: a.Subject, Actual: a.Actual, Unit: a.Unit}
	if c.Max != nil && !c.implied {
		row.Key, row.Limit = "max", *c.Max
		c.Headroom = append(c.Headroom, row)
	}
	if _, written := c.Marks["max_increase"]; written && c.MaxIncrease != nil && c.MaxIncrease.Amount > 0 && a.Base != nil {
		row.Key, row.Base, row.Limit = "max_increase", *a.Base, *a.Base+c.MaxIncrease.Of(*a.Base)
		c.Headroom = append(c.Headroom, row)
	}
}
