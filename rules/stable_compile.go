package rules

import (
	"fmt"
	"strings"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/rule"
)

var stableCompile = rule.Rule{
	ID:      "stable-compile",
	Title:   "several compiles of the same source give the same program",
	Why:     "With autotuning and ties in the fusion pass, some compilers produce another program in every process. With another key, JAX's cache compiles the same one again.",
	Reads:   []rule.Input{rule.Samples},
	Options: []rule.Option{{Key: "allow", Type: rule.Globs, Empty: true, Doc: "facts that may differ: kernels.*, cost.*, cache-key"}},
	Budget:  &rule.Metric{Noun: "unstable facts", Better: rule.Lower},
	Forbids: true,
	Fails: rule.Example{On: "cpu-set_order_shuffled/*", Config: "- { rule: stable-compile }",
		Says: "17 facts are different from compile to compile, in 2 compiles: cost.bytes_accessed, cost.flops, cost.transcendentals, cost.weighted_bytes_accessed, cost.weighted_flops, dtypes.f32, 11 more"},
	Passes: rule.Example{On: "cpu-set_order_sorted/*", Config: "- { rule: stable-compile }"},
	Fix: "If the source is traced differently each time, sort what is iterated over. If the compiler differs, pin autotuning results " +
		"(--xla_gpu_load_autotune_results_from) or turn autotuning off. If only the key does, keep addresses out of names and paths out of kernels " +
		"(JAX_HLO_SOURCE_FILE_CANONICALIZATION_REGEX='.*/').",
	Threads: []string{"openxla/xla#49047", "openxla/xla#15229", "jax-ml/jax#35699", "jax-ml/jax#16649"},
	Variant: func(c *rule.Context, v *changes.Variant) {
		if c.Target.Report.Samples < 2 {
			c.Uncovered(rule.Samples, "compile several times, each into a folder of its own, and set samples: 2 in the target")
			return
		}
		if c.Target.Report.Toolchain.Framework == "jax" && !v.New.KeyKnown && !phrase.AnyGlob(c.List("allow"), facts.CacheKey) {
			c.NotCovered = append(c.NotCovered, fmt.Sprintf("%s (the dump does not say which keys %s has in JAX's compilation cache)", c.Rule.ID, c.Program.Name))
		}
		names := flapping(c, v.New)
		a := c.Count("unstable facts", func(v *facts.Variant) float64 { return float64(len(flapping(c, v))) })
		if f := c.Judge(a); f != nil {
			f.Message = fmt.Sprintf("%s different from compile to compile, in %d compiles: %s",
				phrase.Are(len(names), "fact"), c.Target.Report.Samples, strings.Join(phrase.First(names, 6), ", "))
			f.Cause = &changes.Cause{Title: "the compiler made another program of the same input", Source: v.New.FirstSource()}
			if v.New.InputVaries {
				f.Cause.Title = "the model was traced to another program each time: the order of a set or a random value decides what it computes"
			}
			if d := v.New.KeyDiffers; d != nil && len(names) == 1 && names[0] == facts.CacheKey {
				f.Message = fmt.Sprintf("the same program has another key in JAX's compilation cache: %s in one compile, %s in another", d.First, d.Other)
				f.Cause.Title = "JAX's compilation cache misses: the key of the same program differs from compile to compile"
				f.Evidence = changes.Evidence{Before: d.Lines[:1], After: d.Lines[1:]}
				if d.Source.Line > 0 {
					f.Cause.Source = d.Source
				}
			}
		}
	},
}

// flapping are the facts that differ from compile to compile. What a run is predicted to cost is worked out from the others, and no fact of the compile.
func flapping(c *rule.Context, v *facts.Variant) []string {
	return phrase.Filter(v.Unstable, func(fact string) bool {
		return !facts.About(facts.ID(fact)).Derived && !phrase.AnyGlob(c.List("allow"), fact)
	})
}
