package rules

import (
	"fmt"
	"maps"
	"slices"

	"github.com/xlagate/xlagate/internal/diff"

	"github.com/xlagate/xlagate/internal/facts"

	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
)

// How often loops run, one by one.
var (
	maxTrips  = rule.Option{Key: "max_trip_count", Type: rule.Count, Sense: rule.Caps, Doc: "how often any one loop may run each time that it is entered; needs no baseline"}
	keptTrips = rule.Option{Key: "trip_count", Type: rule.Switch, Sense: rule.Demands, Default: false, Compares: true, Doc: "true: every loop runs as often as in the baseline"}
)

// judgeTrips holds how often the loops run against max_trip_count, and against the baseline where trip_count asks for that.
func judgeTrips(c *rule.Context, p *diff.Program, v *diff.Variant) {
	most, bounded := c.Number(maxTrips.Key)
	kept := c.On(keptTrips.Key)
	if !bounded && !kept {
		return
	}
	for _, k := range v.New.EndlessLoops() {
		where := k.LoopPlace()
		c.Gap(fmt.Sprintf("%s (how often the loop %s of %s runs is not known)", c.Rule.ID, where, p.Name), result.Problem{
			Message: fmt.Sprintf("%s could not look: how often the loop %s of %s runs is not known", c.Rule.ID, where, p.Name),
			Fix:     "give the loop bounds that are Python numbers, or leave out max_trip_count and trip_count",
		})
	}
	if bounded {
		capTrips(c, p, v, most)
	}
	if kept && v.Old != nil && len(v.New.EndlessLoops()) == 0 {
		keepTrips(c, p, v)
	}
}

// capTrips bounds single loops. Of those that the model calls alike the longest speaks.
func capTrips(c *rule.Context, p *diff.Program, v *diff.Variant, most float64) {
	longest := map[string]*facts.Kernel{}
	for _, k := range v.New.Loops() {
		if known := longest[k.OpName]; known == nil || k.Length > known.Length {
			longest[k.OpName] = k
		}
	}
	for _, name := range slices.Sorted(maps.Keys(longest)) {
		k := longest[name]
		a := oneLoop(p, v, k)
		a.Cause = func() (*diff.Cause, result.Evidence) {
			return diff.CauseAt(fmt.Sprintf("the loop runs %d times", k.Length), k), result.Evidence{}
		}
		c.With(func(s *rule.Settings) { rule.NoBounds(s); s.MaxIncrease, s.MaxDecrease, s.Max = nil, nil, &most }).Hold(a)
	}
}

// keepTrips holds every loop to the baseline. Loops that only one side has are held together, and so are all of them against a baseline
// that does not hold them one by one.
func keepTrips(c *rule.Context, p *diff.Program, v *diff.Variant) {
	c = c.With(func(s *rule.Settings) {
		rule.NoBounds(s)
		s.MaxIncrease, s.MaxDecrease = &rule.Change{}, &rule.Change{}
	})
	a := rule.Amount{Program: p, Variant: v, Subject: string(facts.LoopsTripCount), Noun: "iterations of loops", Better: rule.Exact}
	a.Cause = func() (*diff.Cause, result.Evidence) { return explainTrips(v) }
	if was, known := v.Old.Facts[facts.LoopsTripCount]; !known || !v.Old.KnowsTripCounts() {
		a.Actual = v.New.Facts[facts.LoopsTripCount]
		a.Baseline(known, was)
		c.Hold(a)
		return
	}
	pairs, gone, added := diff.PairLoops(v.Old.Loops(), v.New.Loops())
	for _, pair := range pairs {
		old, fresh := pair[0], pair[1]
		one := oneLoop(p, v, fresh)
		one.Base = new(float64(old.Length))
		one.Cause = func() (*diff.Cause, result.Evidence) {
			return diff.CauseAt(fmt.Sprintf("the loop ran %d times, now %d", old.Length, fresh.Length), fresh), result.Evidence{Before: []string{old.LoopLine()}, After: []string{fresh.LoopLine()}}
		}
		c.Hold(one)
	}
	a.Actual = facts.Iterations(added)
	a.Base = new(facts.Iterations(gone))
	c.Hold(a)
}

// oneLoop is how often a loop runs.
func oneLoop(p *diff.Program, v *diff.Variant, k *facts.Kernel) rule.Amount {
	return rule.Amount{Program: p, Variant: v, Subject: string(facts.LoopsTripCount) + " of " + k.OpName, Noun: "iterations of the loop " + k.LoopPlace(), Better: rule.Exact, Actual: float64(k.Length)}
}

// explainTrips names a loop that runs another number of times than in the baseline, as its body tells, else the longest.
func explainTrips(v *diff.Variant) (*diff.Cause, result.Evidence) {
	for i := range v.Kernels.Moved {
		if m := &v.Kernels.Moved[i]; m.Old.Times != m.New.Times {
			return diff.CauseAt(fmt.Sprintf("the loop ran %d times, now %d", m.Old.Times, m.New.Times), &m.New), result.Evidence{After: []string{m.New.Describe()}}
		}
	}
	loops := v.New.Loops()
	if len(loops) == 0 {
		return explainLoops(v)
	}
	most := slices.MaxFunc(loops, func(a, b *facts.Kernel) int { return int(min(1, max(-1, a.Length-b.Length))) })
	return diff.CauseAt(fmt.Sprintf("the longest loop runs %d times", most.Length), most), result.Evidence{}
}
