package rules

var maxOutputBytes = Rule{
	ID:       "max-output-bytes",
	Title:    "the program returns no more than it did",
	Category: Memory,
	Why:      "A result that is returned must be written to memory: an intermediate that is returned as well can no longer stay inside a fusion.",
	Reads:    []Input{BufferAssignment},
	Budget:   &Metric{Fact: "memory.output_bytes", Unit: "bytes", Noun: "results", Better: Lower},
	Fails:    Example{On: "gpu-intermediate_out/after", Config: "- { rule: max-output-bytes, max_increase: 0 }", Says: "128.0 KiB of results: up from 64.0 KiB in the baseline (+100.0 %)"},
	Passes:   Example{On: "gpu-intermediate_out/after", Config: "- { rule: max-output-bytes, max: 128.02KiB }"},
	Mend:     "Return it only where it is needed: from another function, or behind a debug switch.",
	Threads:  []string{"AI-Hypercomputer/maxtext#4405"},
	Since:    "1",
	Accepts:  []string{"memory.*"},
	Program:  checkBudget,
}
