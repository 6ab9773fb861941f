package excuse

import (
	"testing"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/ledger/ledgertest"
)

// An early exit is paid for by one iteration less, and never by more than a twentieth of one in each; what the loop of another place costs
// pays for none.
func TestExitPays(t *testing.T) {
	const computed, moved = 1000, 2000 // by one iteration
	looping := func(length, most int64, flops, bytes float64) *facts.Variant {
		v := ledgertest.Looping(length)
		v.Kernels[0].Most, v.Kernels[0].Stops = most, most > 0
		at := &facts.Site{Loop: v.Kernels[0].OpName, InLoop: true, Times: 1}
		v.Kernels = append(v.Kernels, facts.Kernel{Form: &facts.Form{Flops: computed, Bytes: moved}, Site: at})
		v.Facts["cost.flops"], v.Facts["cost.bytes_accessed"] = flops, bytes
		v.Facts["cost.least_flops"], v.Facts["cost.least_bytes_accessed"] = 10, 10
		if length < 0 {
			v.Facts["loops.early_exit"] = 1
		} else {
			v.Facts["cost.least_flops"], v.Facts["cost.least_bytes_accessed"] = float64(length)*flops, float64(length)*bytes
		}
		return v
	}
	for name, c := range map[string]struct {
		length, most int64
		flops, bytes float64
		pays         bool
	}{
		"costs nothing":                        {31, 31, 5000, 9000, true},
		"costs a thirtieth":                    {31, 31, 5033, 9066, true},
		"computes more than a thirtieth":       {31, 31, 5034, 9000, false},
		"moves more than a thirtieth":          {31, 31, 5000, 9067, false},
		"costs a twentieth of a short loop":    {3, 3, 5050, 9100, true},
		"costs half of a short loop":           {3, 3, 5500, 9000, false},
		"costs as much again":                  {31, 31, 6000, 11000, false},
		"may run longer than it did":           {31, 32, 5000, 9000, false},
		"may run for ever, as far as is known": {31, 0, 5000, 9000, false},
	} {
		v := &diff.Variant{Old: looping(c.length, 0, 5000, 9000), New: looping(-1, c.most, c.flops, c.bytes)}
		if got := exitPays(v); got != c.pays {
			t.Errorf("%s: %v", name, got)
		}
	}
}
