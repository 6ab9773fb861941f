package changes

import (
	"cmp"
	"math"
	"slices"

	"github.com/xlagate/xlagate/internal/facts"
)

// Grown returns the growth of a fact. It is 0 if a side does not have the fact, and if programs merged or split and only the largest value of the fact is known
// of them.
func (v *Variant) Grown(fact facts.ID) float64 {
	if v.Regrouped && facts.About(fact).Largest || !v.Knows(fact) {
		return 0
	}
	return v.New.Facts[fact] - v.Old.Facts[fact]
}

// effects records the facts that moved in the program that a change is named for: all of them if one change causes everything in a variant, else for each
// change what its launches count.
func (g *Grouping) effects() {
	for _, p := range g.programs {
		for _, v := range p.Variants {
			if v.Old == nil || v.New == nil || len(v.Causes) == 0 {
				continue
			}
			var owners []*Change
			for i := range v.Causes {
				owners = append(owners, g.byCause[&v.Causes[i]].Change)
			}
			for _, e := range v.effects(owners) {
				if e.change.Program == p.Name {
					e.change.effect(e.Effect)
				}
			}
		}
	}
}

type effectOf struct {
	Effect
	change *Change
}

// effects lists the facts that moved in a variant. owners holds the change of each cause. A fact is left out for the one that counts the same a run.
func (v *Variant) effects(owners []*Change) (list []effectOf) {
	_, was := v.Old.Facts.Launches()
	_, is := v.New.Facts.Launches()
	skipped := func(fact facts.ID) bool {
		return v.Knows(facts.About(fact).Weighted) || fact == facts.KernelsWeighted && !(was && is)
	}
	if len(slices.Compact(slices.Clone(owners))) == 1 {
		for _, f := range v.Facts {
			if isCollectives(f.Name) { // of a kind that a side does not have it has none
				f.Old, f.New = number(f.Old), number(f.New)
			}
			if !math.IsNaN(f.Old) && !math.IsNaN(f.New) && !f.Name.IsPrice() && !skipped(f.Name) {
				list = append(list, effectOf{Effect{f.Name, f.Old, f.New}, owners[0]})
			}
		}
		return list
	}
	for _, fact := range launchFacts {
		was, known := v.Old.Facts[fact]
		moved := map[*Change]float64{}
		for i, owner := range owners {
			moved[owner] += Count(fact, v.Causes[i].After) - Count(fact, v.Causes[i].Before)
		}
		for owner, n := range moved {
			if known && n != 0 && !skipped(fact) {
				list = append(list, effectOf{Effect{fact, was, was + n}, owner})
			}
		}
	}
	return list
}

// isCollectives reports whether a fact counts collectives of a kind, or what they carry.
func isCollectives(fact facts.ID) bool {
	_, count := facts.CollectiveCount.Member(fact)
	_, bytes := facts.CollectiveBytes.Member(fact)
	return count || bytes
}

// number is n, and 0 for what is no number.
func number(n float64) float64 {
	if math.IsNaN(n) {
		return 0
	}
	return n
}

// effect records a fact that moved; of several variants, the largest move.
func (c *Change) effect(e Effect) {
	at, found := slices.BinarySearchFunc(c.Effects, e.Fact, func(e Effect, fact facts.ID) int { return cmp.Compare(e.Fact, fact) })
	if !found {
		c.Effects = slices.Insert(c.Effects, at, e)
	} else if had := c.Effects[at]; math.Abs(e.Is-e.Was) > math.Abs(had.Is-had.Was) {
		c.Effects[at] = e
	}
}

// launchFacts are the facts whose effects are divided among the changes of a variant.
var launchFacts = []facts.ID{
	facts.CopiesCount, facts.CostBytes, facts.CostFlops, facts.CostWeightedBytes, facts.CostWeightedFlops, facts.FusionsTotal, facts.KernelsTotal, facts.KernelsWeighted,
	facts.TransposesCount,
}

// TakesLess reports whether a run takes less of the two budgets, time and memory, and more of neither.
func TakesLess(old, fresh facts.Values) (some bool) {
	for _, id := range []facts.ID{facts.PriceStep, facts.MemoryPeak} {
		was, had := old[id]
		is, has := fresh[id]
		if had != has || is > was {
			return false
		}
		some = some || is < was
	}
	return some
}
