package diff

import (
	"github.com/xlagate/xlagate/internal/facts"
)

// RunCost is what a run has to do when it takes the dearest branches, and when it takes the cheapest and ends every loop that it may.
type RunCost struct{ Most, Least float64 }

// Spared is what a run may leave out.
func (b RunCost) Spared() float64 { return b.Most - b.Least }

// RunCosts are both on each side of a difference.
func RunCosts(v *Variant, cost string) (was, is RunCost) {
	was.Most, is.Most = CostOf(v, cost)
	was.Least, is.Least = leastCost(v.Old, cost), leastCost(v.New, cost)
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

// Counting is the number of loops that run to a number which nobody knows: what they cost is not known even at the least.
func Counting(v *facts.Variant) float64 { return v.Facts[UnknownLoops] - v.Facts[EarlyExits] }

// NothingTold says whether it is not known what the runs of a program cost at the least: a baseline of earlier did not say it.
func NothingTold(v *facts.Variant) bool {
	_, least := v.Facts["cost.least_flops"]
	_, ends := v.Facts[EarlyExits]
	return !least && Conditionals(v) > 0 || !ends && v.Facts[UnknownLoops] > 0
}

// Conditionals counts the places where a run takes one branch of several.
func Conditionals(v *facts.Variant) float64 {
	return CountKernels(v, func(k *facts.Kernel) bool { return k.Root == "conditional" })
}
