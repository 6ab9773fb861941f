package excuse

import (
	"maps"
	"testing"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/ledger/ledgertest"
)

// pair is a program that did not change, until facts of it are set anew or else what is there is changed.
func pair(fresh facts.Numbers, change func(*diff.Variant)) *diff.Variant {
	variant := func() *facts.Variant {
		return &facts.Variant{
			Facts: facts.Numbers{
				"loops.while": 0, "loops.unknown": 0, "kernels.total": 10, "cost.flops": 1000, "cost.bytes_accessed": 1000, "converts.elements": 0, "donation.aliased_bytes": 10, "collectives.all-reduce.count": 1,
				"memory.temp_bytes": 100, "memory.argument_bytes": 100, "memory.output_bytes": 100, "memory.constant_bytes": 100, "memory.alias_bytes": 10, "memory.peak_bytes": 390,
			},
			Constants: []facts.Constant{{Bytes: 100}},
			Kernels:   []facts.Kernel{{Form: &facts.Form{Bytes: 1000}, Site: &facts.Site{Times: 1}}},
		}
	}
	v := &diff.Variant{Old: variant(), New: variant()}
	maps.Copy(v.New.Facts, fresh)
	if change != nil {
		change(v)
	}
	return v
}

func moves(bytes int64) func(*diff.Variant) {
	return func(v *diff.Variant) { v.New.Kernels[0].Bytes = bytes }
}

func fewerConstants(moved int64) func(*diff.Variant) {
	return func(v *diff.Variant) { v.New.Constants[0].Bytes, v.New.Kernels[0].Bytes = 40, moved }
}

func copies(attrs string, class facts.Class) func(*diff.Variant) {
	return func(v *diff.Variant) {
		v.New.Kernels = append(v.New.Kernels, facts.Kernel{Form: &facts.Form{Bytes: 500, Class: class, Attrs: attrs}, Site: &facts.Site{Times: 1}})
	}
}

func causes(kinds ...string) func(*diff.Variant) {
	return func(v *diff.Variant) {
		for _, k := range kinds {
			v.Causes = append(v.Causes, diff.Cause{Kind: k})
		}
	}
}

// loops puts one kernel into a loop of a hundred rounds, and so many that compute anything less into the loop of the new program.
func loops(was, is int64, times ...int64) func(*diff.Variant) {
	in := func(v *facts.Variant, flops, times int64) {
		v.Kernels = append(v.Kernels, facts.Kernel{Form: &facts.Form{Flops: flops}, Site: &facts.Site{Times: times, InLoop: true}})
	}
	return func(v *diff.Variant) {
		in(v.Old, was, 100)
		for _, n := range times {
			in(v.New, is, n)
			is = 0
		}
	}
}

// Every reason to let growth pass holds up to its edge, for the facts that it speaks of, and no further.
func TestExcusesEndSomewhere(t *testing.T) {
	none, cheaper := Allowance{}, Allowance{Cheaper: true}
	room := Allowance{Cheaper: true, Room: func(float64) float64 { return 0 }}
	half := facts.Numbers{"cost.flops": 500, "cost.bytes_accessed": 500}
	for name, c := range map[string]struct {
		by     Allowance
		fact   string
		grown  float64
		fresh  facts.Numbers
		change func(*diff.Variant)
		passes bool
	}{
		"no growth":                          {Allowance{Least: 10}, "kernels.total", 0, nil, nil, false},
		"less than the least":                {Allowance{Least: 10}, "kernels.total", 9, nil, nil, true},
		"the least":                          {Allowance{Least: 10}, "kernels.total", 10, nil, nil, false},
		"no baseline":                        {Allowance{Least: 10}, "kernels.total", 9, nil, func(v *diff.Variant) { v.Old = nil }, false},
		"costs nothing":                      {Allowance{Costless: true}, "unfused", 1, nil, nil, true},
		"costs a launch":                     {Allowance{Costless: true}, "unfused", 1, facts.Numbers{"kernels.total": 11}, nil, false},
		"nothing speaks for it":              {none, "fusions.total", 1, nil, nil, false},
		"fewer constants at the peak":        {none, "memory.peak_bytes", 60, facts.Numbers{"memory.temp_bytes": 300}, fewerConstants(1000), true},
		"more at the peak than constants":    {none, "memory.peak_bytes", 61, facts.Numbers{"memory.temp_bytes": 300}, fewerConstants(1000), false},
		"a peak in what is reserved":         {none, "memory.peak_bytes", 61, nil, nil, true},
		"a peak as less is updated in place": {none, "memory.peak_bytes", 61, facts.Numbers{"memory.alias_bytes": 9}, nil, false},
		"a wobble of traffic":                {none, "cost.bytes_accessed", 9, nil, moves(1010), true},
		"more traffic":                       {none, "cost.bytes_accessed", 9, nil, moves(1011), false},
		"constants became arguments":         {none, "cost.bytes_accessed", 9, facts.Numbers{"memory.argument_bytes": 150}, fewerConstants(1050), true},
		"and one byte more":                  {none, "cost.bytes_accessed", 9, facts.Numbers{"memory.argument_bytes": 150}, fewerConstants(1051), false},
		"more arguments than constants":      {none, "cost.bytes_accessed", 9, facts.Numbers{"memory.argument_bytes": 900}, fewerConstants(1061), false},
		"onto the chip":                      {none, "cost.bytes_accessed", 9, nil, copies("{1,0:T(8,128)} → {1,0:T(8,128)S(1)}", facts.ClassCopy), true},
		"onto the chip, untiled":             {none, "cost.bytes_accessed", 9, nil, copies("{1,0} → {1,0:S(1)}", facts.ClassCopy), true},
		"onto the chip in another layout":    {none, "cost.bytes_accessed", 9, nil, copies("{1,0:T(8,128)} → {0,1:T(8,128)S(1)}", facts.ClassCopy), false},
		"a copy in place":                    {none, "cost.bytes_accessed", 9, nil, copies("{1,0} → {1,0}", facts.ClassCopy), false},
		"a kernel onto the chip":             {none, "cost.bytes_accessed", 9, nil, copies("{1,0} → {1,0:S(1)}", facts.ClassKernel), false},
		"conversions":                        {none, "cost.flops", 20, facts.Numbers{"converts.elements": 20, "cost.bytes_accessed": 999}, nil, true},
		"more than conversions":              {none, "cost.flops", 21, facts.Numbers{"converts.elements": 20, "cost.bytes_accessed": 999}, nil, false},
		"conversions that save nothing":      {none, "cost.flops", 20, facts.Numbers{"converts.elements": 20}, nil, false},
		"arithmetic that saves traffic":      {none, "cost.flops", 20, facts.Numbers{"cost.flops": 1020, "cost.bytes_accessed": 900}, nil, false},
		"and may, where a run is cheaper":    {cheaper, "cost.flops", 20, facts.Numbers{"cost.flops": 1020, "cost.bytes_accessed": 900}, nil, true},
		"only donated":                       {none, "copies.count", 1, facts.Numbers{"donation.aliased_bytes": 20}, causes(diff.CauseDonation), true},
		"donated, and less is":               {none, "copies.count", 1, nil, causes(diff.CauseDonation), false},
		"donated among others":               {none, "copies.count", 1, facts.Numbers{"donation.aliased_bytes": 20}, causes(diff.CauseDonation, "other"), false},
		"donated, but more kernels":          {none, "kernels.total", 1, facts.Numbers{"donation.aliased_bytes": 20}, causes(diff.CauseDonation), false},
		"taken from another cluster":         {none, "memory.temp_bytes", 1, nil, func(v *diff.Variant) { v.Regrouped = true }, true},
		"and more is reserved":               {none, "memory.temp_bytes", 1, facts.Numbers{"memory.output_bytes": 101}, func(v *diff.Variant) { v.Regrouped = true }, false},
		"transposed to move less":            {cheaper, "transposes.count", 1, facts.Numbers{"cost.bytes_accessed": 900}, nil, true},
		"transposed to move hardly less":     {cheaper, "transposes.count", 1, facts.Numbers{"cost.bytes_accessed": 960}, nil, false},
		"kernels to move less":               {cheaper, "kernels.total", 1, facts.Numbers{"cost.bytes_accessed": 900}, nil, false},
		"kernels for half the work":          {cheaper, "kernels.total", 1, half, nil, true},
		"and without leave":                  {none, "kernels.total", 1, half, nil, false},
		"room for half the work":             {cheaper, "memory.temp_bytes", 1, half, nil, false},
		"room that is there":                 {room, "memory.temp_bytes", 1, half, nil, true},
		"out of a loop":                      {cheaper, "kernels.total", 1, nil, loops(100, 99, 100), true},
		"out of a loop, hardly":              {cheaper, "kernels.total", 1, nil, loops(101, 100, 100), false},
		"out of a loop that launches more":   {cheaper, "kernels.total", 1, nil, loops(100, 10, 100, 100), false},
		"a fusion less, and nothing more":    {cheaper, MissingFusions, 1, nil, nil, true},
		"a fusion less for a collective":     {cheaper, MissingFusions, 1, facts.Numbers{"collectives.all-reduce.count": 2}, nil, false},
	} {
		if got := c.by.Excuses(pair(c.fresh, c.change), c.fact, c.grown); got != c.passes {
			t.Errorf("%s: %v", name, got)
		}
	}
	for _, fact := range []string{"memory.temp_bytes", "memory.allocation_bytes", "copies.count", LoopCopies, "instructions.after", "kernels.all", "unfused"} {
		if !none.Excuses(pair(facts.Numbers{"donation.aliased_bytes": 20}, causes(diff.CauseDonation)), fact, 1) {
			t.Errorf("%s grows, as more is donated", fact)
		}
	}
	known := &diff.Variant{Old: ledgertest.Looping(3, -1), New: ledgertest.Looping(3, 5)}
	back := &diff.Variant{Old: known.New, New: known.Old}
	if !none.Excuses(known, "cost.estimated_cycles", 1) || none.Excuses(back, "cost.estimated_cycles", 1) || none.Excuses(known, "cost.transcendentals", 1) {
		t.Error("cycles grow where it becomes known how often a loop runs, and there only")
	}
}
