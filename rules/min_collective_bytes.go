package rules

import (
	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/rule"
)

var minCollectiveBytes = rule.Rule{
	ID:    "min-collective-bytes",
	Title: "collectives are large enough to be worth starting",
	Why:   "Every collective pays its latency before the first byte moves. When something separates small ones, XLA cannot combine them.",
	Options: []rule.Option{
		onlyKinds,
		{Key: "only_more", Type: rule.Switch, Default: false, Doc: "allow smaller transfers while there are no more of them than in the baseline"},
	},
	Budget: &rule.Metric{Unit: "bytes", Noun: "bytes a collective", Better: rule.Higher},
	Fails: rule.Example{On: "cpu-sharding_allgather/before", Config: "- { rule: min-collective-bytes, kinds: [all-reduce], min: 1MiB }",
		Says: "514 B of one all-reduce on average: at least 1.0 MiB wanted"},
	Passes:  rule.Example{On: "cpu-sharding_allgather/before", Config: "- { rule: min-collective-bytes, kinds: [all-reduce], min: 512 }"},
	Fix:     "Look at the thresholds of the combiner passes, and at what separates the collectives; reduce gradients as one tree.",
	Threads: []string{"openxla/xla#6126"},
	Variant: func(c *rule.Context, v *changes.Variant) {
		c.Checked()
		for _, kind := range collectiveKinds(c, v) {
			judgeAverage(c, v, kind)
		}
	},
}

// judgeAverage judges what the collectives of one kind move on average.
func judgeAverage(c *rule.Context, v *changes.Variant, kind string) {
	of := func(k *facts.Kernel) bool { return k.IsCollective() && k.Target == kind }
	n := v.New.CountKernels(of)
	if n == 0 {
		return
	}
	a := c.Budget(kind+" bytes", v.New.KernelBytes(of)/n)
	a.Noun = "one " + kind + " on average"
	if v.Old != nil {
		if was := v.Old.CountKernels(of); was > 0 {
			a.Base = new(v.Old.KernelBytes(of) / was)
			if c.On("only_more") && n <= was {
				a.Base = &a.Actual
			}
		}
	}
	if f := c.Judge(a); f != nil {
		f.Cause, f.Evidence = smallest(v.New, of), changes.Evidence{After: changes.LinesOf(v.New.Kernels, of)}
	}
}

// smallest names the kernel that moves the fewest bytes.
func smallest(v *facts.Variant, cares func(*facts.Kernel) bool) *changes.Cause {
	var least *facts.Kernel
	for k := range v.KernelsThat(cares) {
		if least == nil || k.Bytes < least.Bytes {
			least = k
		}
	}
	if least == nil {
		return nil
	}
	return changes.CauseAt("the smallest is "+least.Describe(), least)
}
