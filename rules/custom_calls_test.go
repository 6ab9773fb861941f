package rules_test

import (
	"testing"

	"github.com/xlagate/xlagate/internal/rule"
	"github.com/xlagate/xlagate/rules"
)

// A key that no call has is reported, lest a misspelt one pass for ever.
func TestForbiddenKeyThatNothingSays(t *testing.T) {
	r := try(t, rules.All.ByID("forbidden-custom-calls"), rule.Example{On: "gpu-kernel_body/before", Config: "- { rule: forbidden-custom-calls, calls: [{ call: \"*triton\", backend_config: { warps: 4, num_stages: 3 } }] }"})
	const want = "forbidden-custom-calls matches no call in the dump or the baseline: 1 call of *triton: the calls have no warps, but grid_x, grid_y, grid_z, name, num_stages, num_warps"
	if len(r.Notes) != 1 || r.Notes[0].Message != want {
		t.Errorf("%+v", r.Notes)
	}
}
