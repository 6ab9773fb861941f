package race

import (
	"slices"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/price"
)

// Unwaited is a variant whose launches do not wait for the host: a profiler sees the kernels alone.
func Unwaited(v *facts.Variant) *facts.Variant {
	alone := *v
	alone.Kernels = slices.Clone(v.Kernels)
	for i, k := range alone.Kernels {
		form := *k.Form
		for _, waits := range []price.Amount{price.Queued, price.Decisions, price.Calls, price.Effects} {
			form.Work[waits] = 0
		}
		alone.Kernels[i].Form = &form
	}
	return &alone
}
