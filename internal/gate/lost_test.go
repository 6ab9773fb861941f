package gate

import (
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/result"
)

// What nobody kept gets lost without a finding; the check after it says so, and how far the baseline lies above it.
func TestLostImprovement(t *testing.T) {
	checked := func(device string, step, base float64) *result.Result {
		v := result.Variant{Signature: "(x: f32[8])", Facts: facts.Values{stepTime: step}, Base: facts.Values{stepTime: base}}
		return &result.Result{Targets: []result.Target{{Name: "mlp", Device: device, Programs: []result.Program{{Name: "step", Variants: []result.Variant{v}}}}}}
	}
	for _, tt := range []struct {
		name    string
		last, r *result.Result
		want    string
	}{
		{"lost", checked("l4", 300, 400), checked("l4", 400, 400), "had 300 ns of predicted step time, this one has 400 ns: nothing fails, because the baseline lies 33 % above"},
		{"kept", checked("l4", 300, 400), checked("l4", 300, 300), ""},
		{"still better", checked("l4", 300, 400), checked("l4", 310, 400), ""},
		{"as it was", checked("l4", 400, 400), checked("l4", 400, 400), ""},
		{"another device", checked("h100-sxm", 300, 400), checked("l4", 400, 400), ""},
		{"the first check", nil, checked("l4", 400, 400), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			noteLost(tt.r, tt.last)
			said := ""
			for _, n := range tt.r.Notes {
				said += n.Kind + " " + n.Program + " " + n.Message
			}
			if tt.want == "" && said != "" || !strings.Contains(said, tt.want) {
				t.Errorf("said %q, want %q", said, tt.want)
			}
		})
	}
}
