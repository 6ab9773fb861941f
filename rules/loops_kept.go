package rules

import (
	"slices"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/result"
)

var loopsKept = Rule{
	ID:       "loops-kept",
	Title:    "loops are not unrolled",
	Category: Compilation,
	Why:      "A scan that became a Python loop compiles its body once for every step: compile time, code size and temporary memory grow with the number of layers.",
	Reads:    []Input{Optimized},
	Budget:   &Metric{Fact: "loops.while", Noun: "loops", Better: Exact},
	Fails:    Example{On: "cpu-unrolled_loop/after", Config: "- { rule: loops-kept }", Says: "0 loops: down from 1 in the baseline"},
	Passes:   Example{On: "cpu-unrolled_loop/before", Config: "- { rule: loops-kept }"},
	Mend:     "Use lax.scan or lax.fori_loop where a Python loop repeats the same layer.",
	Threads:  []string{"jax-ml/jax#2777", "openxla/xla#35719"},
	Since:    "1",
	Accepts:  []string{"loops.*", "instructions.*", "kernels.*", "fusions.*", "ledger"},
	Explains: allGrowth,
	Program:  checkLoopsKept,
}

func checkLoopsKept(c *Context, p *diff.Program) {
	if !c.bounded() { // a loop more is a change like any other
		c = c.with(func(s *Settings) { s.MaxDecrease = &Change{} })
	}
	for _, v := range live(p) {
		if _, ok := v.New.Facts[c.Rule.Budget.Fact]; !ok {
			c.Uncovered(p.Name, Optimized, dumpMend)
			continue
		}
		a := c.amount(p, v, *c.Rule.Budget, c.Rule.Budget.Fact)
		a.Cause = func() (*result.Cause, result.Evidence) { return explainLoops(v) }
		a.Excused = a.Base != nil && a.Actual < *a.Base && !unrolled(v)
		c.Judge(a)
	}
}

// unrolled says whether the program became longer: a loop that went without that was not unrolled, but is not needed any more.
func unrolled(v *diff.Variant) bool {
	return v.New.Facts["instructions.after"] > v.Old.Facts["instructions.after"] || launched(v.New) > launched(v.Old)
}

// explainLoops names the place of the model that a loop went from, else what brought most kernels into the program: the body of a
// loop that was unrolled.
func explainLoops(v *diff.Variant) (*result.Cause, result.Evidence) {
	for i := range v.Causes {
		if c := &v.Causes[i]; slices.ContainsFunc(c.Edits, lostLoop) {
			return causeFrom(c), evidence(c, anyKernel)
		}
	}
	return explainBy(v, anyKernel, func(*facts.Kernel) int64 { return 1 })
}

func lostLoop(e diff.Edit) bool {
	return slices.ContainsFunc(e.Removed, func(s diff.Step) bool { return s.Opcode == "while" })
}
