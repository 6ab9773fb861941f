package report

import (
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/result"
)

// Each variant has its own number beside the budget, which tells that of the fullest; where the budget counts something else than the fact,
// such as kernels of one kind, there is only the one number.
func TestBudgetOfAVariant(t *testing.T) {
	p := &result.Program{Name: "step", Variants: []result.Variant{
		{Signature: "(x: f32[8])", Facts: facts.Values{"kernels.total": 30, "memory.temp_bytes": 4096}},
		{Signature: "(x: f32[4])", Facts: facts.Values{"kernels.total": 20, "memory.temp_bytes": 2048}},
	}}
	r := &result.Result{Headroom: []result.Headroom{
		{Target: "mlp", Program: "step", Rule: "max-kernels", Key: "max", Actual: 12, Limit: 15},
		{Target: "mlp", Program: "step", Rule: "max-temp-bytes", Subject: "memory.temp_bytes", Key: "max", Actual: 4096, Limit: 1024, Unit: "bytes"},
	}}
	for at, want := range [][]string{{"kernels 12 of 15", "temp 4.0 KiB (limit 1.0 KiB)"}, {"kernels 12 of 15", "temp 2.0 KiB (limit 1.0 KiB)"}} {
		cells := map[string]bool{}
		for _, cell := range variantRow(index(r), &result.Target{Name: "mlp"}, p, at, "") {
			cells[cell.text()] = true
		}
		for _, text := range want {
			if !cells[text] {
				t.Errorf("variant %d has no %q: %v", at, text, cells)
			}
		}
	}
}

// Of a dump that could not be read, nothing says that its programs are gone.
func TestUnreadableTargetHasNoRows(t *testing.T) {
	r := &result.Result{
		Targets:  []result.Target{{Name: "step/cpu", Programs: []result.Program{{Name: "train_step", Change: "removed"}}}},
		Problems: []result.Problem{{Target: "step/cpu", Message: "the dump holds no HLO module"}},
	}
	if text := written(t, r, "text"); strings.Contains(text, "train_step") || !strings.Contains(text, "the dump holds no HLO module") {
		t.Error(text)
	}
	r.Problems = nil
	if text := written(t, r, "text"); !strings.Contains(text, "train_step  gone from the dump") {
		t.Error(text)
	}
}

// Variants that differ in a static value only have the same row, which is shown once.
func TestVariantsAlike(t *testing.T) {
	variant := func(signature string, kernels float64) result.Variant {
		return result.Variant{Signature: signature, Facts: facts.Values{"kernels.total": kernels}}
	}
	r := &result.Result{Targets: []result.Target{{Name: "mlp", Programs: []result.Program{{Name: "step", Change: "same", Variants: []result.Variant{
		variant("(x: f32[8])", 3), variant("(x: f32[8])", 3), variant("(x: f32[8])", 4),
	}}}}}}
	text := written(t, r, "text")
	if strings.Count(text, "step(x: f32[8])") != 2 || strings.Count(text, "step(x: f32[8])  unchanged, 2 variants alike") != 1 {
		t.Error(text)
	}
}
