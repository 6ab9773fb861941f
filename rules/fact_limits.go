package rules

import (
	"strings"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/rule"
)

// The rules that hold a fact to a limit. Most are no more than their description.
var (
	maxTempBytes = rule.Rule{
		ID:      "max-temp-bytes",
		Title:   "the program needs no more temporary memory",
		Why:     "Temporary memory makes a model that fitted yesterday run out of memory today, and only the crash shows it.",
		Reads:   []rule.Input{rule.BufferAssignment},
		Options: []rule.Option{minGrowth},
		Budget:  rule.FactMetric(facts.MemoryTemp, "temporary memory"),
		Fails:   rule.Example{On: "cpu-fusion_callback_barrier/after", Config: "- { rule: max-temp-bytes, max: 32KiB, max_increase: 5% }", Says: "64.0 KiB of temporary memory: at most 32.0 KiB allowed; up from 0 B in the baseline, max_increase 5 %"},
		Passes:  rule.Example{On: "cpu-fusion_callback_barrier/after", Config: "- { rule: max-temp-bytes, max: 64KiB }"},
		Fix:     "Look at the buffers that grew: a value that is kept for later, or a fusion that was split.",
		Threads: []string{"marin-community/marin#5394", "openxla/xla#45912", "openxla/xla#27322"},
	}
	maxAllocationBytes = rule.Rule{
		ID:      "max-allocation-bytes",
		Title:   "no single allocation grows too large",
		Why:     "An allocation has to fit into memory in one piece. A program can fail to allocate although enough bytes are free.",
		Reads:   []rule.Input{rule.BufferAssignment},
		Budget:  rule.FactMetric(facts.MemoryAllocation, "the largest allocation"),
		Fails:   rule.Example{On: "cpu-constant_baked/after", Config: "- { rule: max-allocation-bytes, max: 16KiB }", Says: "32.0 KiB of the largest allocation: at most 16.0 KiB allowed"},
		Passes:  rule.Example{On: "cpu-constant_baked/before", Config: "- { rule: max-allocation-bytes, max: 1MiB }"},
		Fix:     "See which buffers share the allocation (xlagate inspect): all temporaries share one; a large argument or constant has its own.",
		Threads: []string{"openxla/xla#17124"},
	}
	maxTransposes = rule.Rule{
		ID:      "max-transposes",
		Title:   "no transpose is added to the program",
		Why:     "A transpose moves every byte and computes nothing. It appears when two operations want different layouts.",
		Budget:  rule.FactMetric(facts.TransposesCount, "transposes"),
		Fails:   rule.Example{On: "cpu-extra_transpose/after", Config: "- { rule: max-transposes, max: 1 }", Says: "2 transposes: at most 1 allowed"},
		Passes:  rule.Example{On: "cpu-extra_transpose/after", Config: "- { rule: max-transposes, max_increase: 0 }"},
		Fix:     "Give the operation its operand in the layout that it needs: change the einsum's order, or transpose once outside of the step.",
		Threads: []string{"jax-ml/jax#33338", "openxla/xla#47203"},
	}
	maxFlops = rule.Rule{
		ID:      "max-flops",
		Title:   "the program does no more arithmetic",
		Why:     "More arithmetic for the same result is work done twice: a forward pass that is recomputed, a common subexpression that is no longer shared.",
		Budget:  rule.FactMetric(facts.CostFlops, "floating-point operations"),
		Fails:   rule.Example{On: "cpu-f64_creep/after", Config: "- { rule: max-flops, max_increase: 1% }", Says: "82,047 floating-point operations: up from 65,599 in the baseline, max_increase 1 %"},
		Passes:  rule.Example{On: "cpu-f64_creep/after", Config: "- { rule: max-flops, max: 100000 }"},
		Fix:     "Look for what is computed twice: an aux output that runs the model again, a checkpoint that covers too much.",
		Threads: []string{"marin-community/marin#1714"},
	}
	maxBytesAccessed = rule.Rule{
		ID:      "max-bytes-accessed",
		Title:   "no more memory traffic than before",
		Why:     "Most kernels wait for memory. The bytes that they read and write rise when a fusion is lost, a layout changes or a type is widened.",
		Budget:  rule.FactMetric(facts.CostBytes, "memory traffic"),
		Fails:   rule.Example{On: "gpu-softmax_barrier/after", Config: "- { rule: max-bytes-accessed, max_increase: 5% }", Says: "769.0 KiB of memory traffic: up from 256.0 KiB in the baseline (+200.4 %), max_increase 5 %"},
		Passes:  rule.Example{On: "gpu-softmax_barrier/after", Config: "- { rule: max-bytes-accessed, max: 769KiB }"},
		Fix:     "Look at the kernels that are new or changed: each reads its operands and writes its result once.",
		Threads: []string{"marin-community/marin#1714"},
	}
	maxEstimatedCycles = rule.Rule{
		ID:    "max-estimated-cycles",
		Title: "the compiler's estimate of cycles does not grow",
		Why: "The TPU compiler writes down how many cycles it expects for every operation. This shows what the number of kernels does not, such as a " +
			"layout with padding.",
		Reads:   []rule.Input{rule.Codegen},
		Budget:  rule.FactMetric(facts.CostCycles, "estimated cycles"),
		Level:   "warning",
		Fails:   rule.Example{On: "tpu-precision/after", Config: "- { rule: max-estimated-cycles, max_increase: 5% }", Says: "18,532 estimated cycles: up from 10,168 in the baseline, max_increase 5 %"},
		Passes:  rule.Example{On: "tpu-precision/before", Config: "- { rule: max-estimated-cycles, max_increase: 5% }"},
		Fix:     "Look at the kernels that are new or changed; `xlagate inspect` lists the bytes that each moves.",
		Threads: []string{"marin-community/marin#1714"},
	}
	maxCodeBytes = rule.Rule{
		ID:      "max-code-bytes",
		Title:   "the generated code does not grow",
		Why:     "A loop once ran 37,000 times slower with the same optimized HLO. The size of the LLVM IR or PTX is the only sign of it in a dump.",
		Reads:   []rule.Input{rule.Code},
		Budget:  codeSize,
		Level:   "info",
		Fails:   rule.Example{On: "gpu-intermediate_out/after", Config: "- { rule: max-code-bytes, max_increase: 5% }", Says: "2.6 KiB of generated code: up from 2.3 KiB in the baseline (+10.4 %), max_increase 5 %"},
		Passes:  rule.Example{On: "gpu-intermediate_out/after", Config: "- { rule: max-code-bytes, max: 1MiB }"},
		Fix:     "Compare the .ll or .ptx files of the kernel that grew; if nothing in the model explains it, report it to the compiler's developers.",
		Threads: []string{"jax-ml/jax#40101"},
	}
	maxRemat = rule.Rule{
		ID:    "max-remat",
		Title: "the compiler computes nothing twice to save memory",
		Why: "When a program does not fit into memory, XLA discards values and computes them again. The step gets slower, and only the names of the " +
			"copies (.remat) tell.",
		Needs:   facts.RematCount,
		Budget:  rule.FactMetric(facts.RematCount, "rematerialized operations"),
		Fails:   rule.Example{On: "tpu-remat/after", Config: "- { rule: max-remat, max_increase: 0 }", Says: "1 rematerialized operation: up from 0 in the baseline"},
		Passes:  rule.Example{On: "tpu-remat/before", Config: "- { rule: max-remat, max: 0 }"},
		Fix:     "Reduce the peak of memory: donate arguments, checkpoint by hand where it is cheapest, shard or shrink the batch.",
		Threads: []string{"marin-community/marin#8549"},
		Variant: func(c *rule.Context, v *changes.Variant) {
			again := func(k *facts.Kernel) bool { return strings.Contains(k.Name, ".remat") }
			f := c.Judge(c.AmountOf(*c.Rule.Budget, c.Rule.Budget.Fact))
			if k := facts.FirstKernel(v.New.Kernels, again); f != nil && k != nil {
				f.Cause, f.Evidence.After = changes.CauseAt(k.Name+" is computed again", k), changes.LinesOf(v.New.Kernels, again)
			}
		},
	}
	maxConstantBytes = rule.Rule{
		ID:    "max-constant-bytes",
		Title: "nothing large is baked into the program",
		Why: "A weight that is closed over instead of passed in becomes a constant. It is copied into every compiled program, and can be neither donated " +
			"nor sharded.",
		Options: []rule.Option{
			{Key: "per_constant", Type: rule.Size, Doc: "the largest single constant"},
		},
		Budget:  rule.FactMetric(facts.MemoryConstant, "baked constants"),
		Bounds:  []string{"per_constant"},
		Fails:   rule.Example{On: "cpu-constant_baked/after", Config: "- { rule: max-constant-bytes, max_increase: 1KiB }", Says: "32.0 KiB of baked constants: up from 0 B in the baseline, max_increase 1.0 KiB"},
		Passes:  rule.Example{On: "cpu-constant_baked/after", Config: "- { rule: max-constant-bytes, max: 64KiB }"},
		Fix:     "Pass the array as an argument of the jitted function instead of closing over it.",
		Threads: []string{"openxla/xla#1652", "jax-ml/jax#21300"},
		Variant: func(c *rule.Context, v *changes.Variant) {
			rule.Explain(c.Judge(c.Count("constants.bytes", (*facts.Variant).ConstantBytes)), v.FactGrowth, facts.MemoryConstant)
			for _, k := range v.New.Constants {
				if f := c.Cap("per_constant", k.Shape+" "+k.OpName, "bytes", float64(k.Bytes), "the constant "+k.Shape+" holds %s"); f != nil {
					f.Cause = changes.ConstantAt(k)
				}
			}
		},
	}
	maxOutputBytes = rule.Rule{
		ID:      "max-output-bytes",
		Title:   "the program's results do not grow",
		Why:     "Every result is written to memory: an intermediate that is also returned can no longer stay inside a fusion.",
		Reads:   []rule.Input{rule.BufferAssignment},
		Options: []rule.Option{{Key: "max_outputs", Type: rule.Count, Doc: "the largest number of results; needs no buffer assignment"}},
		Budget:  rule.FactMetric(facts.MemoryOutput, "results"),
		Bounds:  []string{"max_outputs"},
		Fails:   rule.Example{On: "gpu-intermediate_out/after", Config: "- { rule: max-output-bytes, max_increase: 0 }", Says: "128.0 KiB of results: up from 64.0 KiB in the baseline (+100.0 %)"},
		Passes:  rule.Example{On: "gpu-intermediate_out/after", Config: "- { rule: max-output-bytes, max: 128.02KiB }"},
		Fix:     "Return it only where it is needed: from another function, or behind a debug switch.",
		Threads: []string{"AI-Hypercomputer/maxtext#4405"},
		Variant: func(c *rule.Context, v *changes.Variant) {
			if _, dumped := v.New.Facts[c.Rule.Budget.Fact]; dumped || c.Bounded() || !c.BoundedByOwn() {
				c.JudgeFact(*c.Rule.Budget)
			}
			n := float64(strings.Count(v.New.Result, "[")) // each array has one, a tuple has none of its own
			if f := c.Cap("max_outputs", "outputs", "", n, "the program returns "+phrase.Counted(n, "", "results")); f != nil {
				f.Cause, f.Evidence = v.ResultGrowth()
			}
		},
	}
	maxInstructions = rule.Rule{
		ID:    "max-instructions",
		Title: "the program has no more instructions than before",
		Why:   "An unrolled loop, or work that is traced twice, first shows as more instructions; compile time and code size follow.",
		Options: []rule.Option{
			{Key: "stage", Type: rule.Word, Enum: []string{"after", "before"}, Default: "after", Doc: "after XLA's optimizations, or before them"},
		},
		Budget:  rule.FactMetric(facts.InstructionsAfter, "instructions"),
		Fails:   rule.Example{On: "cpu-unrolled_loop/after", Config: "- { rule: max-instructions, max_increase: 10% }", Says: "231 instructions: up from 50 in the baseline, max_increase 10 %"},
		Passes:  rule.Example{On: "cpu-unrolled_loop/after", Config: "- { rule: max-instructions, max: 231 }"},
		Fix:     "Look for a Python loop where lax.scan or vmap would do, and for a function that is called twice with the same arguments.",
		Threads: []string{"jax-ml/jax#2777", "openxla/xla#35719"},
		Variant: func(c *rule.Context, v *changes.Variant) {
			m := *c.Rule.Budget
			if c.Text("stage") == "before" {
				m.Fact, m.Noun = facts.InstructionsBefore, "instructions before optimization"
				if _, dumped := v.New.Facts[m.Fact]; !dumped {
					c.Uncovered(rule.Unoptimized, rule.DumpFix)
					return
				}
			}
			c.JudgeFact(m)
		},
	}
)

// codeSize is the size of the LLVM IR that the CPU compiler writes, or of PTX, which that for GPUs may write alone.
var codeSize = &rule.Metric{Fact: facts.CodeLLVMBytes, Or: facts.CodePTXBytes, Unit: "bytes", Better: rule.Lower, Noun: "generated code"}

// minGrowth lets growth of a size pass that is too little to matter.
var minGrowth = rule.Option{Key: rule.MinGrowth, Type: rule.Size, Default: 0.0, Doc: "ignore growth below this, even if it is more than max_increase"}
