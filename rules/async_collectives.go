package rules

import (
	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/rule"
)

var asyncCollectives = rule.Rule{
	ID:    "async-collectives",
	Title: "collectives overlap with computation",
	Why: "A collective that starts early and is waited for late costs nothing. A scheduler flag or a data dependence puts start and wait next to each " +
		"other, and the device waits for the network.",
	Reads: []rule.Input{rule.Schedule},
	Options: []rule.Option{
		onlyKinds,
		{Key: "min_distance", Type: rule.Count, Default: 1.0, Doc: "how many kernels must run between its start and its end"},
		{Key: "min_ratio", Type: rule.Share, Doc: "the smallest share of collectives that must overlap with kernels, instead of all of them"},
		{Key: "min_bytes", Type: rule.Size, Default: 0.0, Doc: "ignore smaller collectives"},
		{
			Key: "overlap_lost", Type: rule.Switch, Default: false, Compares: true,
			Doc: "ignore more exposed collectives than in the baseline if no fewer overlap with kernels",
		},
	},
	Budget:  &rule.Metric{Noun: "exposed collectives", Better: rule.Lower},
	Forbids: true,
	Bounds:  []string{"min_ratio"},
	Fails:   rule.Example{On: "gpu-collectives", Config: "- { rule: async-collectives }", Says: "1 exposed collective: at most 0 allowed"},
	Passes:  rule.Example{On: "gpu-collectives", Config: "- { rule: async-collectives, min_ratio: 50% }"},
	Fix:     "Look at the latency-hiding scheduler's flags, and at what needs the collective's result right away.",
	Threads: []string{"openxla/xla#14397"},
	Variant: func(c *rule.Context, v *changes.Variant) {
		exposed, ok := v.New.Facts[facts.AsyncExposed]
		if !ok || !countsAsFact(c) && !scheduleKnown(v.New, exposed) {
			c.Uncovered(rule.Schedule, "dump a module that is scheduled: the optimized one of a GPU, a TPU or a recent CPU compiler")
			return
		}
		if !countsAsFact(c) {
			exposed = v.New.CountKernels(exposedCollective(c))
		}
		a := c.Budget(string(facts.AsyncExposed), exposed)
		if v.Old != nil {
			was, ok := v.Old.Facts[facts.AsyncExposed]
			a.SetBase(ok && countsAsFact(c), was)
			if c.On("overlap_lost") && a.Base != nil && v.New.Facts[facts.AsyncOverlapped] >= v.Old.Facts[facts.AsyncOverlapped] {
				a.Base = new(max(was, a.Actual))
			}
		}
		all := v.New.CountKernels(countedCollective(c))
		of := "of " + phrase.Counted(all, "", "collectives") + " can run beside kernels"
		for _, f := range c.JudgeShare(a, "min_ratio", "async.exposed.min_ratio", rule.PortionOf(all-a.Actual, all), of) {
			f.Cause, f.Evidence.After = v.Largest(exposedCollective(c)), changes.LinesOf(v.New.Kernels, exposedCollective(c))
		}
	},
}

// scheduleKnown reports whether the collectives know what runs beside them. Those of a stored result do not: it has only the fact.
func scheduleKnown(v *facts.Variant, exposed float64) bool {
	return exposed == v.CountKernels(func(k *facts.Kernel) bool { return k.Class == facts.ClassCollective && k.Overlapped == 0 })
}

// countsAsFact reports whether the settings count what the fact counts.
func countsAsFact(c *rule.Context) bool {
	distance, _ := c.Number("min_distance")
	least, _ := c.Number("min_bytes")
	return distance == 1 && least == 0 && c.List("kinds") == nil
}

func countedCollective(c *rule.Context) func(k *facts.Kernel) bool {
	return func(k *facts.Kernel) bool {
		return k.Class == facts.ClassCollective && hasMinBytes(c, k.Bytes) && ofKind(c, k)
	}
}

func exposedCollective(c *rule.Context) func(k *facts.Kernel) bool {
	return func(k *facts.Kernel) bool {
		distance, _ := c.Number("min_distance")
		return countedCollective(c)(k) && float64(k.Overlapped) < distance
	}
}
