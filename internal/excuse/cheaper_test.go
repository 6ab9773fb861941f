package excuse

import (
	"testing"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/ledger"
	"github.com/xlagate/xlagate/internal/ledger/ledgertest"
)

// An early exit is paid for by one iteration less, and never by more than a twentieth of one in each; what stands beside the loop pays for
// nothing, and is not paid for.
func TestExitPays(t *testing.T) {
	const computed, moved = 1000, 2000 // by one iteration
	looping := func(length, most, flops, bytes, beside int64) *facts.Variant {
		v := ledgertest.Looping(length, 400)
		form := *v.Kernels[0].Form
		form.Most, form.Stops = most, most > 0
		v.Kernels[0].Form = &form
		first := &facts.Site{Loop: v.Kernels[0].OpName, InLoop: true, Times: max(1, length)}
		other := &facts.Site{Loop: v.Kernels[1].OpName, InLoop: true, Times: 400}
		v.Kernels = append(v.Kernels, facts.Kernel{Form: &facts.Form{Flops: flops, Bytes: bytes}, Site: first})
		v.Kernels = append(v.Kernels, facts.Kernel{Form: &facts.Form{Flops: 10 + beside, Bytes: 10}, Site: other})
		v.Facts["cost.flops"], v.Facts["cost.bytes_accessed"] = float64(flops+10+beside), float64(bytes+10)
		least := 4000.0
		if length < 0 {
			v.Facts["loops.early_exit"] = 1
		} else {
			least += float64(length * computed)
		}
		v.Facts["cost.least_flops"], v.Facts["cost.least_bytes_accessed"] = least, least
		return v
	}
	for name, c := range map[string]struct {
		length, most, flops, bytes, beside int64
		pays                               bool
	}{
		"costs nothing":                        {31, 31, 0, 0, 0, true},
		"costs a thirtieth":                    {31, 31, 33, 66, 0, true},
		"computes more than a thirtieth":       {31, 31, 34, 0, 0, false},
		"moves more than a thirtieth":          {31, 31, 0, 67, 0, false},
		"costs a twentieth of a short loop":    {3, 3, 50, 100, 0, true},
		"costs half of a short loop":           {3, 3, 500, 0, 0, false},
		"costs as much again":                  {31, 31, 1000, 2000, 0, false},
		"may run longer than it did":           {31, 32, 0, 0, 0, false},
		"may run for ever, as far as is known": {31, 0, 0, 0, 0, false},
		"another loop computes more":           {31, 31, 0, 0, 1, false},
		"another loop computes less for it":    {31, 31, 34, 0, -9, false},
	} {
		v := &diff.Variant{Old: looping(c.length, 0, computed, moved, 0), New: looping(-1, c.most, computed+c.flops, moved+c.bytes, c.beside)}
		if got := ledger.SameLoops(v) && exitPays(v); got != c.pays {
			t.Errorf("%s: %v", name, got)
		}
	}
}
