package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/rule"
)

var noRecompilation = rule.Rule{
	ID:    "no-recompilation",
	Title: "a program is not compiled again for every shape",
	Why:   "A new shape, dtype, static value or closed-over constant compiles the whole program again, silently: seconds to minutes in which the device waits.",
	Options: []rule.Option{
		{Key: "max_variants", Type: rule.Count, Means: "max", Doc: "how many compilations a program may have; by default, no more than in the baseline"},
		{Key: "ignore_args", Type: rule.Globs, Empty: true, Doc: "arguments that may differ"},
	},
	Budget: &rule.Metric{Noun: "compilations", Better: rule.Lower},
	Fails: rule.Example{On: "recompile-shapes", Config: "- { rule: no-recompilation, max_variants: 1 }",
		Says: "compiled 3 times, 1 allowed: x: f32[8,128] → f32[16,128] → f32[32,128]"},
	Passes: rule.Example{On: "recompile-shapes_fixed", Config: "- { rule: no-recompilation, max_variants: 1 }"},
	Fix: "Pad or bucket the argument that varies; pass a value as an array, not as a Python number; create the jitted function once, outside the loop. In PyTorch/XLA, read " +
		"values and call torch_xla.sync() once, at the end of the step.",
	Threads: []string{"tensorflow/tensorflow#81896", "vllm-project/vllm#14580", "google-deepmind/mujoco#2306", "jax-ml/jax#31319"},
	Program: func(c *rule.Context, p *changes.Program) {
		if p.New == nil {
			return
		}
		a := c.Budget("variants", float64(p.New.Compilations()-ignoredVariants(c, p)))
		if p.Old != nil {
			a.Base = new(float64(p.Old.Compilations()))
		}
		if f := c.Judge(a); f != nil {
			f.Message = fmt.Sprintf("compiled %s, %s", phrase.Times(a.Actual), permitted(c, a, f.Limit))
			if a.Actual > 1 {
				f.Message += ": " + whyCompiled(p)
			}
			f.Cause = p.CompiledAgain(c.Target.Report.Logs)
			for i, v := range p.New.Variants {
				if added := p.Added(); len(added) > 0 && !slices.Contains(added, v) {
					continue // it was accepted
				}
				f.Evidence.After = append(f.Evidence.After, tellingArguments(p, i)+"  "+strings.Join(v.Modules, ", "))
			}
		}
	},
}

// tellingArguments returns the arguments and values in which a variant differs from the others; all arguments if there are none.
func tellingArguments(p *changes.Program, variant int) string {
	var list []string
	for _, a := range p.Recompile {
		switch {
		case variant >= len(a.Values):
		case a.Name == "":
			list = append(list, "with the value "+a.Values[variant])
		default:
			list = append(list, a.Name+": "+a.Values[variant])
		}
	}
	if len(list) == 0 {
		return p.New.Variants[variant].Signature
	}
	return strings.Join(phrase.First(list, 4), ", ")
}

// permitted says how often a program may be compiled: "1 allowed", "1 in the baseline".
func permitted(c *rule.Context, a rule.Amount, limit any) string {
	switch {
	case c.Max != nil && a.Actual > *c.Max, c.Equal != nil:
		return fmt.Sprintf("%v allowed", limit)
	case *a.Base == limit:
		return fmt.Sprintf("%v in the baseline", limit)
	}
	return fmt.Sprintf("%v in the baseline, at most %v allowed", *a.Base, limit)
}

// ignoredVariants counts the variants that differ from an earlier one only in arguments that may differ.
func ignoredVariants(c *rule.Context, p *changes.Program) int {
	globs := c.List("ignore_args")
	counts := func(a changes.ArgumentChange) bool { return !phrase.AnyGlob(globs, a.Name) }
	if globs == nil || slices.ContainsFunc(p.Recompile, counts) {
		return 0
	}
	return len(p.New.Variants) - 1
}

// whyCompiled says what differs from compile to compile, and what PyTorch/XLA says of it. Where a graph ended because a value in it was
// asked for, that is why the arguments differ.
func whyCompiled(p *changes.Program) string {
	why, cuts := strings.Join(p.Differences(), "; "), changes.Cuts(p.New)
	switch {
	case cuts == "":
		return why
	case len(changes.ValueReads([]*changes.Program{p})) > 0:
		return "PyTorch/XLA compiled it " + cuts + "; " + why
	}
	return why + "; PyTorch/XLA compiled it " + cuts
}
