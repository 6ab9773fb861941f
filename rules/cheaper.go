package rules

import (
	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
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

// half is what is left where of two that were computed one is left, with what chooses it.
const half = 0.55

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

// hoisted says whether work left a loop for the place before it: the loops launch no more and compute less, and all launches of a run are
// hardly more.
func hoisted(v *diff.Variant) bool {
	was, is := inLoops(v.Old), inLoops(v.New)
	if is.launches > was.launches || wobble*is.flops >= was.flops {
		return false
	}
	return runsOf(v.New, costsLaunch) <= wobble*runsOf(v.Old, costsLaunch)
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
