package excuse

import (
	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/ledger"
)

// cheaper says whether a run costs less than it did although more stands in the program, and neither computes nor moves more. Where one
// of these costs is not known, it does not.
func cheaper(v *diff.Variant) bool {
	known := ledger.Known(v, "loops.while") && ledger.Known(v, "cost.flops") && ledger.Known(v, "cost.bytes_accessed")
	if !known || !ledger.SameLoops(v) || ledger.Unpriced(v.New) > ledger.Unpriced(v.Old) {
		return false
	}
	if exitPays(v) {
		return true
	}
	if ledger.Grew(v, "cost.flops", ledger.Wobble) || ledger.Grew(v, "cost.bytes_accessed", ledger.Wobble) {
		return false
	}
	return hoisted(v) || fewerCycles(v) || ledger.LeavesOut(v) || muchLess(v)
}

// leastSpared is of how many iterations one has to pay for an early exit, even where a loop runs fewer.
const leastSpared = 20

// exitPays says whether a loop got an early exit for which a single iteration less pays: for what is computed and moved more in each of
// the others.
func exitPays(v *diff.Variant) bool {
	loops := ledger.EndSooner(v.Old, v.New)
	if len(loops) != 1 || !ledger.LeavesOut(v) {
		return false
	}
	old, fresh := loops[0][0], loops[0][1]
	was, is, others := ledger.IterationOf(v.Old, old), ledger.IterationOf(v.New, fresh), float64(max(fresh.Most-1, leastSpared))
	return others*(is.Flops-was.Flops) <= was.Flops && others*(is.Bytes-was.Bytes) <= was.Bytes
}

// half is what is left where of two that were computed one is left, with what chooses it.
const half = 0.55

// muchLess says whether a run computes and moves hardly more than half of what it did, or less: some launches more are what that takes.
func muchLess(v *diff.Variant) bool {
	return !ledger.Grew(v, "cost.flops", half) && !ledger.Grew(v, "cost.bytes_accessed", half)
}

// movesLess says whether a program launches and computes no more than it did, and moves clearly less.
func movesLess(v *diff.Variant) bool {
	return noDearer(v) && !ledger.Grew(v, "cost.bytes_accessed", ledger.ClearGain)
}

// noDearer says whether a program launches, computes and moves no more than it did.
func noDearer(v *diff.Variant) bool {
	const moved, computed = "cost.bytes_accessed", "cost.flops"
	return ledger.Known(v, moved) && ledger.Known(v, computed) && (ledger.SameLoops(v) || ledger.FewerLoops(v)) && ledger.Unpriced(v.New) <= ledger.Unpriced(v.Old) && ledger.Launched(v.New) <= ledger.Launched(v.Old) &&
		!ledger.Grew(v, computed, ledger.Wobble) && !ledger.Grew(v, moved, ledger.Wobble)
}

// hoisted says whether work left a loop for the place before it: the loops launch no more and compute less, and all launches of a run are
// hardly more.
func hoisted(v *diff.Variant) bool {
	was, is := inLoops(v.Old), inLoops(v.New)
	if is.Launches > was.Launches || ledger.Wobble*is.Flops >= was.Flops {
		return false
	}
	return ledger.Launches(v.New, ledger.CostsLaunch) <= ledger.Wobble*ledger.Launches(v.Old, ledger.CostsLaunch)
}

func inLoops(v *facts.Variant) (w ledger.LoopWork) {
	for k := range ledger.Kernels(v, func(k *facts.Kernel) bool { return k.InLoop && ledger.CostsLaunch(k) }) {
		w.Launches++
		w.Flops += float64(k.Flops) * ledger.Runs(k)
	}
	return w
}

// fewerCycles says whether the compiler for TPU expects clearly fewer cycles of the program.
func fewerCycles(v *diff.Variant) bool {
	const cycles = "cost.estimated_cycles"
	return ledger.Known(v, cycles) && v.New.Facts[cycles] < ledger.ClearGain*v.Old.Facts[cycles]
}
