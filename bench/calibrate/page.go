package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/xlagate/xlagate/bench/race"
	"github.com/xlagate/xlagate/internal/price"
)

// budget is the growth that the pack recommended allows, as a share of the step.
const budget = 0.01

// miss is a pair outside of its interval, by a share of the step before.
type miss struct {
	*pair
	by float64
}

// tables writes how the margins hold, and the pairs outside of their intervals, the farthest first.
func tables(w io.Writer, rows string, missed []miss) {
	const most = 8
	fmt.Fprintln(w, "| | pairs | rank of steps | within a factor of two | below the interval | above | width, median | errors, and slower by 2 % | errors of those slower by 20 % | told of those slower by 5 % |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
	fmt.Fprintln(w, rows)
	fmt.Fprintln(w, "The exchanged pairs that lie outside of their intervals, the farthest first:\n\n| pair | on | measured | predicted | most of it in |\n|---|---|---:|---:|---|")
	slices.SortFunc(missed, func(a, b miss) int { return cmp.Or(cmp.Compare(b.by, a.by), cmp.Compare(a.name, b.name)) })
	for _, m := range missed[:min(most, len(missed))] {
		mostly := "several classes"
		if c, is := m.mostly(); is {
			mostly = c.String()
		}
		fmt.Fprintf(w, "| `%s` | %s | %s | %s (%s … %s) | %s |\n", m.name, m.family, race.Percent(1+m.took), race.Percent(1+m.middle), race.Percent(1+m.low), race.Percent(1+m.high), mostly)
	}
	if more := len(missed) - most; more > 0 {
		fmt.Fprintf(w, "| %d more | | | | |\n", more)
	}
	fmt.Fprintln(w)
}

// misses are the pairs outside of their intervals.
func (f *family) misses() (list []miss) {
	for _, p := range f.pairs {
		if by := max(p.low-p.took, p.took-p.high) - noise; by > 0 {
			list = append(list, miss{p, by})
		}
	}
	return list
}

// row writes how the pairs lie in their intervals.
func (f *family) row(w io.Writer, which string) {
	var below, above, twice, red, right, slow, caught, slower, told int
	var widths, predicted, measured []float64
	n := len(f.pairs)
	for _, p := range f.pairs {
		below, above = below+count(p.took < p.low-noise), above+count(p.took > p.high+noise)
		red, right = red+count(p.low > budget), right+count(p.low > budget && p.took > 0.02)
		slow, caught = slow+count(p.took > 0.2), caught+count(p.took > 0.2 && p.low > budget)
		slower, told = slower+count(p.took > 0.05), told+count(p.took > 0.05 && p.middle > budget)
		widths = append(widths, p.high-p.low)
		for side, share := range []float64{1, 1 + p.middle} {
			said := p.was * share / 1e3
			predicted, measured = append(predicted, said), append(measured, p.micros[side])
			twice += count(math.Abs(math.Log2(said/p.micros[side])) <= 1)
		}
	}
	fmt.Fprintf(w, "| %s, %s | %d | %.3f | %.0f %% | %.1f %% | %.1f %% | %.0f %% | %d of %d | %d of %d | %d of %d |\n", f.name, which, n, race.RankCorrelation(predicted, measured), 50*float64(twice)/float64(n),
		100*float64(below)/float64(n), 100*float64(above)/float64(n), 100*quantile(widths, 0.5), right, red, caught, slow, told, slower)
}

func (f *family) margin(c price.Class) price.Margin {
	if c == price.Transfers {
		return price.Family(f.name).Margin(c)
	}
	return f.margins[c]
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}
