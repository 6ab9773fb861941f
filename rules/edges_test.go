package rules

import (
	"maps"
	"testing"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/facts/factstest"
	"github.com/xlagate/xlagate/internal/rule"
)

// measuredVariant is the first variant of a real dump.
func measuredVariant(t *testing.T, name string) *facts.Variant {
	t.Helper()
	return factstest.Measure(t, "../testdata/"+name+".tar.xz", facts.Options{}).Programs[0].Variants[0]
}

// with is a variant with one fact changed, or without it.
func withFact(v *facts.Variant, fact facts.ID, value *float64) *facts.Variant {
	w := *v
	w.Facts = maps.Clone(v.Facts)
	if delete(w.Facts, fact); value != nil {
		w.Facts[fact] = *value
	}
	return &w
}

// seenElsewhere says of which rules a change of the number alone is no finding, and why.
var seenElsewhere = map[string]string{
	"loops-kept": "a loop that went without the program getting longer was not unrolled", "max-peak-bytes": "the live ranges name a moment that is not always the peak: the buffers have to grow",
	"max-bytes-accessed": "XLA counts a buffer once for each slice of it that is read: the kernels have to move more",
}

// What every rule that bounds a fact says of real facts of which one number is changed, or is not there.
func TestEdgesOfBudgets(t *testing.T) {
	real := measuredVariant(t, "tpu-precision/before")
	for _, r := range All.Rules {
		if r.Budget == nil || r.Budget.Fact == "" || r.Forbids || r.ID == "max-constant-bytes" || r.ID == "donation-kept" || r.ID == "max-kernels" { // these count for themselves
			continue
		}
		fact := r.Budget.Fact
		if r.Budget.Weighted != "" {
			fact = r.Budget.Weighted
		}
		worse := 1.0
		if r.Budget.Better != rule.Lower {
			worse = -1
		}
		const was = 1000.0
		n := func(v float64) *float64 { return new(v) }
		for name, c := range map[string]struct {
			old, now          *float64
			increase          *rule.Change
			pack              string
			findings, problem int
		}{
			"equal":                 {n(was), n(was), nil, "", 0, 0},
			"one worse":             {n(was), n(was + worse), nil, "", 1, 0},
			"one better":            {n(was), n(was - worse), nil, "", 0, 0},
			"none any more":         {n(was), n(0), nil, "", 0, 0},
			"as much as allowed":    {n(was), n(was + 50*worse), &rule.Change{Amount: 5, Percent: true}, "", 0, 0},
			"more than is allowed":  {n(was), n(was + 51*worse), &rule.Change{Amount: 5, Percent: true}, "", 1, 0},
			"not dumped":            {n(was), nil, nil, "", 0, 1},
			"not in the baseline":   {nil, n(was), nil, "", 0, 1},
			"not dumped, of a pack": {n(was), nil, nil, "recommended", 0, 0},
		} {
			switch {
			case worse < 0 && name == "none any more", c.findings > 0 && seenElsewhere[r.ID] != "", r.Budget.Weighted != "" && c.old == nil: // the plain count is there
				continue
			}
			v := &changes.Variant{Old: withFact(real, fact, c.old), New: withFact(real, fact, c.now)}
			if c.now == nil {
				delete(v.New.Facts, r.Budget.Fact)
			}
			p := &changes.Program{Name: "p", Variants: []*changes.Variant{v}}
			s := &rule.Settings{Rule: r, Pack: c.pack, Limits: rule.Limits{MaxIncrease: c.increase}}
			if worse < 0 && c.increase != nil {
				s.MaxIncrease, s.MaxDecrease = nil, c.increase
			}
			ctx := rule.NewContext(s, &rule.Target{Name: "t", Report: &facts.Report{}}, func(string) bool { return true })
			ctx.Run([]*changes.Program{p})
			if r == &maxStepTime && c.pack != "" { // a step without a price never passes
				c.problem, c.pack = 1, ""
			}
			if len(ctx.Findings) != c.findings || len(ctx.Problems) != c.problem || c.pack != "" && len(ctx.NotCovered) != 1 {
				t.Errorf("%s, %s: %d findings, %d problems, %d not covered", r.ID, name, len(ctx.Findings), len(ctx.Problems), len(ctx.NotCovered))
			}
		}
	}
}

// A limit that is written down holds, whatever stood in the baseline.
func TestLimitsHoldWhateverWasAccepted(t *testing.T) {
	real := measuredVariant(t, "tpu-precision/before")
	for _, r := range All.Rules {
		if r.Budget == nil || r.Budget.Fact == "" || r.ID == "max-constant-bytes" || r.ID == "donation-kept" || r.ID == "max-kernels" {
			continue
		}
		worse := 1.0
		if r.Budget.Better != rule.Lower {
			worse = -1
		}
		with := func(n float64) *facts.Variant {
			v := withFact(real, r.Budget.Fact, &n)
			if r.Budget.Weighted != "" {
				v = withFact(v, r.Budget.Weighted, &n)
			}
			return v
		}
		for _, was := range []float64{1000 - 100*worse, 1000, 1000 + 100*worse} {
			for off, findings := range map[float64]int{-1: 1, 0: 0, 1: 0} {
				now, limit := 1000.0, 1000+off*worse
				v := &changes.Variant{Old: with(was), New: with(now)}
				s := &rule.Settings{Rule: r, Limits: rule.Limits{Max: &limit}}
				if worse < 0 {
					s.Max, s.Min = nil, &limit
				}
				ctx := rule.NewContext(s, &rule.Target{Name: "t", Report: &facts.Report{}}, func(string) bool { return true })
				ctx.Run([]*changes.Program{&changes.Program{Name: "p", Variants: []*changes.Variant{v}}})
				if len(ctx.Findings) != findings || len(ctx.Problems) > 0 {
					t.Errorf("%s of %v, %v in the baseline, limit %v: %d findings, %d problems", r.ID, now, was, limit, len(ctx.Findings), len(ctx.Problems))
				}
			}
		}
	}
}
