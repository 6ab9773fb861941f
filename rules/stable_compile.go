package rules

import (
	"fmt"
	"strings"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/result"
)

var stableCompile = Rule{
	ID:       "stable-compile",
	Title:    "compiling twice gives the same program",
	Category: Integrity,
	Why: "Autotuning and ties in the fusion pass make some compilers come to another program in every process: three classes in six runs have been seen. Numbers that flip by " +
		"themselves teach people to ignore the gate.",
	Reads: []Input{Samples},
	Options: []Option{
		{Key: "allow", Type: Globs, Doc: "facts that may differ: kernels.*, cost.*"},
	},
	Budget:  &Metric{Noun: "unstable facts", Better: Lower},
	Forbids: true,
	Fails:   Example{On: "cpu-unfused/*", Config: "- { rule: stable-compile }", Says: "13 facts are different from compile to compile, in 2 compiles: cost.bytes_accessed, cost.weighted_bytes_accessed, dtypes.f32, fusions.loop, fusions.total, instructions.after, 7 more"},
	Passes:  Example{On: "cpu-unfused/*", Config: "- { rule: stable-compile, allow: [\"*\"] }"},
	Mend:    "Pin autotuning results (--xla_gpu_load_autotune_results_from), switch autotuning off for the dump, or report the flapping pass.",
	Threads: []string{"openxla/xla#49047", "openxla/xla#15229"},
	Since:   "1",
	Check:   withoutBaseline,
	Program: checkStableCompile,
}

func checkStableCompile(c *Context, p *diff.Program) {
	if c.Target.Report.Samples < 2 {
		c.Uncovered(p.Name, Samples, "compile several times, each into a folder of its own, and say samples: 2 in the target")
		return
	}
	for _, v := range live(p) {
		names := c.flapping(v.New)
		if c.tolerates(Amount{Program: p, Variant: v, Subject: "unstable facts", Noun: "unstable facts", Actual: float64(len(names))}) {
			continue
		}
		c.Find(result.Finding{
			Program: p.Name, Variant: variantName(p, v), Subject: "unstable facts", Actual: float64(len(names)), Limit: 0.0,
			Message: fmt.Sprintf("%s different from compile to compile, in %d compiles: %s", are(len(names), "fact"), c.Target.Report.Samples, strings.Join(shorten(names, 6), ", ")),
			Cause:   &result.Cause{Summary: "the compiler came to another program from the same input", Source: SourceOf(firstSource(v.New))},
		})
	}
}

func (c *Context) flapping(v *facts.Variant) []string {
	var names []string
	for _, fact := range v.Unstable {
		if !fits(c.List("allow"), fact) {
			names = append(names, fact)
		}
	}
	return names
}
