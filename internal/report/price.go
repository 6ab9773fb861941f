package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
)

// stepTime is the fact that a price leads with.
const stepTime = facts.PriceStep

// priceParts are the parts of a step's time.
var priceParts = []label{
	{facts.PriceMemory, "memory"}, {facts.PriceLaunch, "launches"}, {facts.PriceCompute, "compute"}, {facts.PriceNetwork, "network"}, {facts.PriceHost, "host"},
}

// priceLines is "predicted step 12.1 ms on h100-sxm: memory 61 %, launches 22 %, compute 17 %; not priced: 2 launches".
func priceLines(v *facts.Variant) []line {
	step, priced := v.Facts[stepTime]
	if !priced || v.Device == nil {
		return nil
	}
	parts := slices.Clone(priceParts)
	slices.SortStableFunc(parts, func(a, b label) int { return int(v.Facts[b.fact]) - int(v.Facts[a.fact]) })
	var said []string
	for _, part := range parts {
		if ns := v.Facts[part.fact]; ns >= step/200 {
			said = append(said, part.text+" "+percent(ns, step))
		}
	}
	l := say("predicted step ").in(strong, value(stepTime, step)).and(" on " + v.Device.Name + ": " + strings.Join(said, ", "))
	if n := v.Facts[facts.PriceUnpriced]; n > 0 {
		l = l.and("; not priced: " + phrase.Some(int(n), "launch"))
	}
	return []line{l}
}

// priceChange is "predicted step 12.1 → 12.9 ms on h100-sxm (+6.6 %)", nothing where a side has no price or both have the same.
func priceChange(v *diff.Variant) line {
	if v.Old == nil || v.New == nil || v.New.Device == nil || v.Old.Device != v.New.Device {
		return nil
	}
	was, is := v.Old.Facts[stepTime], v.New.Facts[stepTime]
	if was == is || was == 0 {
		return nil
	}
	l := say("predicted step ").in(strong, change(stepTime, was, is)).and(fmt.Sprintf(" on %s (%+.1f %%)", v.New.Device.Name, 100*(is-was)/was))
	if n := v.New.Facts[facts.PriceUnpriced]; n > 0 {
		l = l.and("; not priced: " + phrase.Some(int(n), "launch"))
	}
	return l
}

// weighed is what kernels are ranked by: what they are predicted to take, or where no price is known the bytes that they move.
func weighed(v *facts.Variant) (title string, weights []float64) {
	weights = make([]float64, len(v.Kernels))
	if v.Device == nil {
		for i := range v.Kernels {
			if k := &v.Kernels[i]; k.Class != facts.ClassControl {
				weights[i] = float64(k.Bytes) * float64(max(1, k.Times))
			}
		}
		return "most bytes moved", weights
	}
	for i, p := range v.Prices(v.Device) {
		weights[i] = p.NS()
	}
	return "longest predicted kernels, of " + phrase.Nanoseconds(v.Facts[stepTime]), weights
}
