package rules

import (
	"slices"
	"testing"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/rule"
)

// A baseline that does not hold what a TPU keeps in vmem is told: nothing can be compared with it.
func TestVmemThatABaselineDoesNotHold(t *testing.T) {
	was, is := measuredVariant(t, "cases/tpu-states_before_loop/before"), measuredVariant(t, "cases/tpu-states_before_loop/after")
	for _, c := range []struct {
		old  *facts.Variant
		says []string
	}{
		{was, []string{"4.9 MiB of peak memory with vmem: up from 1.2 MiB in the baseline (+306.7 %)"}},
		{withFact(was, facts.MemoryHeld, nil), []string{"max-peak-bytes could not check mamba_layer: the baseline does not hold memory.held_bytes"}},
	} {
		said := rule.NewContext(&rule.Settings{Rule: All.ByID("max-peak-bytes")}, &rule.Target{Name: "t"}, nil)
		v := &changes.Variant{Old: c.old, New: is}
		maxPeakBytes.Variant(said.At(&changes.Program{Name: "mamba_layer"}, v), v)
		var got []string
		for _, f := range said.Findings {
			got = append(got, f.Message)
		}
		for _, p := range said.Problems {
			got = append(got, p.Message)
		}
		if !slices.Equal(got, c.says) {
			t.Errorf("%q, wanted %q", got, c.says)
		}
	}
}
