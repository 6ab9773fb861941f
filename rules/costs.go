package rules

import (
	"strings"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
)

// Wobbles of a cost that mean nothing, and gains that mean something.
const (
	wobble    = 1.01
	clearGain = 0.95
)

// both says whether both sides of a difference have a fact.
func both(v *diff.Variant, fact string) bool {
	_, now := v.New.Facts[fact]
	if v.Old == nil {
		return false
	}
	_, before := v.Old.Facts[fact]
	return now && before
}

// grew says whether a cost, loops counted as often as they run where that is known, is more than so many times what it was.
func grew(v *diff.Variant, cost string, times float64) bool {
	was, is := wholeCost(v, cost)
	return is > times*was
}

// wholeCost is a cost on both sides, loops counted as often as they run where that is known.
func wholeCost(v *diff.Variant, cost string) (was, is float64) {
	if weighted := "cost.weighted_" + cost[len("cost."):]; both(v, weighted) {
		cost = weighted
	}
	return v.Old.Facts[cost], v.New.Facts[cost]
}

// unpriced counts the custom calls of a run: nobody knows what they cost, so that work which moved into one looks as if it were gone.
func unpriced(v *facts.Variant) (n float64) {
	for k := range kernelsThat(v, func(k *facts.Kernel) bool { return k.Target != "" && !isCollective(k) }) {
		n += runs(k)
	}
	return n
}

// launched counts what a program launches: kernels, and copies of more than a number.
func launched(v *facts.Variant) float64 { return v.Facts["kernels.total"] + countThat(v, copiesArray) }

// copiesArray says whether a kernel copies more than a single number, such as a loop's counter or a rate that is returned.
func copiesArray(k *facts.Kernel) bool {
	return k.Class == facts.ClassCopy && !strings.HasSuffix(k.Out, "[]")
}

// constantBytes adds up the constants in the module. The buffer assignment's figure would do as well, but is not always dumped,
// and hides constants that were folded into kernels.
func constantBytes(v *facts.Variant) float64 {
	var n float64
	for _, k := range v.Constants {
		n += float64(k.Bytes)
	}
	return n
}

// argumentBytes is what the arguments take on one device, where that was dumped, else what they take in all.
func argumentBytes(v *facts.Variant) (n float64) {
	if n, ok := v.Facts["memory.argument_bytes"]; ok {
		return n
	}
	for i := range v.Params {
		n += float64(v.Params[i].Bytes)
	}
	return n
}
