package rules

import (
	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
)

// branchCost is what a run has to do when it takes the dearest branches, and when it takes the cheapest and ends every loop that it may.
type branchCost struct{ most, least float64 }

func (b branchCost) spared() float64 { return b.most - b.least }

// branchCosts are both on each side of a difference.
func branchCosts(v *diff.Variant, cost string) (was, is branchCost) {
	was.most, is.most = wholeCost(v, cost)
	was.least, is.least = leastCost(v.Old, cost), leastCost(v.New, cost)
	return was, is
}

// leastCost is what every run has to do: of a program whose runs are all alike, what one of them does.
func leastCost(v *facts.Variant, cost string) float64 {
	for _, form := range []string{"cost.least_", "cost.weighted_"} {
		if n, ok := v.Facts[form+cost[len("cost."):]]; ok {
			return n
		}
	}
	return v.Facts[cost]
}

// counting is the number of loops that run to a number which nobody knows: what they cost is not known even at the least.
func counting(v *facts.Variant) float64 { return v.Facts[unknownLoops] - v.Facts["loops.early_exit"] }

// leavesOut says whether a run may leave out clearly more than before, because it stands in a branch now.
func leavesOut(v *diff.Variant) bool {
	if untold(v.Old) || untold(v.New) {
		return false
	}
	was, is := branchCosts(v, "cost.flops")
	moved, moves := branchCosts(v, "cost.bytes_accessed")
	return is.spared() > was.spared() && is.least < clearGain*was.least && moves.least <= wobble*moved.least
}

// untold says whether it is not known what the runs of a program cost at the least: a baseline of earlier did not say it.
func untold(v *facts.Variant) bool {
	_, least := v.Facts["cost.least_flops"]
	_, ends := v.Facts["loops.early_exit"]
	return !least && conditionals(v) > 0 || !ends && v.Facts[unknownLoops] > 0
}

func conditionals(v *facts.Variant) float64 {
	return countThat(v, func(k *facts.Kernel) bool { return k.Root == "conditional" })
}
