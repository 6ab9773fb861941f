package report

import (
	"github.com/xlagate/xlagate/internal/result"
)

// Names as real dumps hold them.
const (
	weirdName    = "jit(my fn<lambda>.v1%2)/jit(main)/a/b \"q\" \\ {z}=1,(w)/unicodé-层/sin"
	bracketName  = "jit(we ird/na[me]é<x>)/jit(main)/mul"
	callbackName = "jit(f_cb)/jit(main)/pure_callback[callback=_FlatCallback(callback_func=<function callback.<locals>.f_cb.<locals>.<lambda> at 0x7f9cabc685e0>, in_tree=PyTreeDef(((*,), {}))) result_avals=(ShapedArray(float32[4,4]),) sharding=None vectorized=False]"
	meshName     = "jit(f_mesh2d)/jit(main)/shard_map[mesh=Mesh(device_ids=array([[0, 1, 2, 3],\n       [4, 5, 6, 7]]), axis_names=('a', 'b'))]"
	fusedName    = "jit(dp_step)/(transpose(jvp())/reduce_sum:transpose(jvp(layer0))/attn/reduce_sum:transpose(jvp(layer0))/mlp/dot_general)"
	cublasName   = "__cublas$lt$matmul$f8"
)

// Texts that no dump of a friend holds.
const (
	hostileName = "`|a|b|` [click](https://evil.example) ![x](http://evil.example/x.png) <img src=x onerror=alert(1)> @octocat org/repo#12 #123 GH-7 www.evil.example :tada: | **bold** ~~gone~~ $x$ &lt; \x1b[31mred\x1b[0m \u202egnp.exe\u202c \u200bzero\u0007 ##[error]x"
	hostileText = "::error file=x::pwned\n# heading\n- item\n1. one\n> quote\n```\nfence\n```\n<details><script>alert(1)</script>\n|a|b|\n|-|-|\n|c|d|\n[a]: http://evil.example"
)

func h100() result.Toolchain {
	return result.Toolchain{Framework: "jax", Versions: map[string]string{"jax": "0.10.2", "jaxlib": "0.10.2"}, Backend: "gpu", Device: "NVIDIA H100 80GB HBM3"}
}

// failing is a softmax into which optimization barriers were put.
func failing() *result.Result {
	return &result.Result{
		Schema: result.Schema, Tool: result.Tool{Name: "xlagate", Version: "1.2.3"}, Verdict: "fail", ExitCode: 1,
		Summary: result.Summary{Errors: 1, Checks: 23, Targets: 1, Programs: 1},
		Targets: []result.Target{{
			Name: "softmax/h100", Dump: "build/xla", Baseline: ".xlagate", Toolchain: h100(), Base: h100(), Helpers: 8,
			NotCovered: []string{"no-unclustered-ops (the dump holds no TensorFlow graphs)"},
			Programs: []result.Program{{Name: "softmax", Change: "changed", Variants: []result.Variant{{
				Signature: "(x: f32[64,512])", Modules: []string{"module_0010.jit_softmax"}, Fingerprint: "52b1c0de52b1c0de",
				Facts: map[string]float64{"kernels.total": 4, "kernels.loop": 2, "kernels.input": 2, "fusions.total": 4, "memory.temp_bytes": 256, "cost.bytes_accessed": 787456},
				Base:  map[string]float64{"kernels.total": 1, "kernels.custom": 1, "fusions.total": 1, "memory.temp_bytes": 0, "cost.bytes_accessed": 262144},
			}}}},
		}},
		Findings: []result.Finding{{
			ID: "3fa91c02b7d1", Rule: "required-fusions", Level: "error", Target: "softmax/h100", Program: "softmax", Subject: "softmax",
			Message: `the fusion "softmax" is gone: subtract, exponential, reduce, divide ran in one kernel, now in four`,
			Actual:  0.0, Limit: 1.0, Baseline: 1.0,
			Cause: &result.Cause{
				Summary: "input subtract, exponential, 2 reduce, divide was one kernel and is 4 now: an optimization_barrier (train.py:99)",
				OpName:  "jit(softmax)/reduce_max", Source: result.Source{File: "/srv/models/train.py", Line: 98, Function: "softmax"},
			},
			Evidence: result.Evidence{
				Before: []string{"custom subtract, exponential, 2 reduce, divide → f32[64,512]  jit(softmax)/div (train.py:100)"},
				After: []string{
					"input reduce → f32[64]  jit(softmax)/reduce_max (train.py:98)",
					"loop subtract, exponential → f32[64,512]  jit(softmax)/exp (train.py:99)",
					"input reduce → f32[64]  jit(softmax)/reduce_sum (train.py:99)",
					"loop divide → f32[64,512]  jit(softmax)/div (train.py:100)",
				},
			},
			Consequences: []result.Consequence{
				{Rule: "max-kernels", ID: "11aa22bb33cc", Message: "4 kernels: up from 1 in the baseline"},
				{Rule: "max-temp-bytes", ID: "11aa22bb33cd", Message: "256 B of temporary memory: up from 0 B"},
				{Rule: "max-bytes-accessed", ID: "11aa22bb33ce", Message: "769.0 KiB moved: up from 256.0 KiB"},
			},
			Mend: `xlagate accept --only 3fa91c02b7d1 --reason "…"`,
		}},
	}
}

// passing has a program with budgets, one with several variants and one that is new.
func passing() *result.Result {
	variant := func(signature string, kernels, temp float64) result.Variant {
		return result.Variant{
			Signature: signature, Modules: []string{"module_0014.jit_eval"}, Fingerprint: "00ff00ff00ff00ff",
			Facts: map[string]float64{"kernels.total": kernels, "fusions.total": kernels - 5, "memory.temp_bytes": temp},
			Base:  map[string]float64{"kernels.total": kernels, "fusions.total": kernels - 5, "memory.temp_bytes": temp},
		}
	}
	params := "(p['w0']['kernel']: f32[64,128], p['w0']['bias']: f32[128], p['w1']['kernel']: f32[128,32], x: f32[8,64])"
	fresh := variant("(x: f32[8])", 7, 0)
	fresh.Base = nil
	return &result.Result{
		Schema: result.Schema, Tool: result.Tool{Name: "xlagate", Version: "1.2.3"}, Verdict: "pass",
		Summary: result.Summary{Checks: 14, Targets: 1, Programs: 3},
		Targets: []result.Target{{
			Name: "mlp/cpu", Dump: "build/xla", Baseline: ".xlagate", NotCovered: []string{},
			Toolchain: result.Toolchain{Framework: "jax", Versions: map[string]string{"jax": "0.10.2"}, Backend: "cpu"},
			Base:      result.Toolchain{Framework: "jax", Versions: map[string]string{"jax": "0.9.1"}, Backend: "cpu"},
			Programs: []result.Program{
				{Name: "eval_step", Change: "same", Variants: []result.Variant{variant("(x: f32[8,64])", 12, 0), variant("(x: f32[16,64])", 12, 512)}},
				{Name: "predict", Change: "added", Variants: []result.Variant{fresh}},
				{Name: "train_step", Change: "same", Variants: []result.Variant{variant(params, 19, 1288490189)}},
			},
		}},
		Findings: []result.Finding{},
		Notes:    []result.Note{{Kind: "better", Target: "mlp/cpu", Program: "eval_step", Message: "kernels 14 → 12", Mend: "xlagate accept --tighten"}},
		Headroom: []result.Headroom{
			{Target: "mlp/cpu", Program: "train_step", Rule: "max-kernels", Subject: "kernels.all", Actual: 19, Limit: 19},
			{Target: "mlp/cpu", Program: "train_step", Rule: "max-temp-bytes", Subject: "memory.temp_bytes", Actual: 1288490189, Limit: 2 << 30, Unit: "bytes"},
			{Target: "mlp/cpu", Program: "train_step", Rule: "max-output-bytes", Subject: "memory.output_bytes", Actual: 1 << 20, Limit: 4 << 30, Unit: "bytes"},
		},
	}
}

// incomplete could not look at one of its two targets.
func incomplete() *result.Result {
	r := passing()
	r.Verdict, r.ExitCode, r.Summary.Targets = "incomplete", 3, 2
	r.Targets = append(r.Targets, result.Target{Name: "train/cpu", Dump: "build/xla", Programs: []result.Program{}, NotCovered: []string{}})
	file := "build/xla/module_0010.jit_train_step.cpu_after_optimizations.txt:118:41"
	r.Problems = []result.Problem{
		{Target: "train/cpu", Rule: "facts-complete", File: file, Message: file + ": the file ends inside an instruction of %fused_computation.4",
			Mend: "the run that wrote it was cut off or is still writing; dump again, or leave the module out with programs.exclude"},
		{Rule: "max-kernels", File: "xlagate.yaml:12:5", Message: `rule max-kernels matches no program: program ["trian_step"]`, Mend: "mend the pattern or remove the rule"},
	}
	return r
}

// ugly carries the names that are hard to show, real and hostile, at every place that shows one.
func ugly() *result.Result {
	f := func(id, level, text string) result.Finding {
		return result.Finding{
			ID: id, Rule: "fusion-drift", Name: text, Level: level, Target: text, Program: text, Variant: text, Subject: text, Message: text, Reason: text,
			Actual: text, Limit: 1.0, Baseline: 2.0, Mend: "xlagate accept --only " + id,
			Cause:        &result.Cause{Summary: text + " ", OpName: text, OpType: text, Source: result.Source{File: text + ".py", Line: 3, Function: text}},
			Evidence:     result.Evidence{Before: []string{text, "same"}, After: []string{"same", text + "  " + text}},
			Consequences: []result.Consequence{{Rule: text, Message: text}},
		}
	}
	r := &result.Result{
		Schema: result.Schema, Tool: result.Tool{Name: "xlagate", Version: "1.2.3"}, Verdict: "incomplete", ExitCode: 3,
		Summary: result.Summary{Errors: 5, Warnings: 2, Infos: 1, Waived: 1, Checks: 40, Targets: 2, Programs: 1},
		Findings: []result.Finding{
			f("000000000001", "error", weirdName), f("000000000002", "error", bracketName), f("000000000003", "error", callbackName),
			f("000000000004", "error", hostileName), f("000000000005", "error", hostileText),
			f("000000000006", "warning", meshName), f("000000000007", "warning", fusedName), f("000000000008", "info", cublasName+" "+cublasName),
		},
		Problems: []result.Problem{{Target: hostileName, Rule: hostileText, File: hostileName, Message: hostileText, Mend: hostileText}},
		Notes:    []result.Note{{Kind: "better", Target: hostileName, Program: hostileText, Message: hostileName, Mend: hostileText}},
		Headroom: []result.Headroom{{Target: hostileName, Program: hostileText, Rule: hostileName, Subject: hostileText, Actual: 3, Limit: 4}},
	}
	waived := f("000000000009", "error", bracketName)
	waived.Waived, waived.Waiver = true, &result.Waiver{Reason: hostileName, Owner: "@ml-perf", Expires: "2027-02-01"}
	r.Findings = append(r.Findings, waived)
	facts := map[string]float64{"kernels.total": 3, hostileName: 4}
	r.Targets = []result.Target{
		{Name: hostileName, Dump: hostileText, Baseline: hostileName, NotCovered: []string{hostileText, hostileName}, Toolchain: result.Toolchain{Framework: hostileName, Device: hostileText},
			Programs: []result.Program{{Name: hostileText, Change: hostileName, Variants: []result.Variant{{Signature: hostileName, Facts: facts, Base: map[string]float64{"kernels.total": 2, hostileName: 1}}}}}},
		{Name: weirdName, Dump: meshName, Programs: []result.Program{{Name: callbackName, Change: "removed"}}},
	}
	return r
}
