package report

import (
	"fmt"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
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

func h100() facts.Toolchain {
	return facts.Toolchain{Framework: "jax", Versions: map[string]string{"jax": "0.10.2", "jaxlib": "0.10.2"}, Backend: "gpu", Device: "NVIDIA H100 80GB HBM3"}
}

// The ids of the changes in failing.
const (
	splitID  = "3fa91c02b7d1"
	bakedID  = "77b0c2d4e6f8"
	againID  = "5d0e1f2a3b4c"
	soonerID = "0b1c2d3e4f50"
)

// failing is a softmax into which an optimization barrier was put, beside a change that only warns, one that is waived and one that saves.
func failing() *result.Result {
	const target = "softmax/h100"
	return &result.Result{
		Schema: result.Schema, Tool: result.Tool{Name: "xlagate", Version: "1.2.3"}, Verdict: "fail", ExitCode: 1,
		Summary: result.Summary{Changes: 4, Errors: 1, Warnings: 1, Waived: 1, Checks: 23, Targets: 1, Programs: 3},
		Targets: []result.Target{{
			Name: target, Dump: "build/xla", Baseline: ".xlagate", Toolchain: h100(), Base: h100(), Helpers: 8,
			NotCovered: []string{"no-unclustered-ops (the dump holds no TensorFlow graphs)"},
			Programs: []result.Program{
				{Name: "decode", Change: "changed", Variants: []result.Variant{
					{Signature: "(x: f32[1,512])", Modules: []string{"module_0012.jit_decode"}, Fingerprint: "0f0f0f0f0f0f0f0f", Facts: facts.Values{"kernels.total": 6}, Base: facts.Values{"kernels.total": 6}},
					{Signature: "(x: f32[7,512])", Modules: []string{"module_0014.jit_decode"}, Fingerprint: "1e1e1e1e1e1e1e1e", Facts: facts.Values{"kernels.total": 6}},
				}},
				{Name: "embed", Change: "changed", Variants: []result.Variant{{
					Signature: "(ids: s32[64])", Modules: []string{"module_0016.jit_embed"}, Fingerprint: "2d2d2d2d2d2d2d2d",
					Facts: facts.Values{"kernels.total": 2, "price.step_ns": 5200}, Base: facts.Values{"kernels.total": 3, "price.step_ns": 6100},
				}}},
				{Name: "softmax", Change: "changed", Variants: []result.Variant{{
					Signature: "(x: f32[64,512])", Modules: []string{"module_0010.jit_softmax"}, Fingerprint: "52b1c0de52b1c0de",
					Facts: facts.Values{"kernels.total": 4, "kernels.loop": 2, "kernels.input": 2, "fusions.total": 4, "memory.temp_bytes": 256, "memory.peak_bytes": 295168, "cost.weighted_bytes_accessed": 787456, "price.step_ns": 11900},
					Base:  facts.Values{"kernels.total": 1, "kernels.custom": 1, "fusions.total": 1, "memory.temp_bytes": 0, "memory.peak_bytes": 262144, "cost.weighted_bytes_accessed": 262144, "price.step_ns": 4100},
				}}},
			},
		}},
		Changes: []result.Change{
			{
				ID: splitID, Level: "error", Target: target, Program: "softmax", Variants: []string{"(x: f32[64,512])"},
				Edit: result.Edit{
					Kind:  changes.KindCode,
					Title: "an optimization_barrier is new; subtract, exponential, 2 reduce, divide ran in one kernel, now in 4", OpName: "jit(softmax)/optimization_barrier",
					Source: result.Source{File: "/srv/models/train.py", Line: 98, Function: "softmax", Text: "x = jax.lax.optimization_barrier(x)", Edited: true},
				},
				Price:   result.Price{StepNS: 7800, StepWasNS: 4100, PeakBytes: 256},
				Effects: []result.Effect{{Fact: "cost.weighted_bytes_accessed", Was: 262144, Is: 787456}, {Fact: "fusions.total", Was: 1, Is: 4}, {Fact: "kernels.total", Was: 1, Is: 4}},
				Evidence: result.Evidence{
					Before: []string{"custom subtract, exponential, 2 reduce, divide → f32[64,512]  jit(softmax)/div (train.py:100)"},
					After: []string{
						"input reduce → f32[64]  jit(softmax)/reduce_max (train.py:98)",
						"loop subtract, exponential → f32[64,512]  jit(softmax)/exp (train.py:99)",
						"input reduce → f32[64]  jit(softmax)/reduce_sum (train.py:99)",
						"loop divide → f32[64,512]  jit(softmax)/div (train.py:100)",
					},
				},
				Findings: []string{"a3f8c21b9d04", "11aa22bb33cc", "11aa22bb33cd"}, Decision: result.Decision{Accept: `xlagate accept --only 3fa91c02b7d1 --reason "why"`},
			},
			{
				ID: bakedID, Level: "warning", Target: target, Program: "softmax", Variants: []string{"(x: f32[64,512])"},
				Edit: result.Edit{
					Kind:  changes.KindConstants,
					Title: "f32[64,128] (32.0 KiB) is baked in as a constant now, it was the argument mask", Details: []string{"the program has 1 argument, it had 2"},
					Source: result.Source{File: "/usr/lib/python3.12/site-packages/flax/linen/attention.py", Line: 212},
				},
				Price:    result.Price{PeakBytes: 32768, StepWasNS: 4100},
				Effects:  []result.Effect{{Fact: "memory.constant_bytes", Was: 0, Is: 32768}},
				Findings: []string{"22bb33cc44dd"}, Decision: result.Decision{Accept: `xlagate accept --only 77b0c2d4e6f8 --reason "why"`},
			},
			{
				ID: soonerID, Level: "better", Target: target, Program: "embed", Variants: []string{"(ids: s32[64])"},
				Edit: result.Edit{
					Kind: changes.KindCode, Title: "a transpose is gone",
					Source: result.Source{File: "/srv/models/embed.py", Line: 12, Function: "embed", Text: "return jnp.take(table, ids, axis=0)", Edited: true},
				},
				Price: result.Price{StepNS: -900, StepWasNS: 6100}, Effects: []result.Effect{{Fact: "kernels.total", Was: 3, Is: 2}},
			},
			{
				ID: againID, Level: "error", Target: target, Program: "decode", Variants: []string{"(x: f32[7,512])"},
				Edit: result.Edit{
					Kind: changes.KindArguments, Title: "compiled again: x: f32[1,512] → f32[7,512]",
				},
				Price:    result.Price{Compilations: 1},
				Findings: []string{"33cc44dd55ee"},
				Decision: result.Decision{
					Accept: `xlagate accept --only 5d0e1f2a3b4c --reason "why"`,
					Waived: true, Waiver: &result.Waiver{Reason: "acme/models#12", Owner: "@ml-perf", Expires: "2027-02-01"},
				},
			},
		},
		Findings: []result.Finding{
			{
				ID: "a3f8c21b9d04", Change: splitID, Rule: "max-step-time", Level: "error", Target: target, Program: "softmax", Subject: "price.step_ns",
				Message: "the predicted step takes 11.9 µs: up from 4.1 µs in the baseline, at most 2 % more is allowed", Actual: 11900.0, Limit: 4182.0, Baseline: 4100.0,
			},
			{
				ID: "11aa22bb33cc", Change: splitID, Rule: "required-fusions", Level: "error", Target: target, Program: "softmax", Subject: "softmax",
				Message: `no kernel does subtract, exponential, reduce, divide (fusion "softmax"): 0 of at least 1`, Actual: 0.0, Limit: 1.0, Baseline: 1.0, Reason: "four launches cost more than the softmax itself",
			},
			{ID: "11aa22bb33cd", Change: splitID, Rule: "max-kernels", Level: "error", Target: target, Program: "softmax", Subject: "kernels.total", Message: "4 kernels: at most 1 allowed", Actual: 4.0, Limit: 1.0, Baseline: 1.0},
			{ID: "22bb33cc44dd", Change: bakedID, Rule: "max-constant-bytes", Name: "no-baked-weights", Level: "warning", Target: target, Program: "softmax", Message: "32.0 KiB of constants: up from 0 B", Unit: "bytes", Actual: 32768.0, Limit: 0.0, Baseline: 0.0},
			{
				ID: "33cc44dd55ee", Change: againID, Rule: "no-recompilation", Level: "error", Target: target, Program: "decode", Subject: "variants", Message: "compiled 2 times, 1 in the baseline: x: f32[1,512] → f32[7,512]",
				Waived: true, Waiver: &result.Waiver{Reason: "acme/models#12", Owner: "@ml-perf", Expires: "2027-02-01"},
			},
		},
	}
}

// passing has a program with budgets, one with several variants and one that is new.
func passing() *result.Result {
	variant := func(signature string, kernels, temp float64) result.Variant {
		return result.Variant{
			Signature: signature, Modules: []string{"module_0014.jit_eval"}, Fingerprint: "00ff00ff00ff00ff",
			Facts: facts.Values{"kernels.total": kernels, "fusions.total": kernels - 5, "memory.temp_bytes": temp},
			Base:  facts.Values{"kernels.total": kernels, "fusions.total": kernels - 5, "memory.temp_bytes": temp},
		}
	}
	params := "(p['w0']['kernel']: f32[64,128], p['w0']['bias']: f32[128], p['w1']['kernel']: f32[128,32], x: f32[8,64])"
	fresh := variant("(x: f32[8])", 7, 0)
	fresh.Base = nil
	return &result.Result{
		Schema: result.Schema, Tool: result.Tool{Name: "xlagate", Version: "1.2.3"}, Verdict: "pass",
		Summary: result.Summary{Changes: 2, Checks: 14, Targets: 1, Programs: 3},
		Targets: []result.Target{{
			Name: "mlp/cpu", Dump: "build/xla", Baseline: ".xlagate", NotCovered: []string{},
			Toolchain: facts.Toolchain{Framework: "jax", Versions: map[string]string{"jax": "0.10.2"}, Backend: "cpu"},
			Base:      facts.Toolchain{Framework: "jax", Versions: map[string]string{"jax": "0.9.1"}, Backend: "cpu"},
			Programs: []result.Program{
				{Name: "eval_step", Change: "same", Variants: []result.Variant{variant("(x: f32[8,64])", 12, 0), variant("(x: f32[16,64])", 12, 512)}},
				{Name: "predict", Change: "added", Variants: []result.Variant{fresh}},
				{Name: "train_step", Change: "same", Variants: []result.Variant{variant(params, 19, 1288490189)}},
			},
		}},
		Changes: []result.Change{
			{
				ID: "0b1c2d3e4f50", Level: "better", Target: "mlp/cpu", Program: "eval_step", Variants: []string{"(x: f32[8,64])"},
				Edit: result.Edit{
					Kind: changes.KindCode, Title: "2 copies are gone",
					Source: result.Source{File: "/srv/models/eval.py", Line: 31, Function: "eval_step", Text: "return state"},
				},
				Price:   result.Price{StepNS: -1200, StepWasNS: 38700},
				Effects: []result.Effect{{Fact: "kernels.total", Was: 14, Is: 12}},
			},
			{
				ID: "0c1d2e3f4051", Level: "info", Target: "mlp/cpu", Program: "train_step", Edit: result.Edit{Kind: changes.KindToolchain, Title: "the model asks for the same as before; jax 0.9.1 → 0.10.2"},
				Price: result.Price{StepNS: 12, StepWasNS: 61000},
			},
		},
		Findings: []result.Finding{},
		Notes:    []result.Note{{Kind: "better", Target: "mlp/cpu", Program: "eval_step", Message: "kernels 14 → 12", Fix: "xlagate accept --tighten"}},
		Headroom: []result.Headroom{
			{Target: "mlp/cpu", Program: "train_step", Rule: "max-kernels", Subject: "kernels.all", Actual: 19, Limit: 19},
			{Target: "mlp/cpu", Program: "train_step", Rule: "max-temp-bytes", Subject: "memory.temp_bytes", Actual: 1288490189, Limit: 2 << 30, Unit: "bytes"},
			{Target: "mlp/cpu", Program: "train_step", Rule: "max-output-bytes", Subject: "memory.output_bytes", Actual: 1 << 20, Limit: 4 << 30, Unit: "bytes"},
		},
	}
}

// incomplete could not check one of its two targets.
func incomplete() *result.Result {
	r := passing()
	r.Verdict, r.ExitCode, r.Summary.Targets = "incomplete", 3, 2
	r.Targets = append(r.Targets, result.Target{Name: "train/cpu", Dump: "build/xla", Programs: []result.Program{}, NotCovered: []string{}})
	file := "build/xla/module_0010.jit_train_step.cpu_after_optimizations.txt:118:41"
	r.Problems = []result.Problem{
		{Target: "train/cpu", Rule: "facts-complete", File: file, Message: file + ": the file ends inside an instruction of %fused_computation.4",
			Fix: "the run that wrote it was cut off or is still writing; dump again, or leave the module out with programs.exclude"},
		{Rule: "max-kernels", File: "xlagate.yaml:12:5", Message: `rule max-kernels matches no program: program "trian_step"`, Fix: "fix the pattern or remove the rule"},
	}
	return r
}

// put adds a change with a finding, both of which say one text wherever a text may stand.
func put(r *result.Result, id, level, text string) {
	finding := "f" + id[1:]
	r.Changes = append(r.Changes, result.Change{
		ID: id, Level: level, Target: text, Program: text, Variants: []string{text},
		Edit: result.Edit{
			Kind: changes.KindCode, Title: text, Details: []string{text, text + " "}, OpName: text,
			Source: result.Source{File: text + ".py", Line: 3, Function: text, Text: text, Edited: true},
		},
		Price:   result.Price{StepNS: 7e15, StepWasNS: 3, PeakBytes: -1e18},
		Effects: []result.Effect{{Fact: facts.ID(text), Was: 1, Is: 2}, {Fact: "kernels.total", Was: 1, Is: 2}}, Evidence: result.Evidence{Before: []string{text, "same"}, After: []string{"same", text + "  " + text}},
		Findings: []string{finding}, Decision: result.Decision{Accept: "xlagate accept --only " + id + " " + text},
	})
	r.Findings = append(r.Findings, result.Finding{
		ID: finding, Change: id, Rule: "fusion-drift", Name: text, Level: level, Target: text, Program: text, Variant: text, Subject: text, Message: text, Reason: text, Actual: text, Limit: 1.0, Baseline: 2.0,
	})
}

// ugly carries the names that are hard to show, real and hostile, at every place that shows one.
func ugly() *result.Result {
	r := &result.Result{
		Schema: result.Schema, Tool: result.Tool{Name: "xlagate", Version: "1.2.3"}, Verdict: "incomplete", ExitCode: 3,
		Summary:  result.Summary{Changes: 10, Errors: 5, Warnings: 2, Infos: 1, Waived: 1, Checks: 40, Targets: 2, Programs: 1},
		Problems: []result.Problem{{Target: hostileName, Rule: hostileText, File: hostileName, Message: hostileText, Fix: hostileText}},
		Notes:    []result.Note{{Kind: "better", Target: hostileName, Program: hostileText, Message: hostileName, Fix: hostileText}},
		Headroom: []result.Headroom{{Target: hostileName, Program: hostileText, Rule: hostileName, Subject: hostileText, Actual: 3, Limit: 4}},
	}
	for i, text := range []string{weirdName, bracketName, callbackName, hostileName, hostileText, meshName, fusedName, cublasName + " " + cublasName} {
		put(r, fmt.Sprintf("%012x", i+1), []string{"error", "error", "error", "error", "error", "warning", "warning", "info"}[i], text)
	}
	put(r, "000000000009", "error", bracketName)
	waived := &r.Changes[8]
	waived.Waived, waived.Waiver = true, &result.Waiver{Reason: hostileName, Owner: "@ml-perf", Expires: "2027-02-01"}
	put(r, "00000000000a", "better", hostileText)
	r.Changes[9].Findings, r.Findings = nil, r.Findings[:9]
	values := facts.Values{"kernels.total": 3, hostileName: 4}
	r.Targets = []result.Target{
		{Name: hostileName, Dump: hostileText, Baseline: hostileName, NotCovered: []string{hostileText, hostileName}, Toolchain: facts.Toolchain{Framework: hostileName, Device: hostileText},
			Programs: []result.Program{{Name: hostileText, Change: hostileName, Variants: []result.Variant{{Signature: hostileName, Facts: values, Base: facts.Values{"kernels.total": 2, hostileName: 1}}}}}},
		{Name: weirdName, Dump: meshName, Programs: []result.Program{{Name: callbackName, Change: "removed"}}},
	}
	return r
}
