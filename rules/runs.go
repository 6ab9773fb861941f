package rules

import "github.com/xlagate/xlagate/internal/facts"

// judgeRuns holds a number of launches against the settings, and where they are no more than in the baseline how often they run: a launch
// that moved into a loop is still one.
func (c *Context) judgeRuns(a Amount, runs func(*facts.Variant) float64) {
	found := len(c.Findings)
	c.Judge(a)
	if a.Base == nil || len(c.Findings) > found || c.absolutelyBounded() && c.MaxIncrease == nil {
		return
	}
	if now, was := runs(a.Variant.New), runs(a.Variant.Old); now > was {
		a.Actual, a.Base, a.Noun = now, &was, "runs of "+a.Noun
		c.with(noBounds).Judge(a)
	}
}

// noBounds leaves only what is held against the baseline.
func noBounds(s *Settings) { s.Max, s.Min, s.Equal = nil, nil, nil }

// runsOf counts launches as often as they run; in a loop of unknown length, twice.
func runsOf(v *facts.Variant, cares func(*facts.Kernel) bool) float64 {
	var n float64
	for i := range v.Kernels {
		switch k := &v.Kernels[i]; {
		case !cares(k):
		case k.InLoop && k.Times <= 1:
			n += 2
		default:
			n += float64(max(k.Times, 1))
		}
	}
	return n
}
