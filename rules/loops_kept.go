package rules

import (
	"fmt"
	"maps"
	"slices"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/rule"
)

var loopsKept = rule.Rule{
	ID:    "loops-kept",
	Title: "loops are not unrolled, and their trip counts stay known",
	Why: "A scan that became a Python loop compiles its body once for every step. A loop whose trip count is no longer known can be neither pipelined " +
		"nor unrolled. One that could end early, and now always runs to its full count, does more work, which the cost of an iteration does not show.",
	Options: []rule.Option{
		{Key: "max_trip_count", Type: rule.Count, Doc: "the largest trip count of any loop; needs no baseline"},
		{Key: "trip_count", Type: rule.Switch, Default: false, Compares: true, Doc: "true: every loop keeps its trip count of the baseline"},
	},
	Needs:   facts.LoopsWhile,
	Budget:  rule.FactMetric(facts.LoopsWhile, "loops"),
	Bounds:  []string{"max_trip_count"},
	Fails:   rule.Example{On: "cpu-unrolled_loop/after", Config: "- { rule: loops-kept }", Says: "0 loops: down from 1 in the baseline"},
	Passes:  rule.Example{On: "cpu-unrolled_loop/before", Config: "- { rule: loops-kept }"},
	Fix:     "Use lax.scan or lax.fori_loop where a Python loop repeats the same layer, with Python numbers as bounds and a small unroll=, if any.",
	Threads: []string{"jax-ml/jax#2777", "openxla/xla#35719"},
	Variant: func(c *rule.Context, v *changes.Variant) {
		if !c.Bounded() { // a loop more is a change like any other
			c = c.With(func(s *rule.Settings) { s.MaxDecrease = &rule.Change{} })
		}
		a := c.AmountOf(*c.Rule.Budget, c.Rule.Budget.Fact)
		if a.Base != nil && a.Actual < *a.Base && !v.Unrolled() {
			a.Base = &a.Actual // it is no longer needed
		}
		if f := c.Judge(a); f != nil {
			f.Cause, f.Evidence = v.LoopGrowth()
		}
		if v.Old != nil && (c.MaxIncrease != nil || c.MaxDecrease != nil) {
			judgeLengths(c, v)
			judgeExits(c, v)
			judgeUnrolled(c, v)
		}
		judgeTrips(c, v)
	},
}

// judgeLengths counts the loops whose trip count the baseline knows, and the dump does not. It does not count a loop of unknown length that is merely new, nor
// one that got an early exit.
func judgeLengths(c *rule.Context, v *changes.Variant) {
	if !v.Knows(facts.LoopsUnknown) {
		return
	}
	known := func(v *facts.Variant) float64 { return v.Facts[facts.LoopsWhile] - v.Facts[facts.LoopsUnknown] }
	lost := min(v.New.Facts[facts.LoopsUnknown]-v.Old.Facts[facts.LoopsUnknown], known(v.Old)-known(v.New)) - float64(len(changes.EndSooner(v.Old, v.New)))
	message := phrase.Counted(lost, "", "loops of unknown length") + ", which the baseline knows"
	forbidLoops(c, v, rule.Amount{Subject: string(facts.LoopsUnknown), Noun: "loops of unknown length", Actual: max(lost, 0)}, message)
}

// forbidLoops judges how many loops are worse than in the baseline in one way, of which there may be none.
func forbidLoops(c *rule.Context, v *changes.Variant, a rule.Amount, message string) {
	a.Base = new(0.0)
	if f := c.Compare(a, rule.NoMore); f != nil {
		f.Message = message
		f.Cause, f.Evidence = v.LoopGrowth()
	}
}

// andOthers adds how many loops share what is said of the first of them.
func andOthers(message string, loops int) string {
	if loops > 1 {
		message += "; " + phrase.Counted(float64(loops-1), "", "other loops") + " as well"
	}
	return message
}

// judgeExits counts the loops of unknown length that only their counter ends now, while something else could end them in the baseline. The price of an
// iteration does not show this.
func judgeExits(c *rule.Context, v *changes.Variant) {
	if !slices.ContainsFunc(v.Old.Loops(), func(k *facts.Kernel) bool { return k.ExitsEarly }) {
		return
	}
	lost, message := v.LostExits(), ""
	if len(lost) > 0 {
		message = andOthers("the loop "+lost[0].LoopPlace()+" could end early, and now always runs to its full count", len(lost))
	}
	forbidLoops(c, v, rule.Amount{Subject: string(facts.LoopsEarlyExit), Noun: "loops that no longer end early", Actual: float64(len(lost))}, message)
}

// judgeTrips compares trip counts with max_trip_count and, where trip_count is on, with the baseline.
func judgeTrips(c *rule.Context, v *changes.Variant) {
	most, bounded := c.Number("max_trip_count")
	kept := c.On("trip_count")
	if !bounded && !kept {
		return
	}
	for _, k := range v.New.EndlessLoops() {
		c.Gap("how often the loop "+k.LoopPlace()+" runs is not known", "give the loop bounds that are Python numbers, or leave out max_trip_count and trip_count")
	}
	if bounded {
		// Of the loops that the model calls alike the longest speaks.
		longest := map[string]*facts.Kernel{}
		for _, k := range v.New.Loops() {
			if known := longest[k.OpName]; known == nil || k.Length > known.Length {
				longest[k.OpName] = k
			}
		}
		for _, name := range slices.Sorted(maps.Keys(longest)) {
			k := longest[name]
			if f := c.Compare(oneLoop(k), rule.MostBy("max_trip_count", most)); f != nil {
				f.Cause = changes.CauseAt(fmt.Sprintf("the loop runs %d times", k.Length), k)
			}
		}
	}
	if kept && v.Old != nil && len(v.New.EndlessLoops()) == 0 {
		keepTrips(c, v)
	}
}

// keepTrips compares the trip count of every loop with the baseline. Loops that only one side has are added up, and so are all loops where the
// baseline holds no single counts.
func keepTrips(c *rule.Context, v *changes.Variant) {
	a := rule.Amount{Subject: string(facts.LoopsTripCount), Noun: "iterations of loops", Better: rule.Exact}
	explain := func(f *rule.Finding) {
		if f != nil {
			f.Cause, f.Evidence = v.LoopGrowth()
		}
	}
	if was, known := v.Old.Facts[facts.LoopsTripCount]; !known || !v.Old.KnowsTripCounts() {
		a.Actual = v.New.Facts[facts.LoopsTripCount]
		a.SetBase(known, was)
		explain(c.Compare(a, rule.Same))
		return
	}
	pairs, gone, added := changes.PairLoops(v.Old.Loops(), v.New.Loops())
	for _, pair := range pairs {
		old, fresh := pair[0], pair[1]
		one := oneLoop(fresh)
		one.Base = new(float64(old.Length))
		if f := c.Compare(one, rule.Same); f != nil {
			f.Cause = changes.CauseAt(fmt.Sprintf("the loop ran %d times, now %d", old.Length, fresh.Length), fresh)
			f.Evidence = changes.Evidence{Before: []string{old.LoopLine()}, After: []string{fresh.LoopLine()}}
		}
	}
	a.Actual = facts.Iterations(added)
	a.Base = new(facts.Iterations(gone))
	explain(c.Compare(a, rule.Same))
}

// oneLoop is how often a loop runs.
func oneLoop(k *facts.Kernel) rule.Amount {
	return rule.Amount{Subject: string(facts.LoopsTripCount) + " of " + k.OpName,
		Noun: "iterations of the loop " + k.LoopPlace(), Better: rule.Exact, Actual: float64(k.Length)}
}

// judgeUnrolled counts the loops that are still there and take several steps at once, and those that are gone although there are not fewer: what their bodies
// hold are loops too.
func judgeUnrolled(c *rule.Context, v *changes.Variant) {
	if len(v.Old.Loops()) == 0 {
		return
	}
	partly, message := v.PartlyUnrolled(), ""
	if len(partly) > 0 {
		old, fresh := partly[0][0], partly[0][1]
		message = andOthers(fmt.Sprintf("the loop %s ran %d times, now %d, and does several steps at once", fresh.LoopPlace(), old.Length, fresh.Length), len(partly))
	}
	unrolled := float64(len(partly))
	if n := v.BodyCopies(); len(partly) == 0 && n > 0 && len(v.New.Loops()) >= len(v.Old.Loops()) {
		unrolled, message = 1, fmt.Sprintf("a loop is unrolled: its body, which has loops of its own, is in the program %d times", n)
	}
	forbidLoops(c, v, rule.Amount{Subject: "loops.unrolled", Noun: "unrolled loops", Actual: unrolled}, message)
}
