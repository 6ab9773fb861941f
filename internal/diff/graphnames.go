package diff

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
)

// leastCommon is the share of what either of two graphs does that both have to have in common to be the same graph, changed.
const leastCommon = 0.5

// leastOfName is the same for a graph that has the number of the other: one that has grown to ten times its size is another.
const leastOfName = 0.1

// NameGraphs gives the graphs that their framework only numbers, in the order of their compilation, the names of those they are in the
// old report. Without it a graph that comes in before the others would have them all compared with another one.
func NameGraphs(old, fresh *facts.Report) {
	was, is := numbered(old.Programs), numbered(fresh.Programs)
	for stem, graphs := range is {
		if len(was[stem]) > 0 {
			nameGraphs(stem, was[stem], graphs)
		}
	}
	slices.SortFunc(fresh.Programs, func(a, b *facts.Program) int { return strings.Compare(a.Name, b.Name) })
}

// numbered lists the programs that share a name and are told apart by a number.
func numbered(programs []*facts.Program) map[string][]*facts.Program {
	byStem := map[string][]*facts.Program{}
	for _, p := range programs {
		if stem, ok := facts.NumberedGraph(p.Name); ok {
			byStem[stem] = append(byStem[stem], p)
		}
	}
	return byStem
}

// nameGraphs pairs the graphs that have most in common first. One that has no counterpart keeps its name where that is free, or that of
// one that it has something in common with.
func nameGraphs(stem string, old, fresh []*facts.Program) {
	var work contents
	taken, paired := map[string]bool{}, map[*facts.Program]bool{}
	for _, pair := range work.alikeFirst(old, fresh) {
		if !taken[pair.old.Name] && !paired[pair.fresh] {
			taken[pair.old.Name], paired[pair.fresh] = true, true
			pair.fresh.Name = pair.old.Name
		}
	}
	for _, p := range fresh {
		if !paired[p] && !taken[p.Name] && !work.another(old, p) {
			taken[p.Name], paired[p] = true, true
		}
	}
	for _, o := range old {
		taken[o.Name] = true
	}
	for _, p := range fresh {
		if paired[p] {
			continue
		}
		for n := 2; taken[p.Name]; n++ {
			p.Name = fmt.Sprintf("%s-%d", stem, n)
		}
		taken[p.Name] = true
	}
}

// another reports whether the old graph of a graph's name has next to nothing in common with it.
func (c *contents) another(old []*facts.Program, fresh *facts.Program) bool {
	return slices.ContainsFunc(old, func(o *facts.Program) bool { return o.Name == fresh.Name && c.inCommon(o, fresh) < leastOfName })
}

// alikeFirst lists the graphs that may be each other, the most alike first.
func (c *contents) alikeFirst(old, fresh []*facts.Program) []programs {
	var pairs []programs
	share := map[programsKey]float64{}
	for _, f := range fresh {
		for _, o := range old {
			if s := c.inCommon(o, f); s >= leastCommon {
				pairs = append(pairs, programs{old: o, fresh: f})
				share[programsKey{o, f}] = s
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b programs) int {
		return -cmp.Compare(share[programsKey{a.old, a.fresh}], share[programsKey{b.old, b.fresh}])
	})
	return pairs
}

type programsKey struct{ old, fresh *facts.Program }
