package rules

var maxTempBytes = Rule{
	ID:       "max-temp-bytes",
	Title:    "the program needs no more temporary memory",
	Category: Memory,
	Why:      "Temporary memory is what makes a model that fitted yesterday run out of memory today, and nothing but the crash says so.",
	Reads:    []Input{BufferAssignment},
	Options:  []Option{minGrowth, cheaperInRoom},
	Budget:   &Metric{Fact: "memory.temp_bytes", Unit: "bytes", Noun: "temporary memory", Better: Lower},
	Fails:    Example{On: "cpu-fusion_callback_barrier/after", Config: "- { rule: max-temp-bytes, max: 32KiB, max_increase: 5% }", Says: "64.0 KiB of temporary memory: at most 32.0 KiB allowed; up from 0 B in the baseline"},
	Passes:   Example{On: "cpu-fusion_callback_barrier/after", Config: "- { rule: max-temp-bytes, max: 64KiB }"},
	Mend:     "Look at the buffers that grew: a value that is kept for later (a residual, a stacked scan output), or a fusion that was split and now writes what it used to keep in registers.",
	Threads:  []string{"marin-community/marin#5394", "openxla/xla#45912", "openxla/xla#27322"},
	Since:    "1",
	Accepts:  []string{"memory.*"},
	Program:  checkBudget,
}

// cheaperInRoom is the same of memory, of which a run that costs less may take more where that does not raise the peak.
var cheaperInRoom = Option{
	Key: unlessCheaper.Key, Type: Switch, Sense: Caps, Default: false,
	Doc: "let growth pass that a cheaper run is made of, as max-kernels does, where memory at its peak does not grow by more than max_increase, too",
}
