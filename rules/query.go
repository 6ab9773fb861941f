package rules

import (
	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/rule"
)

// query says which kernels an entry of a table means.
type query interface {
	String() string // how findings call them
	matches(*facts.Kernel) bool
	recorded(*changes.Variant) bool // reports whether the baseline tells how many it had
	missing(v *changes.Variant, found, least float64) rule.Finding
	describe(*rule.Finding, *facts.Variant) // completes a finding of kernels that must not be there
}

// requireEach judges how many entries a variant has too few of, and reports each.
func requireEach[Q query](c *rule.Context, v *changes.Variant, key string, queryOf func(rule.Entry) Q) {
	var missing []rule.Finding
	had, known := 0.0, true
	for _, e := range c.Entries(key) {
		q := queryOf(e)
		least, set := e.Number("min")
		if !set {
			least = 1
		}
		if n := v.New.CountKernels(q.matches); n < least {
			missing = append(missing, q.missing(v, n, least))
		}
		if v.Old != nil {
			had += float64(changes.Flag(v.Old.CountKernels(q.matches) < least))
			known = known && q.recorded(v)
		}
	}
	a := c.Budget(c.Rule.Budget.Noun, float64(len(missing)))
	if v.Old != nil {
		a.SetBase(known, had)
	}
	rule.Split(c, c.Judge(a), missing, func(f *rule.Finding, one rule.Finding) { *f = one })
}

// forbidEach judges the kernels of each entry that are more than it lets be there.
func forbidEach[Q query](c *rule.Context, v *changes.Variant, key string, queryOf func(rule.Entry) Q) {
	for _, e := range c.Entries(key) {
		q := queryOf(e)
		limit, _ := e.Number("max")
		found := v.New.CountKernels(q.matches)
		a := c.Budget(q.String(), max(0, found-limit))
		if v.Old != nil {
			a.SetBase(q.recorded(v), max(0, v.Old.CountKernels(q.matches)-limit))
		}
		if f := c.Judge(a); f != nil {
			f.Actual, f.Limit = found, limit
			q.describe(f, v.New)
		}
	}
}
