package rules

import "github.com/xlagate/xlagate/internal/diff"

var maxInstructions = Rule{
	ID:       "max-instructions",
	Title:    "the program has no more instructions than before",
	Category: Compilation,
	Why:      "A loop that was unrolled, or work that is traced twice, shows first as more instructions: compile time and code size follow.",
	Reads:    []Input{Optimized},
	Options: []Option{
		{Key: "stage", Type: Word, Sense: Neither, Enum: []string{"after", "before"}, Default: "after", Doc: "count them after XLA's optimizations, or before: as the framework traced the program"},
		onlyCostly,
	},
	Budget:  &Metric{Fact: "instructions.after", Noun: "instructions", Better: Lower},
	Fails:   Example{On: "cpu-unrolled_loop/after", Config: "- { rule: max-instructions, max_increase: 10% }", Says: "231 instructions: up from 50 in the baseline"},
	Passes:  Example{On: "cpu-unrolled_loop/after", Config: "- { rule: max-instructions, max: 231 }"},
	Mend:    "Look for a Python loop where lax.scan or vmap would do, and for a function that is called twice with the same arguments.",
	Threads: []string{"jax-ml/jax#2777", "openxla/xla#35719"},
	Since:   "1",
	Accepts: []string{"instructions.*", "kernels.*", "ledger"},
	Program: checkInstructions,
}

func checkInstructions(c *Context, p *diff.Program) {
	if c.Text("stage") == "after" {
		checkBudget(c, p)
		return
	}
	m := *c.Rule.Budget
	m.Fact, m.Noun = "instructions.before", "instructions before optimization"
	for _, v := range live(p) {
		if _, ok := v.New.Facts[m.Fact]; !ok {
			c.Uncovered(p.Name, Unoptimized, dumpMend)
			continue
		}
		c.judgeFact(p, v, m)
	}
}
