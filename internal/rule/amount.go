package rule

import (
	"slices"

	"github.com/xlagate/xlagate/internal/facts"
)

// Amount is a number that limits apply to.
type Amount struct {
	Subject    string // what is counted; part of the finding's id
	Noun       string // "kernels"
	Unit       string // "bytes" or ""
	Better     Direction
	Actual     float64
	Base       *float64 // nil without a baseline
	Added      float64  // how much of it the baseline does not have: the increase is at least that
	Lost       float64  // how much of the baseline's it does not have: the decrease is at least that
	Unrecorded bool     // there is a baseline, and it does not record this
	Difference bool     // it counts differences from the baseline, of which none are left once they are accepted
	Upgrade    bool     // it is the toolchain's own change: no change of the toolchain explains it
}

// Budget is an amount of the rule's own metric.
func (c *Context) Budget(subject string, actual float64) Amount {
	m := c.Rule.Budget
	return Amount{Subject: subject, Noun: m.Noun, Unit: m.Unit, Better: m.Better, Actual: actual}
}

// Count is an amount of the rule's own metric, counted alike in the variant and in its baseline.
func (c *Context) Count(subject string, count func(*facts.Variant) float64) Amount {
	a := c.Budget(subject, count(c.Variant.New))
	if c.Variant.Old != nil {
		a.Base = new(count(c.Variant.Old))
	}
	return a
}

// AmountOf is a fact of a variant with its baseline, in the metric's terms.
func (c *Context) AmountOf(m Metric, fact facts.ID) Amount {
	v := c.Variant
	a := Amount{Subject: string(m.Fact), Noun: m.Noun, Unit: m.Unit, Better: m.Better, Actual: v.New.Facts[fact]}
	if v.Old != nil {
		was, known := v.Old.Facts[fact]
		a.SetBase(known, was)
	}
	return a
}

// SetBase sets what the amount was, if the baseline records it.
func (a *Amount) SetBase(known bool, was float64) {
	if a.Unrecorded = !known; known {
		a.Base = &was
	}
}

// unstable reports whether a fact of the variant differs from compile to compile.
func (c *Context) unstable(fact string) bool {
	is := func(v *facts.Variant) bool { return v != nil && slices.Contains(v.Unstable, fact) }
	return c.Variant != nil && (is(c.Variant.New) || is(c.Variant.Old))
}
