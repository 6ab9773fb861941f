package rule

import (
	"fmt"
	"math"
	"strings"

	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
)

// improvementKey tells improvements apart: one is noted once, in however many variants of the program it is.
type improvementKey struct{ program, subject, noun, keep string }

// improvement is one that is noted, with the variant that improved most.
type improvement struct {
	note     int     // its index in Notes
	share    float64 // of the old value, where it is greatest
	message  string  // of that variant
	variants int
}

// noteworthy is the share of the old value from which an improvement is worth a line.
const noteworthy = 0.001

func (c *Context) noteBetter(a Amount) {
	if a.Base == nil || a.Actual == *a.Base || (c.MaxIncrease == nil && c.MaxDecrease == nil) {
		return
	}
	tolerance := 0.0 // growth by less is not told either
	if c.MaxIncrease != nil && !c.MaxIncrease.Percent {
		tolerance = c.MaxIncrease.Amount
	}
	better := a.Better == Lower && a.Actual < *a.Base || a.Better == Higher && a.Actual > *a.Base
	if better && !c.differs(a) && math.Abs(a.Actual-*a.Base) >= max(noteworthy**a.Base, tolerance) {
		c.better(improvementKey{c.programName(), a.Subject, a.Noun, c.keep()}, a)
	}
}

// better notes an improvement as it is in the variant that improved most.
func (c *Context) better(key improvementKey, a Amount) {
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

// differs reports whether less than in the baseline need not be better: the arguments differ, or arithmetic may have moved into custom calls,
// whose work nobody knows.
func (c *Context) differs(a Amount) bool {
	v := c.Variant
	arithmetic := strings.HasPrefix(a.Subject, "cost.") && (strings.HasSuffix(a.Subject, "flops") || strings.HasSuffix(a.Subject, "transcendentals"))
	return v != nil && (v.Rescaled || arithmetic && v.New.CustomCallRuns() > v.Old.CustomCallRuns())
}

// keep is the command that records an improvement. Other arguments make another compilation, which --tighten does not touch.
func (c *Context) keep() string {
	if v := c.Variant; v != nil && (v.Regrouped || v.Old.Signature != v.New.Signature) {
		return "xlagate accept --reason \"…\""
	}
	return "xlagate accept --tighten"
}
