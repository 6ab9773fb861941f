package rules

import (
	"fmt"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/result"
)

// How often loops run, all of them together.
var (
	maxTrips  = Option{Key: "max_trip_count", Type: Count, Sense: Caps, Doc: "how often the loops may run, all of them together, one in another as often as both; needs no baseline"}
	keptTrips = Option{Key: "trip_count", Type: Switch, Sense: Demands, Default: false, Compares: true, Doc: "true: the loops run as often as in the baseline, all of them together"}
)

const tripCount = "loops.trip_count"

// judgeTrips holds how often the loops run against max_trip_count, and against the baseline where trip_count asks for that.
func (c *Context) judgeTrips(p *diff.Program, v *diff.Variant) {
	most, bounded := c.Number(maxTrips.Key)
	kept := c.On(keptTrips.Key)
	if !bounded && !kept {
		return
	}
	trips, known := v.New.Facts[tripCount]
	if !known {
		c.gap(fmt.Sprintf("%s (how often the loops of %s run is not known)", c.Rule.ID, p.Name), result.Problem{
			Message: fmt.Sprintf("%s could not look: how often a loop of %s runs is not known", c.Rule.ID, p.Name),
			Mend:    "give the loop bounds that are Python numbers, or leave out max_trip_count and trip_count",
		})
		return
	}
	a := Amount{Program: p, Variant: v, Subject: tripCount, Noun: "iterations of loops", Better: Exact, Actual: trips}
	if v.Old != nil && kept {
		was, ok := v.Old.Facts[tripCount]
		a.baseline(true, ok, was)
	}
	a.Cause = func() (*result.Cause, result.Evidence) { return explainTrips(v) }
	c.with(func(s *Settings) {
		noBounds(s)
		if s.MaxIncrease, s.MaxDecrease = nil, nil; kept {
			s.MaxIncrease, s.MaxDecrease = &Change{}, &Change{}
		}
		if bounded {
			s.Max = &most
		}
	}).hold(a)
}

// explainTrips names what runs another number of times than in the baseline, else what runs most often.
func explainTrips(v *diff.Variant) (*result.Cause, result.Evidence) {
	for i := range v.Kernels.Moved {
		if m := &v.Kernels.Moved[i]; m.Old.Times != m.New.Times {
			return CauseOf(fmt.Sprintf("the loop ran %d times, now %d", m.Old.Times, m.New.Times), &m.New), result.Evidence{After: []string{describe(&m.New)}}
		}
	}
	var most *facts.Kernel
	for i := range v.New.Kernels {
		if k := &v.New.Kernels[i]; k.InLoop && (most == nil || k.Times > most.Times) {
			most = k
		}
	}
	if most == nil {
		return explainLoops(v)
	}
	return CauseOf(fmt.Sprintf("what runs most often, %d times: %s", most.Times, describe(most)), most), result.Evidence{}
}
