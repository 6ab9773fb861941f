package rules

import (
	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
)

// unlessCheaper lets pass more of what stands in the program where that is what a cheaper run is made of.
var unlessCheaper = Option{
	Key: "unless_cheaper", Type: Switch, Sense: Caps, Default: false,
	Doc: "let growth pass that a whole run does not pay for: what left a loop and stands before it, what stands in a branch that a run may leave out, what the compiler for TPU expects clearly fewer cycles of, or what computes and moves hardly more than half, or less. In the entry that says max, it holds for that as well, where the baseline keeps it",
}

// cheaperWithout is the same of what a cheaper run may do without.
var cheaperWithout = Option{
	Key: unlessCheaper.Key, Type: Switch, Sense: Caps, Default: false,
	Doc: "let fusions be gone that a cheaper run does without, as max-kernels does, or one that launches, computes, moves and holds no more, where the baseline has them",
}

// cheaperInRoom is the same of memory, of which a run that costs less may take more where that does not raise the peak.
var cheaperInRoom = Option{
	Key: unlessCheaper.Key, Type: Switch, Sense: Caps, Default: false,
	Doc: "let growth pass that a cheaper run is made of, as max-kernels does, where memory at its peak does not grow by more than max_increase, too",
}

// cheaperTurned is the same of transposes: one that stands in a kernel of its own is launched, and one that does not is read on the way.
var cheaperTurned = Option{
	Key: unlessCheaper.Key, Type: Switch, Sense: Caps, Default: false,
	Doc: "let growth pass that a cheaper run is made of, as max-kernels does, and in a program that launches and computes no more and moves clearly less",
}

// cheaperInTraffic is the same of what is computed: a run that moves less pays for it.
var cheaperInTraffic = Option{
	Key: unlessCheaper.Key, Type: Switch, Sense: Caps, Default: false,
	Doc: "let growth pass where a run saves at least a byte of memory traffic for every operation that it computes more, unless the compiler for TPU expects more cycles",
}

// Wobbles of a cost that mean nothing, and gains that mean something.
const (
	wobble    = 1.01
	clearGain = 0.95
	half      = 0.55 // of two that were computed one is left, and what chooses it
)

// cheaper says whether a run costs less than it did although more stands in the program, and neither computes nor moves more. Where one
// of these costs is not known, it does not.
func cheaper(v *diff.Variant) bool {
	known := both(v, "loops.while") && both(v, "cost.flops") && both(v, "cost.bytes_accessed")
	if !known || !sameLoops(v) || unpriced(v.New) > unpriced(v.Old) || grew(v, "cost.flops", wobble) || grew(v, "cost.bytes_accessed", wobble) {
		return false
	}
	return hoisted(v) || fewerCycles(v) || leavesOut(v) || muchLess(v)
}

// muchLess says whether a run computes and moves hardly more than half of what it did, or less: some launches more are what that takes.
func muchLess(v *diff.Variant) bool {
	return !grew(v, "cost.flops", half) && !grew(v, "cost.bytes_accessed", half)
}

// movesLess says whether a program launches and computes no more than it did, and moves clearly less.
func movesLess(v *diff.Variant) bool {
	return noDearer(v) && !grew(v, "cost.bytes_accessed", clearGain)
}

// noDearer says whether a program launches, computes and moves no more than it did.
func noDearer(v *diff.Variant) bool {
	const moved, computed = "cost.bytes_accessed", "cost.flops"
	return both(v, moved) && both(v, computed) && (sameLoops(v) || fewerLoops(v)) && unpriced(v.New) <= unpriced(v.Old) && launched(v.New) <= launched(v.Old) &&
		!grew(v, computed, wobble) && !grew(v, moved, wobble)
}

// unpriced counts the custom calls of a run: nobody knows what they cost, so that work which moved into one looks as if it were gone.
func unpriced(v *facts.Variant) (n float64) {
	for k := range kernelsThat(v, func(k *facts.Kernel) bool { return k.Target != "" && !isCollective(k) }) {
		n += runs(k)
	}
	return n
}

// sameLoops says whether the program has as many loops as before and runs them as often, or ends them earlier: the cost of one that was
// unrolled, or whose length is not known, cannot be compared.
func sameLoops(v *diff.Variant) bool {
	was, is := v.Old.Facts, v.New.Facts
	if was["loops.while"] != is["loops.while"] || was[unknownLoops] > 0 {
		return false
	}
	if is[unknownLoops] > 0 {
		return int(is[unknownLoops]) == len(endSooner(v.Old, v.New))
	}
	return was[tripCount] == is[tripCount]
}

// fewerLoops says whether loops went, while it is known how often all of them ran and run: what a whole run costs can be compared then.
func fewerLoops(v *diff.Variant) bool {
	was, is := v.Old.Facts, v.New.Facts
	return is["loops.while"] < was["loops.while"] && is[unknownLoops]+was[unknownLoops] == 0 && (is["loops.while"] == 0 || both(v, "cost.weighted_bytes_accessed"))
}

// grew says whether a cost, loops counted as often as they run where that is known, is more than so many times what it was.
func grew(v *diff.Variant, cost string, times float64) bool {
	was, is := wholeCost(v, cost)
	return is > times*was
}

func wholeCost(v *diff.Variant, cost string) (was, is float64) {
	if weighted := "cost.weighted_" + cost[len("cost."):]; both(v, weighted) {
		cost = weighted
	}
	return v.Old.Facts[cost], v.New.Facts[cost]
}

// hoisted says whether work left a loop for the place before it: the loops launch no more and compute less, and all launches of a run are
// hardly more.
func hoisted(v *diff.Variant) bool {
	was, is := inLoops(v.Old), inLoops(v.New)
	if is.launches > was.launches || wobble*is.flops >= was.flops {
		return false
	}
	return runsOf(v.New, costsLaunch) <= wobble*runsOf(v.Old, costsLaunch)
}

func costsLaunch(k *facts.Kernel) bool { return computes(k) || k.Class == facts.ClassCopy }

// loopWork is what stands in a program's loops, and what they compute in a run.
type loopWork struct {
	launches int
	flops    float64
}

func inLoops(v *facts.Variant) (w loopWork) {
	for k := range kernelsThat(v, func(k *facts.Kernel) bool { return k.InLoop && costsLaunch(k) }) {
		w.launches++
		w.flops += float64(k.Flops) * runs(k)
	}
	return w
}

// fewerCycles says whether the compiler for TPU expects clearly fewer cycles of the program.
func fewerCycles(v *diff.Variant) bool {
	const cycles = "cost.estimated_cycles"
	return both(v, cycles) && v.New.Facts[cycles] < clearGain*v.Old.Facts[cycles]
}
