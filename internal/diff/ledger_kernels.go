package diff

import (
	"iter"

	"github.com/xlagate/xlagate/internal/facts"
)

// KernelsOf are the kernels of a program that a rule cares for, in their order.
func KernelsOf(v *facts.Variant, cares func(*facts.Kernel) bool) iter.Seq[*facts.Kernel] {
	return func(yield func(*facts.Kernel) bool) {
		for i := range v.Kernels {
			if k := &v.Kernels[i]; cares(k) && !yield(k) {
				return
			}
		}
	}
}

// CountKernels is how many of them there are.
func CountKernels(v *facts.Variant, cares func(*facts.Kernel) bool) (n float64) {
	for range KernelsOf(v, cares) {
		n++
	}
	return n
}

// BytesOf is how much these kernels read and write, those in loops once.
func BytesOf(v *facts.Variant, cares func(*facts.Kernel) bool) (n float64) {
	for k := range KernelsOf(v, cares) {
		n += float64(k.Bytes)
	}
	return n
}

// RunsOf is how often a kernel runs, as far as that is known.
func RunsOf(k *facts.Kernel) float64 { return float64(max(k.Times, 1)) }

// LaunchesOf counts launches as often as they run; in a loop of unknown length, twice.
func LaunchesOf(v *facts.Variant, cares func(*facts.Kernel) bool) (n float64) {
	for k := range KernelsOf(v, cares) {
		if k.InLoop && k.Times <= 1 {
			n += 2
		} else {
			n += RunsOf(k)
		}
	}
	return n
}

// AnyKernel fits every kernel.
func AnyKernel(*facts.Kernel) bool { return true }

// IsCollective says whether a kernel exchanges something between devices.
func IsCollective(k *facts.Kernel) bool { return k.Class == facts.ClassCollective }

// Flag weighs a kernel that counts with one, and every other with none.
func Flag(is bool) int64 {
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
