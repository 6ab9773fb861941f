package rules

import (
	"iter"

	"github.com/xlagate/xlagate/internal/facts"
)

// kernelsThat are the kernels of a program that a rule cares for, in their order.
func kernelsThat(v *facts.Variant, cares func(*facts.Kernel) bool) iter.Seq[*facts.Kernel] {
	return func(yield func(*facts.Kernel) bool) {
		for i := range v.Kernels {
			if k := &v.Kernels[i]; cares(k) && !yield(k) {
				return
			}
		}
	}
}

func countThat(v *facts.Variant, cares func(*facts.Kernel) bool) (n float64) {
	for range kernelsThat(v, cares) {
		n++
	}
	return n
}

// bytesThat is how much these kernels read and write, those in loops once.
func bytesThat(v *facts.Variant, cares func(*facts.Kernel) bool) (n float64) {
	for k := range kernelsThat(v, cares) {
		n += float64(k.Bytes)
	}
	return n
}

// runs is how often a kernel runs, as far as that is known.
func runs(k *facts.Kernel) float64 { return float64(max(k.Times, 1)) }

// runsOf counts launches as often as they run; in a loop of unknown length, twice.
func runsOf(v *facts.Variant, cares func(*facts.Kernel) bool) (n float64) {
	for k := range kernelsThat(v, cares) {
		if k.InLoop && k.Times <= 1 {
			n += 2
		} else {
			n += runs(k)
		}
	}
	return n
}

func anyKernel(*facts.Kernel) bool { return true }

func computes(k *facts.Kernel) bool {
	return k.Class == facts.ClassKernel || k.Class == facts.ClassLibrary
}

func isCollective(k *facts.Kernel) bool { return k.Class == facts.ClassCollective }

// oneIf weighs a kernel that counts with one, and every other with none.
func oneIf(is bool) int64 {
	if is {
		return 1
	}
	return 0
}

// countOf is how often a word stands in a list.
func countOf(list []string, word string) int {
	n := 0
	for _, w := range list {
		if w == word {
			n++
		}
	}
	return n
}
