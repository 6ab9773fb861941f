package gate

import (
	"cmp"
	"math"
	"slices"

	"github.com/xlagate/xlagate/internal/diff"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/result"
)

// The facts that a change is priced by.
const (
	stepTime   = facts.PriceStep
	peakMemory = facts.MemoryPeak
)

// share divides the cost of a variant's differences, and the facts that moved, among the changes behind them. owners holds the change of each
// cause, the weightiest cause first.
func share(v *diff.Variant, owners []*group) {
	prices := map[*group]*result.Price{}
	for _, owner := range owners {
		prices[owner] = &result.Price{StepWasNS: v.Old.Facts[stepTime]}
	}
	for i, ns := range stepOfCauses(v) {
		prices[owners[i]].StepNS += ns
	}
	prices[owners[keeper(v)]].PeakBytes = delta(v, peakMemory)
	for owner, price := range prices {
		price.Compilations = owner.Price.Compilations
		if cmp.Or(cmp.Compare(math.Abs(price.StepNS), math.Abs(owner.Price.StepNS)), cmp.Compare(math.Abs(price.PeakBytes), math.Abs(owner.Price.PeakBytes))) >= 0 {
			owner.Price = *price // of several variants the one that it costs most
		}
	}
	effects(v, owners)
}

// stepOfCauses returns what each cause adds to the step: the prices of the launches that it added, less those of the launches that it removed.
// The rest, such as what runs in parallel, belongs to the cause that adds most.
func stepOfCauses(v *diff.Variant) []float64 {
	own := make([]float64, len(v.Causes))
	rest, most := delta(v, stepTime), 0
	for i := range v.Causes {
		own[i] = priceOf(v.New, v.Causes[i].After) - priceOf(v.Old, v.Causes[i].Before)
		rest -= own[i]
		if math.Abs(own[i]) > math.Abs(own[most]) {
			most = i
		}
	}
	own[most] += rest
	return own
}

// priceOf is what a run spends in kernels of a variant, in nanoseconds, whichever branches it takes.
func priceOf(v *facts.Variant, kernels []facts.Kernel) float64 {
	if v.Device == nil {
		return 0
	}
	part := *v
	part.Kernels = kernels
	var ns float64
	for _, p := range part.Prices(v.Device) {
		ns += p.NS()
	}
	return ns
}

// keeper returns the cause that the peak memory of a variant is attributed to.
func keeper(v *diff.Variant) int {
	why := v.Keeper()
	for i := range v.Causes {
		if &v.Causes[i] == why {
			return i
		}
	}
	return 0
}

// delta returns the growth of a fact, 0 where one side does not have it.
func delta(v *diff.Variant, fact facts.ID) float64 {
	was, known := v.Old.Facts[fact]
	is, measured := v.New.Facts[fact]
	if !known || !measured {
		return 0
	}
	return is - was
}

// effects records the facts that moved, with costs of a run where known: all of them if one change causes everything, else for each change what its
// launches count.
func effects(v *diff.Variant, owners []*group) {
	if len(slices.Compact(slices.Clone(owners))) == 1 {
		for _, f := range v.Facts {
			if !math.IsNaN(f.Old) && !math.IsNaN(f.New) && !f.Name.IsPrice() && !v.Knows(facts.About(f.Name).Weighted) {
				owners[0].effect(result.Effect{Fact: f.Name, Was: f.Old, Is: f.New})
			}
		}
		return
	}
	for _, fact := range launchFacts {
		was, known := v.Old.Facts[fact]
		moved := map[*group]float64{}
		for i, owner := range owners {
			moved[owner] += diff.Count(fact, v.Causes[i].After) - diff.Count(fact, v.Causes[i].Before)
		}
		for owner, n := range moved {
			if known && n != 0 && !v.Knows(facts.About(fact).Weighted) {
				owner.effect(result.Effect{Fact: fact, Was: was, Is: was + n})
			}
		}
	}
}

// effect records a fact that moved; of several variants or causes, the largest move.
func (o *group) effect(e result.Effect) {
	at, found := slices.BinarySearchFunc(o.Effects, e.Fact, func(e result.Effect, fact facts.ID) int { return cmp.Compare(e.Fact, fact) })
	if !found {
		o.Effects = slices.Insert(o.Effects, at, e)
	} else if had := o.Effects[at]; math.Abs(e.Is-e.Was) > math.Abs(had.Is-had.Was) {
		o.Effects[at] = e
	}
}

// launchFacts are the facts that are counted from launches alone.
var launchFacts = []facts.ID{
	facts.CopiesCount, facts.CostBytes, facts.CostFlops, facts.CostWeightedBytes, facts.CostWeightedFlops, facts.FusionsTotal, facts.KernelsTotal, facts.TransposesCount,
}
