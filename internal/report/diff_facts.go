package report

import (
	"math"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
)

// factBlocks are the facts that differ: the telling ones in a line, the others counted or, when all are wanted, listed. The sum
// of kernels stands in the title.
func factBlocks(v *diff.Variant, o Options) []block {
	if o.All {
		return []block{factChanges(v)}
	}
	var parts []string
	rest := 0
	for _, f := range orderFacts(v.Facts) {
		switch {
		case f.Name == facts.KernelsTotal, f.Name.IsPrice(): // said in the title, and above
		case telling(f.Name):
			parts = append(parts, factLabel(f.Name)+" "+factChange(v, &f))
		default:
			rest++
		}
	}
	l := say(strings.Join(parts, columnGap))
	if rest > 0 {
		l = l.with(columnGap, in(dim, differing(rest)))
	}
	return []block{para{l}}
}

func factChanges(v *diff.Variant) table {
	t := table{Head: []string{"fact", "change"}, Bare: true}
	for _, f := range orderFacts(v.Facts) {
		t.Rows = append(t.Rows, []line{in(name, string(f.Name)), say(factChange(v, &f))})
	}
	return t
}

// orderFacts puts the telling facts first, the most telling of them at the head; the others stay in their order.
func orderFacts(changes []diff.FactChange) []diff.FactChange {
	byName := map[facts.ID]diff.FactChange{}
	for _, f := range changes {
		byName[f.Name] = f
	}
	var out []diff.FactChange
	for _, table := range [][]label{keyFacts, moreFacts[:maxTelling]} {
		for _, l := range table {
			if f, ok := byName[l.fact]; ok {
				out = append(out, f)
				delete(byName, l.fact)
			}
		}
	}
	for _, f := range changes {
		if _, ok := byName[f.Name]; ok {
			out = append(out, f)
		}
	}
	return out
}

// telling reports whether a fact is worth a word in a difference.
func telling(fact facts.ID) bool {
	for _, table := range [][]label{keyFacts, moreFacts[:maxTelling]} {
		for _, l := range table {
			if l.fact == fact {
				return true
			}
		}
	}
	return slices.Contains([]string{"collectives", "custom_calls", "clusters"}, fact.Group())
}

// factChange is "1 → 4". Of kinds and targets only those that occur have a fact: where kernels were counted, an absent one is none.
func factChange(v *diff.Variant, f *diff.FactChange) string {
	side := func(n float64, variant *facts.Variant) string {
		if math.IsNaN(n) && variant != nil && counted(f.Name) {
			if _, ok := variant.Facts[facts.KernelsTotal]; ok {
				return "none"
			}
		}
		return shown(n, unitOf(f.Name))
	}
	if math.IsNaN(f.Old) || math.IsNaN(f.New) {
		return side(f.Old, v.Old) + " → " + side(f.New, v.New)
	}
	return change(f.Name, f.Old, f.New)
}

func counted(fact facts.ID) bool {
	return slices.Contains([]string{"kernels", "fusions", "custom_calls", "collectives", "dtypes"}, fact.Group())
}

// differing says how many facts are not shown.
func differing(n int) string {
	if n == 1 {
		return "1 more fact differs (--all)"
	}
	return phrase.Some(n, "more fact") + " differ (--all)"
}
