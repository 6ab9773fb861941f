package rule

import (
	"fmt"
	"math"
	"strings"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
)

// Amount is a number that limits apply to.
type Amount struct {
	Subject    string // what is counted; part of the finding's id
	Noun       string // "kernels"
	Unit       string // "bytes" or ""
	Better     Direction
	Actual     float64
	Base       *float64 // nil without a baseline
	Added      float64  // what is new: the increase counts as at least this, even if as much is gone
	Lost       float64  // what is gone: the decrease counts as at least this, even if as much is new
	Bounded    bool     // the old amount was at most Base, so less than Base is no improvement
	Unrecorded bool     // there is a baseline, and it does not record this
	Difference bool     // it counts differences from the baseline; accepting leaves none
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

// AmountOf is a fact of a variant with its baseline, in the metric's terms. Several programs together need at least the memory that the largest needs, and at
// most the sum of what all need. So if programs merged or split, the least that is needed now is compared with the most that was needed before.
func (c *Context) AmountOf(m Metric, fact facts.ID) Amount {
	v := c.Variant
	a := Amount{Subject: string(m.Fact), Noun: m.Noun, Unit: m.Unit, Better: m.Better, Actual: v.New.Facts[fact]}
	if v.Old != nil {
		was, known := v.Old.Facts[fact]
		a.SetBase(known, was)
	}
	if a.Base != nil && v.Regrouped && facts.About(fact).Largest {
		var sum float64
		for _, p := range c.Program.Were {
			for _, v := range p.Variants {
				sum += v.Facts[fact]
			}
		}
		a.Base, a.Bounded = new(sum), true
	}
	return a
}

// SetBase sets what the amount was, if the baseline records it.
func (a *Amount) SetBase(known bool, was float64) {
	if a.Unrecorded = !known; known {
		a.Base = &was
	}
}

// improvementKey identifies an improvement, which is noted once for all variants of a program.
type improvementKey struct{ program, subject, noun, keep string }

// improvement is a noted improvement, as it is in the variant that improved most.
type improvement struct {
	note     int     // its index in Notes
	share    float64 // of the old value, where it is greatest
	message  string  // of that variant
	variants int
}

func (c *Context) noteBetter(a Amount, l Limits) {
	const noteworthy = 0.001 // the share of the old value from which an improvement is worth a line
	if a.Base == nil || a.Bounded || a.Actual == *a.Base || !l.Compares() {
		return
	}
	tolerance := 0.0 // growth by less is not reported either
	if l.MaxIncrease != nil && !l.MaxIncrease.Percent {
		tolerance = l.MaxIncrease.Amount
	}
	better := a.Better == Lower && a.Actual < *a.Base || a.Better == Higher && a.Actual > *a.Base
	if better && !c.mayNotBeBetter(a) && math.Abs(a.Actual-*a.Base) >= max(noteworthy**a.Base, tolerance) {
		// --tighten takes a compilation with the same arguments, and no more time or memory.
		keep, v := "xlagate accept --reason \"why\"", c.Variant
		if v != nil && !v.Regrouped && v.Old.Signature == v.New.Signature && changes.TakesLess(v.Old.Facts, v.New.Facts) {
			keep = "xlagate accept --tighten"
		}
		key := improvementKey{c.programName(), a.Subject, a.Noun, keep}
		was, is := phrase.Apart(*a.Base, a.Actual, a.Unit)
		message, share := fmt.Sprintf("%s %s → %s", a.Noun, was, is), math.Abs(a.Actual-*a.Base)/math.Max(*a.Base, 1)
		if c.improved == nil {
			c.improved = map[improvementKey]*improvement{}
		}
		known := c.improved[key]
		if known == nil || c.Variant == nil {
			c.improved[key] = &improvement{note: len(c.Notes), share: share, message: message, variants: 1}
			c.Notes = append(c.Notes, result.Note{Kind: "better", Program: key.program, Message: message, Fix: key.keep})
			return
		}
		known.variants++
		if share > known.share {
			known.share, known.message = share, message
		}
		c.Notes[known.note].Message = fmt.Sprintf("%s (in %d variants)", known.message, known.variants)
	}
}

// mayNotBeBetter reports whether a smaller amount than in the baseline may be no improvement: the arguments differ, results are lost, or arithmetic may have
// moved into custom calls, whose work is unknown.
func (c *Context) mayNotBeBetter(a Amount) bool {
	v := c.Variant
	arithmetic := strings.HasPrefix(a.Subject, "cost.") && (strings.HasSuffix(a.Subject, "flops") || strings.HasSuffix(a.Subject, "transcendentals"))
	return v != nil && (v.Rescaled || len(v.LostResults()) > 0 || arithmetic && v.New.CustomCallRuns() > v.Old.CustomCallRuns())
}
