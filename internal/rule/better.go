package rule

import (
	"fmt"
	"math"
	"strings"

	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
)

// betterOf tells improvements apart: one is told once, in however many variants of the program it is.
type betterOf struct{ program, subject, noun, keep string }

// improvement is what is told of several variants.
type improvement struct {
	note     int     // in Notes
	share    float64 // of the old value, where it is greatest
	message  string  // there
	variants int
}

// noteworthy is the share of the old value from which an improvement is worth a line.
const noteworthy = 0.001

func (c *Context) noteBetter(a Amount) {
	if a.Base == nil || a.Actual == *a.Base || (c.MaxIncrease == nil && c.MaxDecrease == nil) {
		return
	}
	better := a.Better == Lower && a.Actual < *a.Base || a.Better == Higher && a.Actual > *a.Base
	if !better || a.unlike() || math.Abs(a.Actual-*a.Base) < max(noteworthy**a.Base, c.unspoken()) {
		return
	}
	c.better(betterOf{a.program(), a.Subject, a.Noun, a.keep()}, a)
}

// better notes an improvement, as it is in the variant that improved most.
func (c *Context) better(what betterOf, a Amount) {
	was, is := phrase.Apart(*a.Base, a.Actual, a.Unit)
	message, share := fmt.Sprintf("%s %s → %s", a.Noun, was, is), math.Abs(a.Actual-*a.Base)/math.Max(*a.Base, 1)
	if c.improved == nil {
		c.improved = map[betterOf]*improvement{}
	}
	told := c.improved[what]
	if told == nil || a.Variant == nil {
		c.improved[what] = &improvement{note: len(c.Notes), share: share, message: message, variants: 1}
		c.Notes = append(c.Notes, result.Note{Kind: "better", Program: what.program, Message: message, Fix: what.keep})
		return
	}
	told.variants++
	if share > told.share {
		told.share, told.message = share, message
	}
	c.Notes[told.note].Message = fmt.Sprintf("%s (in %d variants)", told.message, told.variants)
}

// unspoken is the amount that growth may come to without a word, and an improvement then as well.
func (c *Context) unspoken() float64 {
	if c.MaxIncrease == nil || c.MaxIncrease.Percent {
		return 0
	}
	return c.MaxIncrease.Amount
}

// unlike says whether less than in the baseline need not be better: it is for other arguments, or arithmetic that moved into custom
// calls, of which nobody knows what they compute.
func (a Amount) unlike() bool {
	v := a.Variant
	return v != nil && (v.Rescaled || countsArithmetic(a.Subject) && v.New.CustomCallRuns() > v.Old.CustomCallRuns())
}

// countsArithmetic says whether a fact counts what is computed.
func countsArithmetic(fact string) bool {
	return strings.HasPrefix(fact, "cost.") && (strings.HasSuffix(fact, "flops") || strings.HasSuffix(fact, "transcendentals"))
}

// keep is what records an improvement. What was accepted for other arguments is another compilation, of which nothing can be tightened.
func (a Amount) keep() string {
	if v := a.Variant; v != nil && (v.Regrouped || v.Old.Signature != v.New.Signature) {
		return "xlagate accept --reason \"…\""
	}
	return "xlagate accept --tighten"
}
