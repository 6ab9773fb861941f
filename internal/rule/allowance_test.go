package rule

import (
	"testing"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
)

// Growth that moves less pays for is let pass where the settings say so, and nowhere else.
func TestPaidInTrafficIsAskedFor(t *testing.T) {
	run := func(flops, bytes float64) *facts.Variant {
		return &facts.Variant{Facts: facts.Numbers{"loops.while": 0, "loops.unknown": 0, "loops.trip_count": 0, "cost.flops": flops, "cost.bytes_accessed": bytes}}
	}
	v := &diff.Variant{Old: run(1000, 10000), New: run(4000, 5000)}
	for _, asked := range []bool{false, true} {
		settings := &Settings{Rule: &Rule{}, Options: map[string]any{UnlessCheaper.Key: asked}}
		if got := settings.allowed().Excuses(v, "cost.flops", 3000); got != asked {
			t.Errorf("unless_cheaper: %v: excused: %v", asked, got)
		}
	}
}
