package rules_test

import (
	"testing"

	"github.com/xlagate/xlagate/internal/rule"
	"github.com/xlagate/xlagate/rules"
)

// What the backend_config of a call says decides whether the call is meant, on real kernels; "" where the rule passes.
func TestCallsByBackendConfig(t *testing.T) {
	const triton, mosaic = "gpu-kernel_body/before", "tpu-kernel_body/before"
	for _, c := range []struct{ rule, on, call, says string }{
		{"required-custom-calls", triton, "backend_config: { num_warps: 4, name: accumulate }", ""},
		{"required-custom-calls", triton, "backend_config: { num_stages: 5 }", "*t* with {num_stages: 5} is not called; 1 call of *t*: num_stages is 3"},
		{"required-custom-calls", triton, "backend_config: { stages: 5 }", "*t* with {stages: 5} is not called; 1 call of *t*: nothing says stages, but grid_x, grid_y, grid_z, name, num_stages, num_warps"},
		{"required-custom-calls", triton, "function: accum*", ""},
		{"required-custom-calls", mosaic, "function: accum*", ""},
		{"required-custom-calls", mosaic, "function: attention", "*t* of attention is not called; what is called: tpu_custom_call"},
		{"forbidden-custom-calls", triton, "backend_config: { num_warps: \"[4-8]\" }", "1 call of *t* with {num_warps: [4-8]}, 0 allowed: __gpu$xla.gpu.triton"},
		{"forbidden-custom-calls", triton, "backend_config: { num_warps: 8 }", ""},
		{"forbidden-custom-calls", triton, "backend_config: { warps: 4 }", ""},
	} {
		r := try(t, rules.ByID(c.rule), rule.Example{On: c.on, Config: "- { rule: " + c.rule + ", calls: [{ call: \"*t*\", " + c.call + " }] }"})
		if got := firstMessage(r, c.rule); got != c.says {
			t.Errorf("%s %s on %s:\n%q, wanted\n%q", c.rule, c.call, c.on, got, c.says)
		}
	}
}

// A key that nothing says is told, lest a misspelt one pass for ever.
func TestForbiddenKeyThatNothingSays(t *testing.T) {
	r := try(t, rules.ByID("forbidden-custom-calls"), rule.Example{On: "gpu-kernel_body/before", Config: "- { rule: forbidden-custom-calls, calls: [{ call: \"*triton\", backend_config: { warps: 4, num_stages: 3 } }] }"})
	const want = "forbidden-custom-calls forbids what nothing says: 1 call of *triton: nothing says warps, but grid_x, grid_y, grid_z, name, num_stages, num_warps"
	if len(r.Notes) != 1 || r.Notes[0].Message != want {
		t.Errorf("%+v", r.Notes)
	}
}
