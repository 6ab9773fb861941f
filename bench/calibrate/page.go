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

// figures writes the rows of the table: how the margins hold on both halves.
func figures(w io.Writer, families []*family) {
	fmt.Fprintln(w, "| | pairs | rank of steps | within a factor of two | below the interval | above | width, median | errors, and slower by 2 % | errors of those slower by 20 % | told of those slower by 5 % |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
	for _, f := range families {
		for _, held := range []bool{false, true} {
			f.row(w, held)
		}
	}
	fmt.Fprintln(w)
}

// row writes how the margins hold on one half.
func (f *family) row(w io.Writer, held bool) {
	var twice, red, right, slow, caught, slower, told int
	var widths, predicted, measured []float64
	pairs := f.half(held)
	n := len(pairs)
	below, above := f.holds(pairs)
	for _, p := range pairs {
		low, middle, high := p.interval(f.margin)
		red, right = red+count(low > budget), right+count(low > budget && p.took > 0.02)
		slow, caught = slow+count(p.took > 0.2), caught+count(p.took > 0.2 && low > budget)
		slower, told = slower+count(p.took > 0.05), told+count(p.took > 0.05 && middle > budget)
		widths = append(widths, high-low)
		for side, share := range []float64{1, 1 + middle} {
			said := p.was * share / 1e3
			predicted, measured = append(predicted, said), append(measured, p.micros[side])
			twice += count(math.Abs(math.Log2(said/p.micros[side])) <= 1)
		}
	}
	half := "calibrated with"
	if held {
		half = "**held back**"
	}
	fmt.Fprintf(w, "| %s, %s | %d | %.3f | %.0f %% | %.1f %% | %.1f %% | %.0f %% | %d of %d | %d of %d | %d of %d |\n", f.name, half, n, race.RankCorrelation(predicted, measured), 50*float64(twice)/float64(n),
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

// misses writes the pairs of the half that was held back which lie outside of their intervals, the farthest first.
func misses(w io.Writer, families []*family) {
	const most = 8
	type miss struct {
		*pair
		low, middle, high, by float64
	}
	var list []miss
	for _, f := range families {
		for _, p := range f.half(true) {
			low, middle, high := p.interval(f.margin)
			if by := max(low-p.took, p.took-high) - noise; by > 0 {
				list = append(list, miss{p, low, middle, high, by})
			}
		}
	}
	slices.SortFunc(list, func(a, b miss) int { return cmp.Or(cmp.Compare(b.by, a.by), cmp.Compare(a.name, b.name)) })
	fmt.Fprintln(w, "| pair | on | measured | predicted | most of it in |\n|---|---|---:|---:|---|")
	for _, m := range list[:min(most, len(list))] {
		mostly := "several classes"
		if c, is := m.mostly(); is {
			mostly = c.String()
		}
		fmt.Fprintf(w, "| `%s` | %s | %s | %s (%s … %s) | %s |\n", m.name, m.family, race.Percent(1+m.took), race.Percent(1+m.middle), race.Percent(1+m.low), race.Percent(1+m.high), mostly)
	}
	if more := len(list) - most; more > 0 {
		fmt.Fprintf(w, "| %d more | | | | |\n", more)
	}
	fmt.Fprintln(w)
}
