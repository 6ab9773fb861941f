package rules

import (
	"fmt"
	"math"
	"strings"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/rule"
)

var threadsKept = rule.Rule{
	ID:      "threads-kept",
	Title:   "nothing moves to another execution thread or away from it",
	Why:     "A newer compiler that hands small gathers to the SparseCore changes the time of a step, and no operation of the model.",
	Reads:   []rule.Input{rule.Optimized, rule.Baseline},
	Options: []rule.Option{{Key: "threads", Type: rule.Globs, Doc: "only these threads: sparsecore, host"}},
	Budget:  &rule.Metric{Noun: "launches that came to a thread or left it", Better: rule.Lower, Difference: true},
	Fails:   rule.Example{On: "tpu-gather_offloaded/after", Config: "- { rule: threads-kept }", Says: "1 launch on the thread sparsecore, 0 in the baseline"},
	Passes:  rule.Example{On: "tpu-gather_offloaded/before", Base: "tpu-gather_offloaded/before", Config: "- { rule: threads-kept }"},
	Fix:     "Look at the compiler's flags (--xla_tpu_offload_gather_to_sparsecore) and at compute_on in the model. Accept it if it is faster.",
	Threads: []string{"jax-ml/jax#40553", "sgl-project/sglang-jax#1613"},
	Variant: func(c *rule.Context, v *changes.Variant) {
		var moved float64
		var said []string
		was, is := v.Old.Facts.Members(facts.Thread), v.New.Facts.Members(facts.Thread)
		for _, thread := range eitherHas(was, is) {
			if only := c.List("threads"); is[thread] == was[thread] || len(only) > 0 && !phrase.AnyGlob(only, thread) {
				continue
			}
			moved += math.Abs(is[thread] - was[thread])
			said = append(said, fmt.Sprintf("%s on the thread %s, %s in the baseline", phrase.Some(int(is[thread]), "launch"), thread, phrase.Number(was[thread])))
		}
		if f := c.JudgeDifferences("threads", moved); f != nil {
			f.Message = strings.Join(said, "; ")
			f.Cause, f.Evidence = v.Growth(func(k *facts.Kernel) bool { return k.Thread != "" })
		}
	},
}
