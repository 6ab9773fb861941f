package rules_test

import (
	"testing"

	"github.com/xlagate/xlagate/internal/rule"
	"github.com/xlagate/xlagate/rules"
)

// One process combines its all-reduces and the other does not: the input program is the same, the collectives are not.
func TestSameProgramToOtherCollectives(t *testing.T) {
	r := try(t, rules.All.ByID("same-on-every-process"), rule.Example{On: "process-combined", Config: "- { rule: same-on-every-process }"})
	if len(r.Findings) != 1 || len(r.Changes) != 1 {
		t.Fatalf("%d findings in %d changes, want 1 in 1", len(r.Findings), len(r.Changes))
	}
	const want = "the devices wait for each other: host0 runs f32[] all-reduce channel 1, 1 of 4 where host1 runs f32[64,64] all-reduce channel 2, 1 of 4"
	if got := r.Findings[0].Message; got != want {
		t.Errorf("found %q, want %q", got, want)
	}
	if r.Changes[0].Accept != "" {
		t.Errorf("%q accepts it, but nothing can", r.Changes[0].Accept)
	}
}
