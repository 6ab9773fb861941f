package rules

import (
	"slices"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/rule"
)

var maxKernels = rule.Rule{
	ID:    "max-kernels",
	Title: "no more kernels are launched than before",
	Why: "Every kernel costs a launch and a round trip of its operands through memory. A change that splits fusions shows as more kernels long before " +
		"anybody measures the step time.",
	Options: []rule.Option{
		{Key: "scope", Type: rule.Word, Enum: []string{"all", "entry"}, Default: "all", Doc: "every reachable computation (loop bodies and branches once), or only the entry"},
		{Key: "weighted_by_trip_count", Type: rule.Switch, Default: false, Doc: "count a kernel by the trip count of its loop, where that is known"},
		{Key: "kind", Type: rule.Words, Enum: rule.KernelKinds, Doc: "count only these kinds"},
		{Key: "exclude", Type: rule.Globs, Empty: true, Doc: "leave out kernels whose op_name matches"},
	},
	Needs:  facts.KernelsTotal,
	Budget: rule.FactMetric(facts.KernelsTotal, "kernels"),
	Fails: rule.Example{On: "gpu-softmax_barrier/after", Config: "- { rule: max-kernels, program: softmax, max: 3, max_increase: 0 }",
		Says: "4 kernels: at most 3 allowed; up from 1 in the baseline"},
	Passes:  rule.Example{On: "gpu-softmax_barrier/before", Config: "- { rule: max-kernels, program: softmax, max: 1 }"},
	Fix:     "Look at the source line that the finding names: what separates the operations? If the kernels are wanted, accept them.",
	Threads: []string{"jax-ml/jax#33338", "openxla/xla#29620", "openxla/xla#6370"},
	Variant: func(c *rule.Context, v *changes.Variant) {
		subject := "kernels." + c.Text("scope")
		if c.On("weighted_by_trip_count") {
			subject += ".weighted"
		}
		for _, kind := range c.List("kind") {
			subject += "." + kind
		}
		a := c.Count(subject, func(v *facts.Variant) float64 { return countKernels(c, v) })
		rule.Explain(c.Judge(a), v.Growth, countsKernel(c))
	},
}

func countKernels(c *rule.Context, v *facts.Variant) float64 {
	if c.Text("scope") != "entry" && !c.On("weighted_by_trip_count") && c.List("kind") == nil && c.List("exclude") == nil {
		return v.Facts[facts.KernelsTotal]
	}
	if !c.On("weighted_by_trip_count") {
		return v.CountKernels(countsKernel(c))
	}
	var n float64
	for k := range v.KernelsThat(countsKernel(c)) {
		n += k.Runs()
	}
	return n
}

func countsKernel(c *rule.Context) func(k *facts.Kernel) bool {
	return func(k *facts.Kernel) bool {
		if !k.Class.Computes() {
			return false
		}
		if c.Text("scope") == "entry" && !k.InEntry {
			return false
		}
		if kinds := c.List("kind"); kinds != nil && !slices.Contains(kinds, k.Kind) {
			return false
		}
		return !phrase.AnyGlob(c.List("exclude"), k.OpName)
	}
}
