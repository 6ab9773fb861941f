package gate

import (
	"cmp"
	"math"
	"slices"

	"github.com/xlagate/xlagate/internal/changes"
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
func share(of compiled, v *changes.Variant, owners []*group) {
	prices := map[*group]*result.Price{}
	for _, owner := range owners {
		prices[owner] = &result.Price{StepWasNS: v.Old.Facts[stepTime]}
	}
	for i, cost := range v.StepIntervals() {
		price := prices[owners[i]]
		price.StepNS, price.LowNS, price.HighNS = price.StepNS+cost.Middle, price.LowNS+cost.Low, price.HighNS+cost.High
	}
	prices[owners[v.Keeper()]].PeakBytes = delta(v, peakMemory)
	for owner, price := range prices {
		price.LowNS = max(price.LowNS, -price.StepWasNS) // a step takes no less than nothing
		owner.steps[of] = price.StepNS
		price.Compilations = owner.Price.Compilations
		if cmp.Or(cmp.Compare(math.Abs(price.StepNS), math.Abs(owner.Price.StepNS)), cmp.Compare(math.Abs(price.PeakBytes), math.Abs(owner.Price.PeakBytes))) >= 0 {
			owner.Price = *price // of several variants the one that it costs most
		}
	}
	effects(v, owners)
}

// divide puts a limit on the step down to the changes that have to go before it holds, the dearest first: each breaks it.
func (g *grouping) divide(f *JudgedFinding, list []*group) {
	of, left := compiled{f.Program, f.Variant}, excess(f)
	dearest := slices.DeleteFunc(slices.Clone(list), func(o *group) bool { _, in := o.steps[of]; return !in })
	slices.SortStableFunc(dearest, func(a, b *group) int { return cmp.Compare(b.steps[of], a.steps[of]) })
	for i, o := range dearest {
		if i > 0 && (left <= 0 || o.steps[of] <= 0 || g.target.Again) {
			return
		}
		part := f
		if i > 0 {
			own := *f
			own.Cause, own.Evidence, own.share, part = nil, changes.Evidence{}, f, &own
		}
		o.breaks(part)
		left -= o.steps[of]
	}
}

// shareOf is between what a rule checked and the change, in the subject of a finding that [grouping.divide] adds.
const shareOf = " of change "

// nameShares names the findings that were added to a change after it, and returns them.
func (o *group) nameShares() (shares []*JudgedFinding) {
	for _, f := range o.found {
		if f.share != nil {
			f.Subject, f.ID = f.Subject+shareOf+o.ID, result.ID(f.ID+shareOf+o.ID)
			shares = append(shares, f)
		}
	}
	return shares
}

// delta returns the growth of a fact, 0 where one side does not have it, and where clusters that merged or split are the sides: of these only
// the largest value is known.
func delta(v *changes.Variant, fact facts.ID) float64 {
	if v.Regrouped && facts.About(fact).Largest {
		return 0
	}
	was, known := v.Old.Facts[fact]
	is, measured := v.New.Facts[fact]
	if !known || !measured {
		return 0
	}
	return is - was
}

// effects records the facts that moved, with costs of a run where known: all of them if one change causes everything, else for each change what its
// launches count.
func effects(v *changes.Variant, owners []*group) {
	_, was := v.Old.Facts.Launches()
	_, is := v.New.Facts.Launches()
	skipped := func(fact facts.ID) bool {
		return v.Knows(facts.About(fact).Weighted) || fact == facts.KernelsWeighted && !(was && is)
	}
	if len(slices.Compact(slices.Clone(owners))) == 1 {
		for _, f := range v.Facts {
			if !math.IsNaN(f.Old) && !math.IsNaN(f.New) && !f.Name.IsPrice() && !skipped(f.Name) {
				owners[0].effect(result.Effect{Fact: f.Name, Was: f.Old, Is: f.New})
			}
		}
		return
	}
	for _, fact := range launchFacts {
		was, known := v.Old.Facts[fact]
		moved := map[*group]float64{}
		for i, owner := range owners {
			moved[owner] += changes.Count(fact, v.Causes[i].After) - changes.Count(fact, v.Causes[i].Before)
		}
		for owner, n := range moved {
			if known && n != 0 && !skipped(fact) {
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
	facts.CopiesCount, facts.CostBytes, facts.CostFlops, facts.CostWeightedBytes, facts.CostWeightedFlops, facts.FusionsTotal, facts.KernelsTotal, facts.KernelsWeighted,
	facts.TransposesCount,
}
