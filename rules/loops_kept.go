package rules

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/diff"

	"github.com/xlagate/xlagate/internal/facts"

	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
)

var loopsKept = rule.Rule{
	ID:       "loops-kept",
	Title:    "loops are not unrolled, and it stays known how often they run",
	Category: rule.Compilation,
	Why: "A scan that became a Python loop compiles its body once for every step: compile time, code size and temporary memory grow with the number of layers, " +
		"and one that is unrolled in part grows as many times. " +
		"A loop that ran a known number of times and now runs until something is true can be neither pipelined nor unrolled, and what it costs cannot be told. " +
		"One that ended as soon as nothing was left to do, and now runs until its counter is through, does more, which the cost of an iteration does not show.",
	Reads:   []rule.Input{rule.Optimized},
	Options: []rule.Option{maxTrips, keptTrips},
	Budget:  rule.FactMetric(facts.LoopsWhile, "loops"),
	Bounds:  []string{"max_trip_count"},
	Fails:   rule.Example{On: "cpu-unrolled_loop/after", Config: "- { rule: loops-kept }", Says: "0 loops: down from 1 in the baseline"},
	Passes:  rule.Example{On: "cpu-unrolled_loop/before", Config: "- { rule: loops-kept }"},
	Fix:     "Use lax.scan or lax.fori_loop where a Python loop repeats the same layer, with bounds that are Python numbers.",
	Threads: []string{"jax-ml/jax#2777", "openxla/xla#35719"},
	Since:   "1",
	Accepts: []string{"loops.*", "instructions.*", "kernels.*", "fusions.*", "ledger"},
	Program: checkLoopsKept,
}

func checkLoopsKept(c *rule.Context, p *diff.Program) {
	if !c.Bounded() { // a loop more is a change like any other
		c = c.With(func(s *rule.Settings) { s.MaxDecrease = &rule.Change{} })
	}
	for _, v := range rule.Live(p) {
		if _, ok := v.New.Facts[c.Rule.Budget.Fact]; !ok {
			c.Uncovered(p.Name, rule.Optimized, rule.DumpFix)
			continue
		}
		a := c.AmountOf(p, v, *c.Rule.Budget, c.Rule.Budget.Fact)
		if a.Base != nil && a.Actual < *a.Base && !unrolled(v) {
			a.Base = &a.Actual
		}
		if f := c.Judge(a); f != nil {
			f.Cause, f.Evidence = explainLoops(v)
		}
		judgeLengths(c, p, v)
		judgeExits(c, p, v)
		judgeUnrolled(c, p, v)
		judgeTrips(c, p, v)
	}
}

// judgeLengths counts the loops of which the baseline knows how often they run, and the dump does not. A loop of unknown length that is
// merely new is none of them, nor one that got an early exit.
func judgeLengths(c *rule.Context, p *diff.Program, v *diff.Variant) {
	if !v.Knows(facts.LoopsUnknown) || c.MaxIncrease == nil && c.MaxDecrease == nil {
		return
	}
	known := func(v *facts.Variant) float64 { return v.Facts[facts.LoopsWhile] - v.Facts[facts.LoopsUnknown] }
	lost := min(v.New.Facts[facts.LoopsUnknown]-v.Old.Facts[facts.LoopsUnknown], known(v.Old)-known(v.New)) - float64(len(diff.EndSooner(v.Old, v.New)))
	a := rule.Amount{Program: p, Variant: v, Subject: string(facts.LoopsUnknown), Noun: "loops of unknown length", Actual: max(lost, 0), Base: new(0.0)}
	if f := c.ForbidMore(a); f != nil {
		f.Message = phrase.Counted(a.Actual, "", a.Noun) + ", which the baseline knows"
		f.Cause, f.Evidence = explainLength(v)
	}
}

// explainLength names a loop that ran a known number of times, and what brought its new form about.
func explainLength(v *diff.Variant) (*diff.Cause, result.Evidence) {
	cause, e := v.Growth(endless)
	loop, times := lostLength(v)
	if loop == nil {
		return cause, e
	}
	said := fmt.Sprintf("the loop ran %d times, now an unknown number of times", times)
	if cause != nil && strings.HasPrefix(cause.Title, "new: ") {
		said += "; " + cause.Title
	}
	return diff.CauseAt(said, loop), e
}

// lostLength finds a loop whose trip count is no longer known, and what it was. Loops pair by name; where the name changed, a kernel in the
// loop tells.
func lostLength(v *diff.Variant) (loop *facts.Kernel, times int64) {
	pairs, _, _ := diff.PairLoops(v.Old.Loops(), v.New.Loops())
	for _, pair := range pairs {
		if was, is := pair[0], pair[1]; was.Length > 0 && is.Length == 0 {
			return is, was.Length
		}
	}
	at := slices.IndexFunc(v.Kernels.Moved, func(m diff.KernelChange) bool { return m.Old.Times > 1 && endless(&m.New) })
	if at < 0 {
		return nil, 0
	}
	m := &v.Kernels.Moved[at]
	loop = facts.FirstKernel(v.New.Kernels, func(k *facts.Kernel) bool { return k.Root == "while" && k.OpName == m.New.Loop })
	return cmp.Or(loop, &m.New), m.Old.Times
}

// endless reports whether a kernel is in a loop of unknown length.
func endless(k *facts.Kernel) bool { return k.InLoop && k.Times <= 1 }

// unrolled reports whether the program became longer. Otherwise a loop that is gone was not unrolled; it is no longer needed.
func unrolled(v *diff.Variant) bool {
	return v.New.Facts[facts.InstructionsAfter] > v.Old.Facts[facts.InstructionsAfter] || v.New.KernelsAndCopies() > v.Old.KernelsAndCopies()
}

// explainLoops names the place of the model that a loop went from, else what brought most kernels into the program: the body of a
// loop that was unrolled.
func explainLoops(v *diff.Variant) (*diff.Cause, result.Evidence) {
	most, e := v.GrowthBy(facts.AnyKernel, func(*facts.Kernel) int64 { return 1 })
	at := slices.IndexFunc(v.Causes, func(c diff.Cause) bool { return slices.ContainsFunc(c.Edits, lostLoop) })
	if at < 0 {
		return most, e
	}
	if c := &v.Causes[at]; most == nil || !c.Spreads() {
		return c, c.Evidence(facts.AnyKernel)
	}
	loop, _, _ := strings.Cut(v.Causes[at].Title, "; ") // the layers that the loop held tell more than how they spread what they hand on
	return most.With(loop), e
}

func lostLoop(e diff.Edit) bool {
	return slices.ContainsFunc(e.Removed, func(s diff.Step) bool { return s.Opcode == "while" })
}

// judgeExits counts the loops of unknown length that surely something else than their counter ended in the baseline, and surely nothing else now.
// What an iteration costs does not tell.
func judgeExits(c *rule.Context, p *diff.Program, v *diff.Variant) {
	if v.Old == nil || !slices.ContainsFunc(v.Old.Loops(), stops) || c.MaxIncrease == nil && c.MaxDecrease == nil {
		return
	}
	lost := lostExits(v)
	a := rule.Amount{Program: p, Variant: v, Subject: string(facts.LoopsEarlyExit), Noun: "loops that end early no more", Actual: float64(len(lost)), Base: new(0.0)}
	if f := c.ForbidMore(a); f != nil {
		f.Message = "the loop " + lost[0].LoopPlace() + " could end early, and now runs until its counter is through"
		if others := len(lost) - 1; others > 0 {
			f.Message += "; " + phrase.Counted(float64(others), "", "other loops") + " as well"
		}
		f.Cause = diff.CauseAt("the loop could end early, now it runs until its counter ends it", lost[0])
	}
}

// lostExits lists the loops that now only their counter ends: those paired with a loop that could end early, and, where names changed but
// trip counts did not, as many of the new loops as early exits are gone.
func lostExits(v *diff.Variant) (lost []*facts.Kernel) {
	pairs, gone, added := diff.PairLoops(v.Old.Loops(), v.New.Loops())
	for _, pair := range pairs {
		if pair[0].Stops && countsOnly(pair[1]) {
			lost = append(lost, pair[1])
		}
	}
	if !slices.Equal(lengths(gone), lengths(added)) {
		return lost
	}
	counting := those(added, countsOnly)
	more := len(those(gone, stops)) - len(those(added, mayStop))
	return append(lost, counting[:min(max(0, more), len(counting))]...)
}

func stops(k *facts.Kernel) bool { return k.Stops }

// mayStop reports whether a loop of unknown length may end before its counter does.
func mayStop(k *facts.Kernel) bool { return k.Length == 0 && !k.Counts }

func those(loops []*facts.Kernel, are func(*facts.Kernel) bool) []*facts.Kernel {
	return slices.DeleteFunc(slices.Clone(loops), func(k *facts.Kernel) bool { return !are(k) })
}

// lengths lists how often loops run, in order.
func lengths(loops []*facts.Kernel) (n []int64) {
	for _, k := range loops {
		n = append(n, k.Length)
	}
	slices.Sort(n)
	return n
}

// countsOnly reports whether only its counter ends a loop of unknown length.
func countsOnly(k *facts.Kernel) bool { return k.Length == 0 && k.Counts }

// How often loops run, one by one.
var (
	maxTrips  = rule.Option{Key: "max_trip_count", Type: rule.Count, Sense: rule.Caps, Doc: "how often any one loop may run each time that it is entered; needs no baseline"}
	keptTrips = rule.Option{Key: "trip_count", Type: rule.Switch, Sense: rule.Demands, Default: false, Compares: true, Doc: "true: every loop runs as often as in the baseline"}
)

// judgeTrips compares trip counts with max_trip_count and, where trip_count is on, with the baseline.
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
		if f := c.JudgeMax(maxTrips.Key, most, oneLoop(p, v, k)); f != nil {
			f.Cause = diff.CauseAt(fmt.Sprintf("the loop runs %d times", k.Length), k)
		}
	}
}

// keepTrips compares the trip count of every loop with the baseline. Loops that only one side has are added up, and so are all loops where the
// baseline holds no single counts.
func keepTrips(c *rule.Context, p *diff.Program, v *diff.Variant) {
	a := rule.Amount{Program: p, Variant: v, Subject: string(facts.LoopsTripCount), Noun: "iterations of loops", Better: rule.Exact}
	explain := func(f *rule.Finding) {
		if f != nil {
			f.Cause, f.Evidence = explainTrips(v)
		}
	}
	if was, known := v.Old.Facts[facts.LoopsTripCount]; !known || !v.Old.KnowsTripCounts() {
		a.Actual = v.New.Facts[facts.LoopsTripCount]
		a.SetBase(known, was)
		explain(c.JudgeSame(a))
		return
	}
	pairs, gone, added := diff.PairLoops(v.Old.Loops(), v.New.Loops())
	for _, pair := range pairs {
		old, fresh := pair[0], pair[1]
		one := oneLoop(p, v, fresh)
		one.Base = new(float64(old.Length))
		if f := c.JudgeSame(one); f != nil {
			f.Cause = diff.CauseAt(fmt.Sprintf("the loop ran %d times, now %d", old.Length, fresh.Length), fresh)
			f.Evidence = result.Evidence{Before: []string{old.LoopLine()}, After: []string{fresh.LoopLine()}}
		}
	}
	a.Actual = facts.Iterations(added)
	a.Base = new(facts.Iterations(gone))
	explain(c.JudgeSame(a))
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

// judgeUnrolled counts the loops that are still there and take several steps at once.
func judgeUnrolled(c *rule.Context, p *diff.Program, v *diff.Variant) {
	if v.Old == nil || len(v.Old.Loops()) == 0 || c.MaxIncrease == nil && c.MaxDecrease == nil {
		return
	}
	partly := partlyUnrolled(v)
	a := rule.Amount{Program: p, Variant: v, Subject: "loops.unrolled", Noun: "loops unrolled in part", Actual: float64(len(partly)), Base: new(0.0)}
	if f := c.ForbidMore(a); f != nil {
		old, fresh := partly[0][0], partly[0][1]
		said := fmt.Sprintf("the loop %s ran %d times, now %d, and does several steps at once", fresh.LoopPlace(), old.Length, fresh.Length)
		f.Message = said
		if others := len(partly) - 1; others > 0 {
			f.Message += "; " + phrase.Counted(float64(others), "", "other loops") + " as well"
		}
		f.Cause, f.Evidence = explainUnrolled(v)
		switch {
		case f.Cause == nil:
			f.Cause = diff.CauseAt(said, fresh)
		case fresh.Source.File != "": // what is several times in the loop is at the lines where it was once
			f.Cause = f.Cause.At(fresh)
		}
	}
}

// explainUnrolled names what the loop body now holds several times.
func explainUnrolled(v *diff.Variant) (*diff.Cause, result.Evidence) {
	return v.GrowthBy(func(k *facts.Kernel) bool { return k.InLoop }, func(k *facts.Kernel) int64 { return k.Flops })
}

// asMuchMore is the least that one iteration of two or more computes of what one alone did: what they have in common is computed once.
const asMuchMore = 1.5

// partlyUnrolled pairs the loops that run at most half as often as in the baseline, while each time they launch more and compute as much
// more.
func partlyUnrolled(v *diff.Variant) (loops [][2]*facts.Kernel) {
	pairs, _, _ := diff.PairLoops(v.Old.Loops(), v.New.Loops())
	for _, pair := range pairs {
		old, fresh := pair[0], pair[1]
		if fresh.Length == 0 || old.Length < 2*fresh.Length {
			continue
		}
		was, is := v.Old.LoopStep(old), v.New.LoopStep(fresh)
		if is.Launches > was.Launches && is.Flops >= asMuchMore*was.Flops {
			loops = append(loops, pair)
		}
	}
	return loops
}
