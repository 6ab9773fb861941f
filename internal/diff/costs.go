package diff

import (
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
)

// Wobble is the growth of a cost that means nothing.
const Wobble = 1.01

// FactKnown says whether both sides of a difference have a fact.
func FactKnown(v *Variant, fact string) bool {
	_, now := v.New.Facts[fact]
	if v.Old == nil {
		return false
	}
	_, before := v.Old.Facts[fact]
	return now && before
}

// Grew says whether a cost, loops counted as often as they run where that is known, is more than so many times what it was.
func Grew(v *Variant, cost string, times float64) bool {
	was, is := CostOf(v, cost)
	return is > times*was
}

// CostOf is a cost on both sides, loops counted as often as they run where that is known.
func CostOf(v *Variant, cost string) (was, is float64) {
	if weighted := "cost.weighted_" + cost[len("cost."):]; FactKnown(v, weighted) {
		cost = weighted
	}
	return v.Old.Facts[cost], v.New.Facts[cost]
}

// Unpriced counts the custom calls of a run: nobody knows what they cost, so that work which moved into one looks as if it were gone.
func Unpriced(v *facts.Variant) (n float64) {
	for k := range KernelsOf(v, func(k *facts.Kernel) bool { return k.Target != "" && !IsCollective(k) }) {
		n += RunsOf(k)
	}
	return n
}

// Launched counts what a program launches: kernels, and copies of more than a number.
func Launched(v *facts.Variant) float64 {
	return v.Facts["kernels.total"] + CountKernels(v, copiesArray)
}

// copiesArray says whether a kernel copies more than a single number, such as a loop's counter or a rate that is returned.
func copiesArray(k *facts.Kernel) bool {
	return k.Class == facts.ClassCopy && !strings.HasSuffix(k.Out, "[]")
}

// ConstantBytes adds up the constants in the module. The buffer assignment's figure would do as well, but is not always dumped,
// and hides constants that were folded into kernels.
func ConstantBytes(v *facts.Variant) float64 {
	var n float64
	for _, k := range v.Constants {
		n += float64(k.Bytes)
	}
	return n
}
