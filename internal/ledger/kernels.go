// Package ledger asks what a measured program comes to: which kernels and loops it has and how often they run, what a run costs beside
// what it did, and which loop is which.
package ledger

import (
	"iter"

	"github.com/xlagate/xlagate/internal/facts"
)

// Kernels are the kernels of a program that a rule cares for, in their order.
func Kernels(v *facts.Variant, cares func(*facts.Kernel) bool) iter.Seq[*facts.Kernel] {
	return func(yield func(*facts.Kernel) bool) {
		for i := range v.Kernels {
			if k := &v.Kernels[i]; cares(k) && !yield(k) {
				return
			}
		}
	}
}

// Count is how many of them there are.
func Count(v *facts.Variant, cares func(*facts.Kernel) bool) (n float64) {
	for range Kernels(v, cares) {
		n++
	}
	return n
}

// Bytes is how much these kernels read and write, those in loops once.
func Bytes(v *facts.Variant, cares func(*facts.Kernel) bool) (n float64) {
	for k := range Kernels(v, cares) {
		n += float64(k.Bytes)
	}
	return n
}

// Runs is how often a kernel runs, as far as that is known.
func Runs(k *facts.Kernel) float64 { return float64(max(k.Times, 1)) }

// Launches counts launches as often as they run; in a loop of unknown length, twice.
func Launches(v *facts.Variant, cares func(*facts.Kernel) bool) (n float64) {
	for k := range Kernels(v, cares) {
		if k.InLoop && k.Times <= 1 {
			n += 2
		} else {
			n += Runs(k)
		}
	}
	return n
}

// Any fits every kernel.
func Any(*facts.Kernel) bool { return true }

// IsCollective says whether a kernel exchanges something between devices.
func IsCollective(k *facts.Kernel) bool { return k.Class == facts.ClassCollective }

// One weighs a kernel that counts with one, and every other with none.
func One(is bool) int64 {
	if is {
		return 1
	}
	return 0
}

// CountOf is how often a word stands in a list.
func CountOf(list []string, word string) int {
	n := 0
	for _, w := range list {
		if w == word {
			n++
		}
	}
	return n
}
