// Package changestest makes measured programs for the tests of what is read from a ledger.
package changestest

import (
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
)

// Looping is a program with loops of so many iterations at the lines 1, 2, …; -1: of unknown length.
func Looping(lengths ...int64) *facts.Variant {
	v := &facts.Variant{Facts: facts.Values{facts.LoopsWhile: float64(len(lengths)), facts.LoopsUnknown: 0}}
	total := 0.0
	for i, n := range lengths {
		if n < 0 {
			v.Facts[facts.LoopsUnknown]++
		}
		total += float64(max(0, n))
		at := &facts.Site{OpName: "jit(f)/" + string(rune('a'+i)) + "/while", Source: hlo.Location{File: "src/model.py", Line: int32(i + 1)}, Times: 1}
		v.Kernels = append(v.Kernels, facts.Kernel{Form: &facts.Form{Root: "while", Class: facts.ClassControl, Trips: facts.Trips{Length: max(0, n)}}, Site: at})
	}
	if v.Facts[facts.LoopsUnknown] == 0 {
		v.Facts[facts.LoopsTripCount] = total
	}
	return v
}
