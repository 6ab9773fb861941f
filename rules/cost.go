package rules

import (
	"fmt"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/price"
	"github.com/xlagate/xlagate/internal/rule"
)

// The rules that hold a fact to a limit, and are no more than their description.
var (
	maxFlops = rule.Rule{
		ID:      "max-flops",
		Title:   "the program does no more arithmetic",
		Why:     "More arithmetic for the same result is work done twice: a forward pass that is recomputed, a common subexpression that is no longer shared.",
		Budget:  rule.FactMetric(facts.CostFlops, "floating-point operations"),
		Fails:   rule.Example{On: "cpu-f64_creep/after", Config: "- { rule: max-flops, max_increase: 1% }", Says: "82,047 floating-point operations: up from 65,599 in the baseline"},
		Passes:  rule.Example{On: "cpu-f64_creep/after", Config: "- { rule: max-flops, max: 100000 }"},
		Fix:     "Look for what is computed twice: an aux output that runs the model again, a checkpoint that covers too much.",
		Threads: []string{"marin-community/marin#1714"},
		Accepts: []string{"cost.*"},
	}
	maxBytesAccessed = rule.Rule{
		ID:      "max-bytes-accessed",
		Title:   "no more memory traffic than before",
		Why:     "Most kernels wait for memory. The bytes that they read and write, by XLA's own cost model, rise when a fusion is lost, a layout changes or a type is widened.",
		Budget:  rule.FactMetric(facts.CostBytes, "memory traffic"),
		Fails:   rule.Example{On: "gpu-softmax_barrier/after", Config: "- { rule: max-bytes-accessed, max_increase: 5% }", Says: "769.0 KiB of memory traffic: up from 256.0 KiB in the baseline (+200.4 %)"},
		Passes:  rule.Example{On: "gpu-softmax_barrier/after", Config: "- { rule: max-bytes-accessed, max: 769KiB }"},
		Fix:     "Look at the kernels that are new or changed: each reads its operands and writes its result once.",
		Threads: []string{"marin-community/marin#1714"},
		Accepts: []string{"cost.*"},
	}
	maxEstimatedCycles = rule.Rule{
		ID:    "max-estimated-cycles",
		Title: "the compiler's estimate of cycles does not grow",
		Why: "The TPU compiler writes down how many cycles it expects for every operation. This is a model, not a measurement, but it shows what the number of kernels does " +
			"not: a layout with padding, a fusion that became slower.",
		Reads:   []rule.Input{rule.Codegen},
		Budget:  rule.FactMetric(facts.CostCycles, "estimated cycles"),
		Level:   "warning",
		Fails:   rule.Example{On: "tpu-precision/after", Config: "- { rule: max-estimated-cycles, max_increase: 5% }", Says: "18,532 estimated cycles: up from 10,168 in the baseline"},
		Passes:  rule.Example{On: "tpu-precision/before", Config: "- { rule: max-estimated-cycles, max_increase: 5% }"},
		Fix:     "Look at the kernels that are new or changed; `xlagate inspect` lists the bytes that each moves.",
		Threads: []string{"marin-community/marin#1714"},
		Accepts: []string{"cost.*"},
	}
)

var maxStepTime = rule.Rule{
	ID:    "max-step-time",
	Title: "the predicted step time does not grow",
	Why: "Programs are tuned for step time, and no count shows it: one more kernel may be faster, and the same kernels may be slower. The prediction prices every " +
		"launch on a device by what it computes, moves, sends and waits for. It models the device and does not depend on the machine that computes it; docs/price.md says how good it is. " +
		"Work that moves into a call of unknown cost would look cheaper, so launches without a price may not increase.",
	Budget:  rule.FactMetric(facts.PriceStep, "predicted step time"),
	Fails:   rule.Example{On: "cpu-fusion_callback_barrier/after", Config: "- { rule: max-step-time, max: 20us, max_increase: 2% }", Says: "88.2 µs of predicted step time: at most 20 µs allowed; up from 21.4 µs in the baseline (+312.7 %)"},
	Passes:  rule.Example{On: "cpu-fusion_callback_barrier/after", Config: "- { rule: max-step-time, max: 1s }"},
	Fix:     "`xlagate inspect` lists the kernels that take longest, `xlagate diff` those that became more expensive. If the target runs on another device than the dump's, set `device:`.",
	Threads: []string{"openxla/xla#27322"},
	Accepts: []string{"price.*", "cost.*", "kernels.*", "fusions.*", "copies.*", "transposes.*", "collectives.*", "loops.*", "kernel list"}, // the price follows from the launches
	Variant: checkStepTime,
}

func checkStepTime(c *rule.Context, v *diff.Variant) {
	c.JudgeFact(*c.Rule.Budget)
	if v.Knows(facts.PriceUnpriced) && (c.MaxIncrease != nil || !c.AbsolutelyBounded()) {
		checkUnpriced(c, v)
	}
}

func unpriced(k *facts.Kernel) bool { return k.Work[price.Unknown] > 0 }

// checkUnpriced finds launches that gained no price: work that moves into an unknown call looks cheaper than it is. So does an unknown call
// in the place of another.
func checkUnpriced(c *rule.Context, v *diff.Variant) {
	m := rule.Metric{Fact: facts.PriceUnpriced, Noun: "launches without a price"}
	a := c.AmountOf(m, m.Fact)
	has := phrase.Count(int(a.Actual), "launch has", "launches have")
	says := fmt.Sprintf("%s no price: at most %s in the baseline", has, phrase.Number(v.Old.Facts[m.Fact]))
	if a.Actual <= v.Old.Facts[m.Fact] {
		known := map[string]bool{}
		for k := range v.Old.KernelsThat(unpriced) {
			known[k.Target] = true
		}
		a.Actual = v.New.CountKernels(func(k *facts.Kernel) bool { return unpriced(k) && !known[k.Target] })
		a.SetBase(true, 0)
		says = phrase.Count(int(a.Actual), "launch", "launches") + " without a price calls what the baseline does not"
	}
	if f := c.ForbidMore(a); f != nil {
		f.Message = says
		f.Cause, f.Evidence = v.Growth(unpriced)
	}
}

var maxCodeBytes = rule.Rule{
	ID:    "max-code-bytes",
	Title: "the generated code does not grow",
	Why: "The HLO does not show the code that the back end generates: a loop once ran 37,000 times slower with the same optimized HLO to the byte. The size of the LLVM IR, " +
		"or of the PTX, is the only sign of it in a dump.",
	Reads:   []rule.Input{rule.Code},
	Budget:  rule.FactMetric(facts.CodeLLVMBytes, "generated code"),
	Level:   "info",
	Fails:   rule.Example{On: "gpu-intermediate_out/after", Config: "- { rule: max-code-bytes, max_increase: 5% }", Says: "2.6 KiB of generated code: up from 2.3 KiB in the baseline (+10.4 %)"},
	Passes:  rule.Example{On: "gpu-intermediate_out/after", Config: "- { rule: max-code-bytes, max: 1MiB }"},
	Fix:     "Compare the .ll or .ptx files of the kernel that grew; if nothing in the model explains it, report it to the compiler's developers.",
	Threads: []string{"jax-ml/jax#40101"},
	Accepts: []string{"code.*"},
	Variant: checkMaxCodeBytes,
}

// checkMaxCodeBytes holds whichever code was dumped against the settings: the CPU compiler writes LLVM IR, that for GPUs PTX as well.
func checkMaxCodeBytes(c *rule.Context, v *diff.Variant) {
	m := *c.Rule.Budget
	if _, ok := v.New.Facts[m.Fact]; !ok {
		m.Fact = facts.CodePTXBytes
	}
	c.JudgeFact(m)
}

var maxInstructions = rule.Rule{
	ID:    "max-instructions",
	Title: "the program has no more instructions than before",
	Why:   "An unrolled loop, or work that is traced twice, first shows as more instructions; compile time and code size follow.",
	Options: []rule.Option{
		{Key: "stage", Type: rule.Word, Sense: rule.Neither, Enum: []string{"after", "before"}, Default: "after", Doc: "count instructions after XLA's optimizations, or before them, as the framework traced the program"},
	},
	Budget:  rule.FactMetric(facts.InstructionsAfter, "instructions"),
	Fails:   rule.Example{On: "cpu-unrolled_loop/after", Config: "- { rule: max-instructions, max_increase: 10% }", Says: "231 instructions: up from 50 in the baseline"},
	Passes:  rule.Example{On: "cpu-unrolled_loop/after", Config: "- { rule: max-instructions, max: 231 }"},
	Fix:     "Look for a Python loop where lax.scan or vmap would do, and for a function that is called twice with the same arguments.",
	Threads: []string{"jax-ml/jax#2777", "openxla/xla#35719"},
	Accepts: []string{"instructions.*", "kernels.*", "kernel list"},
	Variant: checkInstructions,
}

func checkInstructions(c *rule.Context, v *diff.Variant) {
	if c.Text("stage") == "after" {
		c.JudgeFact(*c.Rule.Budget)
		return
	}
	m := *c.Rule.Budget
	m.Fact, m.Noun = facts.InstructionsBefore, "instructions before optimization"
	if _, ok := v.New.Facts[m.Fact]; !ok {
		c.Uncovered(rule.Unoptimized, rule.DumpFix)
		return
	}
	c.JudgeFact(m)
}
