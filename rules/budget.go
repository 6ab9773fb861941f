package rules

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/measure"
	"github.com/xlagate/xlagate/internal/result"
)

// Amount is what a budget is held against.
type Amount struct {
	Program *diff.Program // nil for amounts of a whole target
	Variant *diff.Variant // nil for amounts of a whole program
	Name    string        // the program's name where only a log knows of it
	Subject string        // what is counted; part of the finding's id
	Noun    string        // "kernels"
	Unit    string        // "bytes" or ""
	Better  Direction
	Actual  float64
	Base    *float64 // nil: there is no baseline for it
	Lacking bool     // there is a baseline, but it does not hold this
	Excused bool     // growth against the baseline is none that anybody should be stopped for
	// Cause explains an excess; it is asked only when there is one.
	Cause func() (*result.Cause, result.Evidence)
}

// checkBudget holds the rule's own metric against the settings, variant by variant. It is the whole of most rules.
func checkBudget(c *Context, p *diff.Program) {
	for _, v := range live(p) {
		c.judgeFact(p, v, *c.Rule.Budget)
	}
}

// judgeFact holds one fact of one variant against the settings. Where loops are counted as often as they run, and the baseline knows
// that count, it is what growth is measured by: the plain count sees the body of a loop once.
func (c *Context) judgeFact(p *diff.Program, v *diff.Variant, m Metric) {
	if _, ok := v.New.Facts[m.Fact]; !ok {
		c.Uncovered(p.Name, firstInput(c.Rule), dumpMend)
		return
	}
	if m.Weighted == "" || !both(v, m.Weighted) {
		c.Judge(c.amount(p, v, m, m.Fact))
		return
	}
	if c.Max != nil || c.Min != nil || c.Equal != nil {
		c.with(func(s *Settings) { s.MaxIncrease, s.MaxDecrease = nil, nil }).Judge(c.amount(p, v, m, m.Fact))
	}
	if !c.bounded() || c.MaxIncrease != nil || c.MaxDecrease != nil {
		c.with(func(s *Settings) { s.Max, s.Min, s.Equal = nil, nil, nil }).Judge(c.amount(p, v, m, m.Weighted))
	}
}

func both(v *diff.Variant, fact string) bool {
	_, now := v.New.Facts[fact]
	if v.Old == nil {
		return false
	}
	_, before := v.Old.Facts[fact]
	return now && before
}

// amount is a fact of a variant beside its baseline, in the metric's terms.
func (c *Context) amount(p *diff.Program, v *diff.Variant, m Metric, fact string) Amount {
	a := Amount{
		Program: p, Variant: v, Subject: m.Fact, Noun: m.Noun, Unit: m.Unit, Better: m.Better, Actual: v.New.Facts[fact],
		Cause: func() (*result.Cause, result.Evidence) { return explainFact(v, m.Fact) },
	}
	if v.Old != nil {
		base, ok := v.Old.Facts[fact]
		if a.Lacking = !ok; ok {
			a.Base = &base
		}
	}
	return a
}

// with is the same context with other settings; what is found goes to the same place.
func (c *Context) with(change func(*Settings)) *Context {
	settings := *c.Settings
	change(&settings)
	return &Context{Settings: &settings, Target: c.Target, Needed: c.Needed, Said: c.Said}
}

const dumpMend = "dump it: xlagate capture --to DIR -- COMMAND sets the flags"

func firstInput(r *Rule) Input {
	if len(r.Reads) == 0 {
		return Optimized
	}
	return r.Reads[0]
}

// Forbid judges an amount of what should not be there at all, unless the settings give it a limit.
func (c *Context) Forbid(a Amount) {
	if !c.bounded() {
		c = c.with(func(s *Settings) { s.Max, s.implied = new(float64), true })
	}
	c.Judge(a)
}

// tolerates says whether an amount of what should not be there keeps within the settings. It is for rules that report each one by itself.
func (c *Context) tolerates(a Amount) bool {
	quiet := c.with(func(s *Settings) {
		if !s.bounded() {
			s.Max, s.implied = new(float64), true
		}
	})
	quiet.Said = &Said{}
	quiet.Judge(a)
	broken := len(quiet.Findings) > 0
	quiet.Findings = nil
	c.add(quiet.Said)
	return !broken
}

// add takes over what was said elsewhere.
func (s *Said) add(o *Said) {
	s.Checks += o.Checks
	s.Findings = append(s.Findings, o.Findings...)
	s.Problems = append(s.Problems, o.Problems...)
	s.Notes = append(s.Notes, o.Notes...)
	s.Headroom = append(s.Headroom, o.Headroom...)
	s.NotCovered = append(s.NotCovered, o.NotCovered...)
}

// baseline says what the amount was, where there is a baseline and it is known from it.
func (a *Amount) baseline(there, known bool, was float64) {
	a.Lacking = there && !known
	if there && known {
		a.Base = &was
	}
}

// breach is what an amount breaks: the first limit, and a phrase for each.
type breach struct {
	limit float64
	said  []string
}

func (b *breach) add(limit float64, said string) {
	if len(b.said) == 0 {
		b.limit = limit
	}
	b.said = append(b.said, said)
}

// Judge holds an amount against max, min, equal, max_increase and max_decrease; where none of them is set it may not be worse than in
// the baseline. Improvements never fail; they are noted.
func (c *Context) Judge(a Amount) {
	c.Checked()
	if !c.bounded() {
		c = c.with(func(s *Settings) { s.MaxIncrease, s.MaxDecrease = &Change{}, &Change{} })
	}
	var b breach
	c.absolute(a, &b)
	drift := len(b.said) == 0
	if limit, said := c.drift(a); said != "" {
		b.add(limit, said)
	}
	if len(b.said) == 0 {
		c.noteBetter(a)
		return
	}
	f := a.finding(b)
	f.Drift = drift
	c.Find(f)
}

// absolute holds an amount against the limits that need no baseline.
func (c *Context) absolute(a Amount, b *breach) {
	if c.Equal != nil && a.Actual != *c.Equal {
		b.add(*c.Equal, "exactly "+a.show(*c.Equal)+" wanted")
	}
	if c.Max != nil && a.Actual > *c.Max {
		b.add(*c.Max, "at most "+a.show(*c.Max)+" allowed")
	}
	if c.Min != nil && a.Actual < *c.Min {
		b.add(*c.Min, "at least "+a.show(*c.Min)+" wanted")
	}
	if c.Max != nil && !c.implied {
		c.Headroom = append(c.Headroom, result.Headroom{Program: a.program(), Rule: c.Rule.ID, Subject: a.Subject, Actual: a.Actual, Limit: *c.Max, Unit: a.Unit})
	}
}

// drift compares with the baseline, where there is one and the settings ask for it. Which way is worse belongs to the metric.
func (c *Context) drift(a Amount) (limit float64, said string) {
	if c.MaxIncrease == nil && c.MaxDecrease == nil || c.incomparable(a) || a.Base == nil {
		return 0, ""
	}
	grown := a.Actual - *a.Base
	if a.Excused || c.excused(a.Variant, a.Subject, grown) {
		return 0, ""
	}
	if c.MaxIncrease != nil && a.Better != Higher && grown > 0 && grown > c.MaxIncrease.Of(*a.Base) {
		return math.Floor(*a.Base + c.MaxIncrease.Of(*a.Base)), a.comparison("up from")
	}
	if c.MaxDecrease != nil && a.Better != Lower && grown < 0 && -grown > c.MaxDecrease.Of(*a.Base) {
		return math.Ceil(*a.Base - c.MaxDecrease.Of(*a.Base)), a.comparison("down from")
	}
	return 0, ""
}

// incomparable says why an amount cannot be held against the baseline, if it cannot: the baseline does not have it, or it differs from
// compile to compile.
func (c *Context) incomparable(a Amount) bool {
	switch {
	case a.Lacking:
		c.gap(fmt.Sprintf("%s (the baseline does not hold %s)", c.Rule.ID, a.Subject), result.Problem{
			Message: fmt.Sprintf("%s could not compare: the baseline of %s does not hold %s", c.Rule.ID, a.program(), a.Subject),
			Mend:    "accept it again from a dump that has it: xlagate accept --reason \"…\"",
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

func (a Amount) unstable() bool {
	if a.Variant == nil {
		return false
	}
	is := func(v *facts.Variant) bool { return v != nil && slices.Contains(v.Unstable, a.Subject) }
	return is(a.Variant.New) || is(a.Variant.Old)
}

// program is the program's name, "" for amounts of a whole target.
func (a Amount) program() string {
	if a.Program == nil {
		return a.Name
	}
	return a.Program.Name
}

func (a Amount) comparison(word string) string {
	s := word + " " + a.show(*a.Base) + " in the baseline"
	switch times := a.Actual / *a.Base; {
	case a.Unit != "bytes" || *a.Base <= 0:
	case times >= 10:
		s += fmt.Sprintf(" (%s times as much)", measure.Number(math.Round(times)))
	default:
		s += fmt.Sprintf(" (%+.1f %%)", 100*(times-1))
	}
	return s
}

func (a Amount) show(v float64) string { return measure.Show(v, a.Unit) }

func (a Amount) finding(b breach) result.Finding {
	f := result.Finding{
		Program: a.program(), Subject: a.Subject, Variant: variantName(a.Program, a.Variant), Unit: a.Unit,
		Message: fmt.Sprintf("%s: %s", measure.Counted(a.Actual, a.Unit, a.Noun), strings.Join(b.said, "; ")),
		Actual:  a.Actual, Limit: b.limit,
	}
	if a.Base != nil {
		f.Baseline = *a.Base
	}
	if a.Cause != nil {
		f.Cause, f.Evidence = a.Cause()
	}
	return f
}

// noteworthy is the share of the old value from which an improvement is worth a line.
const noteworthy = 0.001

func (c *Context) noteBetter(a Amount) {
	if a.Base == nil || a.Actual == *a.Base || (c.MaxIncrease == nil && c.MaxDecrease == nil) {
		return
	}
	better := a.Better == Lower && a.Actual < *a.Base || a.Better == Higher && a.Actual > *a.Base
	if !better || a.Variant != nil && a.Variant.Rescaled || math.Abs(a.Actual-*a.Base) < noteworthy**a.Base {
		return
	}
	c.Notes = append(c.Notes, result.Note{
		Kind: "better", Program: a.program(),
		Message: fmt.Sprintf("%s %s → %s", a.Noun, a.show(*a.Base), a.show(a.Actual)), Mend: "xlagate accept --tighten",
	})
}
