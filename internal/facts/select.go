package facts

import (
	"iter"
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
)

// KernelsThat yields the kernels that fit, in the order of the schedule.
func (v *Variant) KernelsThat(fits func(*Kernel) bool) iter.Seq[*Kernel] {
	return func(yield func(*Kernel) bool) {
		for i := range v.Kernels {
			if k := &v.Kernels[i]; fits(k) && !yield(k) {
				return
			}
		}
	}
}

// CountKernels returns how many kernels fit.
func (v *Variant) CountKernels(fits func(*Kernel) bool) (n float64) {
	for range v.KernelsThat(fits) {
		n++
	}
	return n
}

// KernelBytes returns how many bytes the kernels that fit read and write, each kernel counted once.
func (v *Variant) KernelBytes(fits func(*Kernel) bool) (n float64) {
	for k := range v.KernelsThat(fits) {
		n += float64(k.Bytes)
	}
	return n
}

// Launches returns how often a run launches the kernels that fit. A kernel in a loop of unknown length counts twice.
func (v *Variant) Launches(fits func(*Kernel) bool) (n float64) {
	for k := range v.KernelsThat(fits) {
		if k.InLoop && k.Times <= 1 {
			n += 2
		} else {
			n += k.Runs()
		}
	}
	return n
}

// KernelsAndCopies returns the number of kernels, and of copies of more than a single number.
func (v *Variant) KernelsAndCopies() float64 {
	return v.Facts[KernelsTotal] + v.CountKernels(func(k *Kernel) bool { return k.Class == ClassCopy && !strings.HasSuffix(k.Out, "[]") })
}

// CustomCallRuns returns how often a run calls custom calls. Nobody knows what those cost: work that moved into one looks as if it were gone.
func (v *Variant) CustomCallRuns() (n float64) {
	for k := range v.KernelsThat(func(k *Kernel) bool { return k.Target != "" && !k.IsCollective() }) {
		n += k.Runs()
	}
	return n
}

// FirstSource returns the first known line of the model that a kernel comes from.
func (v *Variant) FirstSource() hlo.Location {
	for i := range v.Kernels {
		if v.Kernels[i].Source.File != "" {
			return v.Kernels[i].Source
		}
	}
	return hlo.Location{}
}

// AnyKernel fits every kernel.
func AnyKernel(*Kernel) bool { return true }

// FirstKernel returns the first kernel that fits and has a known line, else the first one that fits; nil when none does.
func FirstKernel(kernels []Kernel, fits func(*Kernel) bool) *Kernel {
	var found *Kernel
	for i := range kernels {
		k := &kernels[i]
		switch {
		case !fits(k):
		case k.Source.File != "":
			return k
		case found == nil:
			found = k
		}
	}
	return found
}

// Runs returns how often a run launches the kernel, as far as that is known.
func (k *Kernel) Runs() float64 { return float64(max(k.Times, 1)) }

// IsCollective reports whether the kernel exchanges data between devices.
func (k *Kernel) IsCollective() bool { return k.Class == ClassCollective }

// CostsLaunch reports whether the kernel computes or copies something.
func (k *Kernel) CostsLaunch() bool { return k.Class.Computes() || k.Class == ClassCopy }

// ConstantBytes returns the bytes of all constants in the module. The buffer assignment is not always dumped, and does not count those that were
// folded into kernels.
func (v *Variant) ConstantBytes() (n float64) {
	for _, c := range v.Constants {
		n += float64(c.Bytes)
	}
	return n
}
