package rules

var maxTransposes = Rule{
	ID:       "max-transposes",
	Title:    "no transpose is added to the program",
	Category: Memory,
	Why:      "A transpose moves every byte and computes nothing. It appears when two operations want different layouts.",
	Reads:    []Input{Optimized},
	Options:  []Option{cheaperTurned},
	Budget:   &Metric{Fact: "transposes.count", Noun: "transposes", Better: Lower},
	Fails:    Example{On: "cpu-extra_transpose/after", Config: "- { rule: max-transposes, max: 1 }", Says: "2 transposes: at most 1 allowed"},
	Passes:   Example{On: "cpu-extra_transpose/after", Config: "- { rule: max-transposes, max_increase: 0 }"},
	Mend:     "Give the operation its operand in the layout that it wants: change the einsum's order, or transpose once outside the step.",
	Threads:  []string{"jax-ml/jax#33338", "openxla/xla#47203"},
	Since:    "1",
	Accepts:  []string{"transposes.*", "kernels.*", "ledger"},
	Program:  checkBudget,
}

// cheaperTurned is the same of transposes: one that stands in a kernel of its own is launched, and one that does not is read on the way.
var cheaperTurned = Option{
	Key: unlessCheaper.Key, Type: Switch, Sense: Caps, Default: false,
	Doc: "let growth pass that a cheaper run is made of, as max-kernels does, and in a program that launches and computes no more and moves clearly less",
}
