package rules

import "github.com/xlagate/xlagate/internal/diff"

var maxPeakBytes = Rule{
	ID:       "max-peak-bytes",
	Title:    "the program needs no more memory at its peak",
	Category: Memory,
	Why:      "Arguments, outputs, constants and temporaries together decide whether a program fits on the device.",
	Reads:    []Input{LiveRange},
	Options:  []Option{memorySpace, minGrowth},
	Budget:   &Metric{Fact: "memory.peak_bytes", Unit: "bytes", Noun: "peak memory", Better: Lower},
	Fails:    Example{On: "cpu-unfused/after", Config: "- { rule: max-peak-bytes, max_increase: 5% }", Says: "257.0 KiB of peak memory: up from 129.0 KiB in the baseline (+99.2 %)"},
	Passes:   Example{On: "cpu-unfused/after", Config: "- { rule: max-peak-bytes, max: 1MiB }"},
	Mend:     "See which part grew (xlagate inspect): arguments, outputs, constants or temporaries; each has its own rule and its own cure.",
	Threads:  []string{"jax-ml/jax#30627", "openxla/xla#17124"},
	Since:    "1",
	Accepts:  []string{"memory.*"},
	Check:    checkSpace,
	Program:  checkPeak,
}

func checkPeak(c *Context, p *diff.Program) {
	space := c.Text(memorySpace.Key)
	if space == "" {
		checkBudget(c, p)
		return
	}
	for _, v := range live(p) {
		c.judgeSpace(p, v, space)
	}
}
