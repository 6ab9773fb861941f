package report

import (
	"slices"

	"math"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/tensorflow"
)

func at(file string, line int32) hlo.Location {
	return hlo.Location{File: "/srv/models/" + file, Line: line}
}

func geluKernel() facts.Kernel {
	return facts.Kernel{
		Form: &facts.Form{
			Kind: "loop", Do: facts.OpcodesOf("add", "multiply", "multiply", "tanh"), Root: "multiply", Out: "f32[8,128]", In: []string{"f32[8,128]"},
			Bytes: 8192, Flops: 4096, Fusion: true, Print: "aa", Family: "a",
		},
		Name: "multiply_add_fusion.3", Site: &facts.Site{OpName: "jit(train_step)/gelu/tanh", Source: at("model.py", 3), Times: 1}, Ops: []facts.FusedOp{
			{Op: &facts.Op{Opcode: "multiply", Shape: "f32[8,128]", OpName: "jit(train_step)/gelu/mul", Source: at("model.py", 3)}},
			{Op: &facts.Op{Opcode: "tanh", Shape: "f32[8,128]", OpName: "jit(train_step)/gelu/tanh", Source: at("model.py", 3)}},
			{Op: &facts.Op{Opcode: "add", Shape: "f32[8,128]", OpName: "jit(train_step)/gelu/add", Source: at("model.py", 4)}},
			{Op: &facts.Op{Opcode: "multiply", Shape: "f32[8,128]", OpName: "jit(train_step)/gelu/mul", Source: at("model.py", 4)}},
		},
	}
}

func dotKernel() facts.Kernel {
	return facts.Kernel{
		Form: &facts.Form{
			Kind: "dot", Do: facts.OpcodesOf("dot"), Root: "dot", Out: "f32[8,128]", In: []string{"f32[8,64]", "f32[64,128]"}, Bytes: 38912,
			Class: facts.ClassLibrary, Print: "bb", Family: "b",
		},
		Name: "dot.7", Site: &facts.Site{OpName: bracketName, Source: at("model.py", 2), Times: 1},
	}
}

func gatherKernel() facts.Kernel {
	return facts.Kernel{
		Form: &facts.Form{Kind: "collective", Do: facts.OpcodesOf("all-gather"), Target: "all-gather", Out: "bf16[8192,4096]", Bytes: 64 << 20, Class: facts.ClassCollective, Print: "cc", Collective: facts.Collective{Groups: "2 of 4"}},
		Name: "all-gather.1", Site: &facts.Site{OpName: "layer0/attn/q_proj", Source: at("attention.py", 212), Times: 24, Loop: "layers", InLoop: true},
	}
}

func trainVariant(signature, module string, numbers facts.Values) *facts.Variant {
	all := facts.Values{
		"kernels.total": 3, "kernels.entry": 3, "kernels.weighted": 3, "kernels.loop": 2, "kernels.dot": 1, "fusions.total": 2, "loops.while": 0,
		"collectives.all-gather.count": 1, "collectives.all-gather.bytes": 64 << 20, "memory.temp_bytes": 13312, "memory.argument_bytes": 51712,
		"cost.weighted_flops": 2.5e6, "copies.count": 0,
	}
	for fact, v := range numbers {
		all[fact] = v
	}
	return &facts.Variant{Signature: signature, Facts: all, Compiled: facts.Compiled{Fingerprint: "0123456789abcdef", Kernels: []facts.Kernel{dotKernel(), geluKernel(), geluKernel(), gatherKernel()}}, Interface: facts.Interface{Result: "f32[]", Params: []facts.Parameter{
		{Name: "p['w1']", Shape: "f32[64,128]", Bytes: 32768, Donated: true}, {Name: "x", Shape: "f32[8,64]", Bytes: 2048},
	}}, Origin: facts.Origin{Modules: []string{module}, File: "build/xla/" + module + ".cpu_after_optimizations.txt", Missing: []string{"per-pass modules"}}}
}

// aDump holds a program that was compiled for two shapes, helpers, clusters, logs and a file that was cut off.
func aDump() *facts.Report {
	return &facts.Report{
		Dump: "build/xla", Toolchain: facts.Toolchain{Framework: "jax", Versions: map[string]string{"jax": "0.10.2"}, Backend: "cpu"},
		Programs: []*facts.Program{
			{Name: "train_step", Main: true, Variants: []*facts.Variant{
				trainVariant("(p['w1']: f32[64,128], x: f32[8,64])", "module_0010.jit_train_step", nil),
				trainVariant("(p['w1']: f32[64,128], x: f32[16,64])", "module_0014.jit_train_step", facts.Values{"kernels.total": 5}),
			}},
			{Name: "my fn<lambda>.v1%2", Variants: []*facts.Variant{{Signature: "()", Unstable: []string{"kernels.total"}, Origin: facts.Origin{Modules: []string{"module_0003", "module_0004"}}}}},
		},
		Helpers: []*facts.Program{{Name: "broadcast_in_dim", Variants: []*facts.Variant{{Signature: "(x: f32[])", Origin: facts.Origin{Modules: []string{"module_0001"}}}}}},
		Modules: []facts.ModuleInfo{{
			File: "build/xla/module_0010.jit_train_step.cpu_after_optimizations.txt", Name: "jit_train_step", Stage: "after_optimizations", Entry: "main.42",
			Computations: 4, Instructions: 1204, EntryInstructions: 19, Opcodes: map[string]int{"dot": 1, "add": 2}, EntryParams: []string{"x: f32[8,64]"},
			EntryResult: "f32[]", Kernels: 3, Aliases: 0, Cost: map[string]float64{"flops": 2.5e6},
		}},
		Clusters: &tensorflow.Clusters{Ran: true, Graphs: 6, Clustered: 40,
			Clusters:    []tensorflow.Cluster{{Name: "cluster_0", Function: "train_step", Ops: map[string]int{"MatMul": 12, "Add": 20, "Relu": 4, "Sub": 2, "Mul": 2}, Size: 40, Module: "module_0031"}},
			Unclustered: []tensorflow.UnclusteredOp{{Op: "AsString", Node: "AsString_3", Function: "train_step", Reason: "no kernel of this type for XLA"}, {Op: "_Arg", System: true}},
		},
		Logs: &tensorflow.Logs{Compiles: map[string]int{"train_step": 2}, Misses: []tensorflow.CacheMiss{{Program: "train_step", Where: at("train.py", 40), Reason: "x: f32[8,64] became f32[16,64]"}}},
		Problems: []facts.Problem{{File: "build/xla/module_0020.jit_eval.cpu_after_optimizations.txt:3:1", Program: "eval",
			Message: "the file ends inside an instruction of %fused_computation.4", Fix: "dump it again"}},
		Ignored: []string{"build/xla/core.1234"},
	}
}

// aDiff has every kind of difference.
func aDiff() *changes.Report {
	old := trainVariant("(x: f32[8,64])", "module_0010", nil)
	fresh := trainVariant("(x: f32[8,64])", "module_0010", facts.Values{"kernels.total": 5})
	narrow := geluKernel()
	narrow.Do, narrow.Ops = facts.OpcodesOf("add", "multiply", "multiply"), slices.Delete(slices.Clone(narrow.Ops), 1, 2)
	tanh := geluKernel()
	tanh.Do, tanh.Ops = facts.OpcodesOf("tanh"), tanh.Ops[1:2]
	return &changes.Report{Old: "main.tar.gz", New: "pr.tar.gz", Programs: []*changes.Program{
		{Name: "eval_step", Change: changes.Same, Variants: []*changes.Variant{{Change: changes.Same, Old: old, New: old}}},
		{Name: "predict", Change: changes.Added, New: &facts.Program{}, Variants: []*changes.Variant{{Change: changes.Added, New: fresh}}},
		{Name: "train_step", Change: changes.Changed, Old: &facts.Program{}, New: &facts.Program{},
			Recompile: []changes.ArgumentChange{{Name: "x", Kind: "shape", Values: []string{"f32[8,64]", "f32[16,64]"}, Detail: "dimension 0: 8, 16"}},
			Variants: []*changes.Variant{
				{
					Change: changes.Changed, Old: old, New: fresh,
					Kernels: changes.Kernels{
						Kept: 480, Added: []facts.Kernel{gatherKernel()}, Removed: []facts.Kernel{dotKernel()},
						Changed:  []changes.KernelChange{changeOf(geluKernel(), narrow)},
						Split:    []changes.Regroup{{One: geluKernel(), Many: []facts.Kernel{narrow, tanh}, Between: []changes.Divider{{Value: "tanh", Users: []*facts.Kernel{&narrow}}}}},
						Merged:   []changes.Regroup{{One: geluKernel(), Many: []facts.Kernel{tanh, narrow}}},
						Moved:    []changes.KernelChange{changeOf(dotKernel(), dotKernel())},
						Unrolled: []changes.Regroup{{One: dotKernel(), Many: []facts.Kernel{dotKernel(), dotKernel()}}},
					},
					Facts: []changes.FactChange{
						{Name: "copies.count", Old: 0, New: 2}, {Name: "kernels.total", Old: 3, New: 5}, {Name: "memory.peak_bytes", Old: math.NaN(), New: 1 << 20},
						{Name: "memory.temp_bytes", Old: 13312, New: 13316},
					},
					Params: []changes.ParamChange{{Name: "p['w1']", Old: &old.Params[0], New: &fresh.Params[0], What: "no longer donated: no output has its shape f32[64,128]"}, {Name: "seed", New: &fresh.Params[1], What: "u32[2]"}},
					Dtypes: []changes.DtypeChange{{Type: "f64", Old: 0, New: 3, First: facts.Op{Opcode: "convert", Shape: "f64[8,128]", OpName: "jit(train_step)/convert", Source: at("model.py", 9)}}},
					Causes: []changes.Cause{{
						Kind: changes.KindCode, Title: "tanh is a result of the program now; 3 operations ran in one kernel, now in 2",
						OpName: "jit(train_step)/tanh", Source: at("train.py", 40), Before: []facts.Kernel{geluKernel()}, After: []facts.Kernel{narrow, tanh},
						Edits: []changes.Edit{{Scope: "jit(train_step)", Source: at("train.py", 40), Added: []changes.Step{{Opcode: "reduce", Type: "f32", Count: 2}}}},
					}},
					Buffers:   []changes.BufferChange{{New: facts.Buffer{Bytes: 65536, Shape: "f32[128,128]", OpName: "jit(train_step)/tanh", Source: at("train.py", 40)}}, {New: facts.Buffer{Bytes: 32768, Shape: "f32[64,128]"}, Old: 16384}},
					FirstPass: "after pass 0041 spmd-partitioning",
				},
				{Change: changes.Removed, Old: old},
			}},
	}}
}

func aRule() result.RuleDoc {
	return result.RuleDoc{
		ID: "max-kernels", Title: "the device is asked to run no more kernels", Category: "kernels and fusions",
		Why: "Every kernel costs a launch and a round trip of its operands through memory.", Reads: []string{"the optimized module"},
		Options: []result.OptionDoc{{Key: "scope", Type: "word", Default: "all", Doc: "count every reachable computation, or only the entry computation"}, {Key: "exclude", Type: "globs", Doc: "leave out kernels whose op_name matches"}},
		Fails:   "- { rule: max-kernels, program: train_step, max: 19 }\n# 22 kernels: at most 19 allowed", Passes: "- { rule: max-kernels, program: train_step, max: 19 }\n# kernels 19 of 19",
		Fix: "Look at the source line that the finding names.", Threads: []string{"jax-ml/jax#33338", "openxla/xla#29620"}, Since: "1", URL: home + "/blob/main/docs/rules.md#max-kernels",
	}
}

func changeOf(old, fresh facts.Kernel) changes.KernelChange { return changes.ChangeOf(&old, &fresh) }
