package rules

var maxCopies = Rule{
	ID:       "max-copies",
	Title:    "no copy is added to the program",
	Category: Memory,
	Why:      "A copy is a buffer that XLA could not update in place, or a layout that two operations do not share.",
	Reads:    []Input{Optimized},
	Options:  []Option{onlyCostly},
	Budget:   &Metric{Fact: "copies.count", Noun: "copies", Better: Lower},
	Fails:    Example{On: "cpu-unrolled_loop/before", Config: "- { rule: max-copies, max: 1 }", Says: "2 copies: at most 1 allowed"},
	Passes:   Example{On: "cpu-unrolled_loop/after", Config: "- { rule: max-copies, max_increase: 0 }"},
	Mend:     "Look at what reads the copied value after it is overwritten; donate arguments that are replaced.",
	Threads:  []string{"jax-ml/jax#17845", "AI-Hypercomputer/torchprime#119"},
	Since:    "1",
	Accepts:  []string{"copies.*", "ledger"},
	Program:  checkBudget,
}
