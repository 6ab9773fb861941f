package rule

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
)

// JudgeFact judges one fact of one variant. Growth is measured on the weighted fact, which counts a loop as often as it runs, where both
// sides know it.
func (c *Context) JudgeFact(m Metric) {
	v := c.Variant
	if m.Or != "" && !v.New.Facts.Known(m.Fact) {
		m.Fact = m.Or
	}
	if !v.New.Facts.Known(m.Fact) {
		if c.Rule.Category == CostFacts && c.Rule.Reads[0] == Optimized && v.New.CustomCallRuns() != 0 {
			c.Gap("it consists of custom calls only, and XLA does not know what they cost", "bound it by another rule, such as kernel-bodies")
			return
		}
		c.Uncovered(c.Rule.Reads[0], DumpFix)
		return
	}
	if m.Weighted == "" || !v.Knows(m.Weighted) {
		Explain(c.Judge(c.AmountOf(m, m.Fact)), v.FactGrowth, m.Fact)
		return
	}
	limits := c.noWorse(m.Better)
	growth := limits.growth()
	limits.MaxIncrease, limits.MaxDecrease = nil, nil
	if limits.AbsolutelyBounded() {
		Explain(c.Compare(c.AmountOf(m, m.Fact), limits), v.FactGrowth, m.Fact)
	}
	if growth.Compares() {
		Explain(c.Compare(c.AmountOf(m, m.Weighted), growth), v.FactGrowth, m.Fact)
	}
}

// Judge compares an amount with max, min, equal, max_increase and max_decrease. What they leave open may not be worse than in the baseline. If the rule
// forbids the amount, or if the amount counts differences from the rule's own bounds, it must be zero instead. Improvements are noted.
// Judge records a finding if a limit is broken. It returns the finding if the amount broke it on its worse side, so that the rule can say more about it.
// Otherwise it returns nil.
func (c *Context) Judge(a Amount) *Finding {
	pinned := c.Rule.Budget != nil && c.Rule.Budget.Difference && c.BoundedByOwn()
	if a.Difference || !c.Rule.Forbids && !pinned {
		return c.Compare(a, c.noWorse(a.Better))
	}
	limits := c.Limits
	if c.MaxIncrease == nil && !c.AbsolutelyBounded() {
		limits.Max, limits.implied = new(float64), true
	}
	return c.Compare(a, limits)
}

// The limits of amounts that may not grow, or must stay as they were, whatever the settings say.
var (
	NoMore = Limits{MaxIncrease: &Change{}}
	Same   = Limits{MaxIncrease: &Change{}, MaxDecrease: &Change{}}
)

// MostBy is the limit that an option of the rule's own sets.
func MostBy(key string, limit float64) Limits { return Limits{Max: &limit, MaxKey: key} }

// Cap holds a number against an option of the rule's own. Where the number is larger it records a finding and returns it; message says how large it
// is, with %s for the number.
func (c *Context) Cap(key, subject, unit string, n float64, message string) *Finding {
	limit, set := c.Number(key)
	if !set {
		return nil
	}
	c.Checked()
	if n <= limit {
		return nil
	}
	is, allowed := phrase.Apart(n, limit, unit)
	return c.Find(result.Finding{
		Subject: subject, Unit: unit, Actual: n, Limit: limit, Bound: &result.Bound{Key: key, Needs: n},
		Message: fmt.Sprintf("%s, at most %s allowed", strings.Replace(message, "%s", is, 1), allowed),
	})
}

// AtLeast holds a share against an option of the rule's own, as Cap does. Where the share is smaller it records a finding.
func (c *Context) AtLeast(key, subject string, have float64, message string) *Finding {
	least, set := c.Number(key)
	if !set {
		return nil
	}
	c.Checked()
	if have >= least {
		return nil
	}
	is, wanted := phrase.Apart(have, least, "share")
	return c.Find(result.Finding{
		Subject: subject, Unit: "share", Actual: have, Limit: least, Bound: &result.Bound{Key: key, Needs: have},
		Message: fmt.Sprintf("%s, %s wanted", strings.Replace(message, "%s", is, 1), wanted),
	})
}

// JudgeDifferences judges how many things are not as in the baseline, of which there may be none.
func (c *Context) JudgeDifferences(subject string, n float64) *Finding {
	a := c.Budget(subject, n)
	a.Base = new(0.0)
	return c.Judge(a)
}

// JudgeRuns judges a number of launches and, where that holds, how often they run: a launch that moved into a loop is still one launch. The settings or
// the baseline allow some, even of what the rule forbids.
func (c *Context) JudgeRuns(a Amount, runs func(*facts.Variant) float64) *Finding {
	found := len(c.Findings)
	f := c.Compare(a, c.noWorse(a.Better))
	if a.Base == nil || len(c.Findings) > found || c.AbsolutelyBounded() && c.MaxIncrease == nil {
		return f
	}
	if now, was := runs(c.Variant.New), runs(c.Variant.Old); now > was {
		a.Actual, a.Base, a.Noun = now, &was, "runs of "+a.Noun
		f = c.JudgeGrowth(a)
	}
	return f
}

// JudgeGrowth judges an amount by the baseline alone.
func (c *Context) JudgeGrowth(a Amount) *Finding { return c.Compare(a, c.growth().noWorse(a.Better)) }

// PortionOf divides a part by all; it is 1 where there is nothing.
func PortionOf(part, all float64) float64 {
	if all == 0 {
		return 1
	}
	return part / all
}

// JudgeShare judges an amount or, where the option of a key bounds a share instead, that share; of says what it is a share of. It returns the findings
// to explain.
func (c *Context) JudgeShare(a Amount, key, subject string, have float64, of string) []*Finding {
	var found []*Finding
	if _, set := c.Number(key); !set || c.Bounded() {
		found = append(found, c.Judge(a))
	}
	found = append(found, c.AtLeast(key, subject, have, a.counted(nil)+": %s "+of))
	return slices.DeleteFunc(found, func(f *Finding) bool { return f == nil })
}

// noWorse returns the limits of the settings. The baseline limits the worse side unless they bound the amount; a bound on the better side does not
// count as one.
func (l Limits) noWorse(better Direction) Limits {
	if l.AbsolutelyBounded() || better == Exact && l.Bounded() {
		return l
	}
	if better != Higher && l.MaxIncrease == nil {
		l.MaxIncrease = &Change{}
	}
	if better != Lower && l.MaxDecrease == nil {
		l.MaxDecrease = &Change{}
	}
	return l
}

// Compare compares an amount with limits and the baseline, and records a finding of what it breaks. It returns the finding as Judge does.
func (c *Context) Compare(a Amount, l Limits) *Finding {
	c.Checked()
	var b breach
	l.absolute(a, &b)
	absolute := len(b.said)
	c.drift(a, l, &b)
	c.noteHeadroom(a, l)
	if len(b.said) == 0 {
		c.noteBetter(a, l)
		return nil
	}
	f := c.Find(result.Finding{
		Subject: a.Subject, Unit: a.Unit, Actual: a.Actual, Limit: b.limit, Bound: c.bound(a, l),
		Message: fmt.Sprintf("%s: %s", a.counted(b.against), strings.Join(b.said, "; ")),
	})
	f.Drift = absolute == 0
	if a.Base != nil {
		f.Baseline = *a.Base
	}
	if l.MaxIncrease != nil && a.Base != nil {
		f.WithinBaseline = *a.Base + l.MaxIncrease.Of(*a.Base)
	}
	if a.Better == Exact || b.tooMuch == (a.Better != Higher) {
		return f
	}
	return nil
}

// bound is the limit that an amount breaks even after it is accepted, nil where there is none.
func (c *Context) bound(a Amount, l Limits) *result.Bound {
	if a.Difference || c.Rule.Budget != nil && c.Rule.Budget.Difference && !c.BoundedByOwn() {
		a.Actual = 0
	}
	var b breach
	l.absolute(a, &b)
	if len(b.said) == 0 {
		return nil
	}
	return &result.Bound{Key: b.key, Needs: a.Actual}
}

// absolute compares an amount with the limits that need no baseline.
func (l *Limits) absolute(a Amount, b *breach) {
	if l.Equal != nil && a.Actual != *l.Equal {
		b.add("equal", *l.Equal, a.Actual > *l.Equal, *l.Equal, "exactly "+a.against(*l.Equal)+" wanted")
	}
	if l.Max != nil && a.Actual > *l.Max {
		b.add(l.KeyOfMax(), *l.Max, true, *l.Max, "at most "+a.against(*l.Max)+" allowed")
	}
	if l.Min != nil && a.Actual < *l.Min {
		b.add("min", *l.Min, false, *l.Min, "at least "+a.against(*l.Min)+" wanted")
	}
}

// MinGrowth is the option that lets growth below a size pass.
const MinGrowth = "min_growth"

// drift compares an amount with the baseline, where there is one and the settings compare with it.
func (c *Context) drift(a Amount, l Limits, b *breach) {
	if !l.Compares() || c.incomparable(a) || a.Base == nil {
		return
	}
	grown, shrunk := max(a.Actual-*a.Base, a.Added), max(*a.Base-a.Actual, a.Lost)
	if least, _ := c.Number(MinGrowth); grown < least {
		grown = 0
	}
	if l.MaxIncrease != nil && grown > 0 && grown > l.MaxIncrease.Of(*a.Base) {
		b.add("max_increase", math.Floor(*a.Base+l.MaxIncrease.Of(*a.Base)), true, *a.Base, a.comparison("up from")+l.MaxIncrease.allowed("max_increase", a.Unit))
	}
	if l.MaxDecrease != nil && shrunk > 0 && shrunk > l.MaxDecrease.Of(*a.Base) {
		b.add("max_decrease", math.Ceil(*a.Base-l.MaxDecrease.Of(*a.Base)), false, *a.Base, a.comparison("down from")+l.MaxDecrease.allowed("max_decrease", a.Unit))
	}
}

// incomparable reports, and says, that an amount cannot be compared with the baseline: the baseline does not record it, or it differs from
// compile to compile.
func (c *Context) incomparable(a Amount) bool {
	varies := func(v *facts.Variant) bool { // a model that was itself traced to other programs is judged by the dearest
		return v != nil && !v.InputVaries && slices.Contains(v.Unstable, a.Subject)
	}
	switch {
	case a.Unrecorded:
		c.BaseGap("the baseline does not hold "+a.Subject, "accept it again from a dump that has it: xlagate accept --reason \"why\"")
		return true
	case c.Variant != nil && (varies(c.Variant.New) || varies(c.Variant.Old)):
		c.Notes = append(c.Notes, result.Note{
			Kind: "unstable", Program: c.programName(), Message: fmt.Sprintf("%s differs from compile to compile: not compared with the baseline", a.Subject),
		})
		return true
	}
	return false
}

// noteHeadroom notes how much of a budget is used. A share of the device is no budget that changes use up.
func (c *Context) noteHeadroom(a Amount, l Limits) {
	if a.Unit == "share" {
		return
	}
	row := result.Headroom{Program: c.programName(), Rule: c.Rule.ID, Subject: a.Subject, Actual: a.Actual, Unit: a.Unit}
	if a.Base != nil {
		row.Base = *a.Base
	}
	if l.Max != nil && !l.implied {
		row.Key, row.Limit = "max", *l.Max
		c.Headroom = append(c.Headroom, row)
	}
	if _, written := c.Marks["max_increase"]; written && l.MaxIncrease != nil && l.MaxIncrease.Amount > 0 && a.Base != nil {
		row.Key, row.Limit = "max_increase", *a.Base+l.MaxIncrease.Of(*a.Base)
		c.Headroom = append(c.Headroom, row)
	}
}

// breach is what an amount breaks: the first limit and its side, and a phrase for each limit.
type breach struct {
	key     string
	limit   float64
	tooMuch bool
	said    []string
	against []float64 // the values that the phrases name
}

func (b *breach) add(key string, limit float64, tooMuch bool, named float64, said string) {
	if len(b.said) == 0 {
		b.key, b.limit, b.tooMuch = key, limit, tooMuch
	}
	b.said, b.against = append(b.said, said), append(b.against, named)
}

// comparison writes the value in the baseline, and by how much the amount differs from it.
func (a Amount) comparison(word string) string {
	s := word + " " + a.against(*a.Base) + " in the baseline"
	switch times := a.Actual / *a.Base; {
	case a.Unit != "bytes" && a.Unit != "nanoseconds" || *a.Base <= 0:
	case times >= 10:
		s += fmt.Sprintf(" (%s times as much)", phrase.Number(math.Round(times)))
	case math.Abs(times-1) >= 0.0005: // less would read as no change at all
		s += fmt.Sprintf(" (%+.1f %%)", 100*(times-1))
	}
	return s
}

// against writes a value with enough digits to differ from the amount.
func (a Amount) against(v float64) string {
	text, _ := phrase.Apart(v, a.Actual, a.Unit)
	return text
}

// counted writes the amount and its noun, with enough digits to differ from the values that it is compared with.
func (a Amount) counted(against []float64) string {
	precise, rough := "", phrase.Show(a.Actual, a.Unit)
	for _, v := range against {
		if text, _ := phrase.Apart(a.Actual, v, a.Unit); text != rough && len(text) > len(precise) {
			precise = text
		}
	}
	if precise == "" {
		return phrase.Counted(a.Actual, a.Unit, a.Noun)
	}
	return precise + " of " + a.Noun
}
