package rules

import (
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/rule"
)

// The rules that hold a fact to a limit, and are no more than their description.
var (
	maxTempBytes = rule.Rule{
		ID:      "max-temp-bytes",
		Title:   "the program needs no more temporary memory",
		Why:     "Temporary memory makes a model that fitted yesterday run out of memory today, and only the crash shows it.",
		Reads:   []rule.Input{rule.BufferAssignment},
		Options: []rule.Option{minGrowth},
		Budget:  rule.FactMetric(facts.MemoryTemp, "temporary memory"),
		Fails: rule.Example{On: "cpu-fusion_callback_barrier/after", Config: "- { rule: max-temp-bytes, max: 32KiB, max_increase: 5% }",
			Says: "64.0 KiB of temporary memory: at most 32.0 KiB allowed; up from 0 B in the baseline, max_increase 5 %"},
		Passes:  rule.Example{On: "cpu-fusion_callback_barrier/after", Config: "- { rule: max-temp-bytes, max: 64KiB }"},
		Fix:     "Look at the buffers that grew: a value that is kept for later, or a fusion that was split.",
		Threads: []string{"marin-community/marin#5394", "openxla/xla#45912", "openxla/xla#27322"},
	}
	maxAllocationBytes = rule.Rule{
		ID:     "max-allocation-bytes",
		Title:  "no single allocation grows too large",
		Why:    "An allocation has to fit into memory in one piece. A program can fail to allocate although enough bytes are free.",
		Reads:  []rule.Input{rule.BufferAssignment},
		Budget: rule.FactMetric(facts.MemoryAllocation, "the largest allocation"),
		Fails: rule.Example{On: "cpu-constant_baked/after", Config: "- { rule: max-allocation-bytes, max: 16KiB }",
			Says: "32.0 KiB of the largest allocation: at most 16.0 KiB allowed"},
		Passes:  rule.Example{On: "cpu-constant_baked/before", Config: "- { rule: max-allocation-bytes, max: 1MiB }"},
		Fix:     "See which buffers share the allocation (`xlagate inspect DUMP`): all temporaries share one; a large argument or constant has its own.",
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
		ID:     "max-flops",
		Title:  "the program does no more arithmetic",
		Why:    "More arithmetic for the same result is work done twice: a forward pass that is recomputed, a common subexpression that is no longer shared.",
		Budget: rule.FactMetric(facts.CostFlops, "floating-point operations"),
		Fails: rule.Example{On: "cpu-f64_creep/after", Config: "- { rule: max-flops, max_increase: 1% }",
			Says: "82,047 floating-point operations: up from 65,599 in the baseline, max_increase 1 %"},
		Passes:  rule.Example{On: "cpu-f64_creep/after", Config: "- { rule: max-flops, max: 100000 }"},
		Fix:     "Look for what is computed twice: an aux output that runs the model again, a checkpoint that covers too much.",
		Threads: []string{"marin-community/marin#1714"},
	}
	maxBytesAccessed = rule.Rule{
		ID:     "max-bytes-accessed",
		Title:  "no more memory traffic than before",
		Why:    "Most kernels wait for memory. The bytes that they read and write rise when a fusion is lost, a layout changes or a type is widened.",
		Budget: rule.FactMetric(facts.CostBytes, "memory traffic"),
		Fails: rule.Example{On: "gpu-softmax_barrier/after", Config: "- { rule: max-bytes-accessed, max_increase: 5% }",
			Says: "769.0 KiB of memory traffic: up from 256.0 KiB in the baseline (+200.4 %), max_increase 5 %"},
		Passes:  rule.Example{On: "gpu-softmax_barrier/after", Config: "- { rule: max-bytes-accessed, max: 769KiB }"},
		Fix:     "Look at the kernels that are new or changed: each reads its operands and writes its result once.",
		Threads: []string{"marin-community/marin#1714"},
	}
	maxEstimatedCycles = rule.Rule{
		ID:    "max-estimated-cycles",
		Title: "the compiler's estimate of cycles does not grow",
		Why: "The TPU compiler writes down how many cycles it expects for every operation. This shows what the number of kernels does not, such as a " +
			"layout with padding.",
		Reads:  []rule.Input{rule.Codegen},
		Budget: rule.FactMetric(facts.CostCycles, "estimated cycles"),
		Level:  "warning",
		Fails: rule.Example{On: "tpu-precision/after", Config: "- { rule: max-estimated-cycles, max_increase: 5% }",
			Says: "18,532 estimated cycles: up from 10,168 in the baseline, max_increase 5 %"},
		Passes:  rule.Example{On: "tpu-precision/before", Config: "- { rule: max-estimated-cycles, max_increase: 5% }"},
		Fix:     "Look at the kernels that are new or changed; `xlagate inspect DUMP` lists the bytes that each moves.",
		Threads: []string{"marin-community/marin#1714"},
	}
	maxCodeBytes = rule.Rule{
		ID:     "max-code-bytes",
		Title:  "the generated code does not grow",
		Why:    "A loop once ran 37,000 times slower with the same optimized HLO. The size of the LLVM IR or PTX is the only sign of it in a dump.",
		Reads:  []rule.Input{rule.Code},
		Budget: codeSize,
		Level:  "info",
		Fails: rule.Example{On: "gpu-intermediate_out/after", Config: "- { rule: max-code-bytes, max_increase: 5% }",
			Says: "2.6 KiB of generated code: up from 2.3 KiB in the baseline (+10.4 %), max_increase 5 %"},
		Passes:  rule.Example{On: "gpu-intermediate_out/after", Config: "- { rule: max-code-bytes, max: 1MiB }"},
		Fix:     "Compare the .ll or .ptx files of the kernel that grew; if nothing in the model explains it, report it to the compiler's developers.",
		Threads: []string{"jax-ml/jax#40101"},
	}
)

// codeSize is the size of the LLVM IR that the CPU compiler writes, or of PTX, which that for GPUs may write alone.
var codeSize = &rule.Metric{Fact: facts.CodeLLVMBytes, Or: facts.CodePTXBytes, Unit: "bytes", Better: rule.Lower, Noun: "generated code"}
