package excuse

import (
	"testing"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
)

// What moves in a loop that runs very often is more than an integer holds.
func TestMovesMoreThanAnIntegerHolds(t *testing.T) {
	moving := func(bytes int64) *facts.Variant {
		return &facts.Variant{Kernels: []facts.Kernel{{Form: &facts.Form{Bytes: bytes, Flops: bytes}, Site: &facts.Site{Times: 1<<31 - 1, InLoop: true}}}}
	}
	grown := &diff.Variant{Old: moving(8 << 10), New: moving(8 << 30)}
	if !movesMore(grown) {
		t.Error("a million times as much is not more")
	}
	if inLoops(grown.New).Flops <= inLoops(grown.Old).Flops {
		t.Error("nor are a million times as many operations")
	}
}

func costing(old, fresh facts.Numbers) *diff.Variant {
	return &diff.Variant{Old: &facts.Variant{Facts: old}, New: &facts.Variant{Facts: fresh}}
}

// A cost that only one side knows, or that hardly fell, is no gain, and excuses nothing.
func TestFewerCycles(t *testing.T) {
	const cycles = "cost.estimated_cycles"
	for name, c := range map[string]struct {
		old, fresh facts.Numbers
		fewer      bool
	}{
		"clearly":        {facts.Numbers{cycles: 1000}, facts.Numbers{cycles: 949}, true},
		"hardly":         {facts.Numbers{cycles: 1000}, facts.Numbers{cycles: 950}, false},
		"not known now":  {facts.Numbers{cycles: 1000}, nil, false},
		"not known then": {nil, facts.Numbers{cycles: 1000}, false},
	} {
		if got := fewerCycles(costing(c.old, c.fresh)); got != c.fewer {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// More launches alone cost more, and so do more bytes alone; a wobble does not.
func TestCostlier(t *testing.T) {
	was := facts.Numbers{"kernels.total": 4, "cost.bytes_accessed": 1000}
	for name, c := range map[string]struct {
		kernels, bytes float64
		more           bool
	}{
		"the same": {4, 1000, false}, "launches": {5, 1000, true}, "launches, fewer bytes": {5, 900, true}, "bytes": {4, 1011, true},
		"bytes, fewer launches": {3, 1011, true}, "a wobble": {4, 1010, false}, "less": {3, 900, false},
	} {
		if got := Costlier(costing(was, facts.Numbers{"kernels.total": c.kernels, "cost.bytes_accessed": c.bytes})); got != c.more {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// The room at the peak is held to the allowed growth, to the byte.
func TestSameRoom(t *testing.T) {
	const peak = "memory.peak_bytes"
	none := func(float64) float64 { return 0 }
	for name, c := range map[string]struct {
		room       func(float64) float64
		old, fresh facts.Numbers
		same       bool
	}{
		"none allowed, none":   {none, facts.Numbers{peak: 1000}, facts.Numbers{peak: 1000}, true},
		"none allowed, a byte": {none, facts.Numbers{peak: 1000}, facts.Numbers{peak: 1001}, false},
		"some allowed":         {func(old float64) float64 { return old * 5 / 100 }, facts.Numbers{peak: 1000}, facts.Numbers{peak: 1050}, true},
		"more than allowed":    {func(old float64) float64 { return old * 5 / 100 }, facts.Numbers{peak: 1000}, facts.Numbers{peak: 1051}, false},
		"not known":            {none, facts.Numbers{peak: 1000}, nil, false},
		"not held":             {nil, facts.Numbers{peak: 1000}, facts.Numbers{peak: 1000}, false},
	} {
		if got := (Allowance{Room: c.room}).sameRoom(costing(c.old, c.fresh)); got != c.same {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// Work that moved into custom calls looks as if it were gone: a run of more of them is not cheaper.
func TestCheaperThanCustomCalls(t *testing.T) {
	calling := func(calls int, flops float64) *facts.Variant {
		v := &facts.Variant{Facts: facts.Numbers{"loops.while": 0, "loops.unknown": 0, "loops.trip_count": 0, "cost.flops": flops, "cost.bytes_accessed": flops}}
		for range calls {
			v.Kernels = append(v.Kernels, facts.Kernel{Form: &facts.Form{Target: "__cublas$gemm", Class: facts.ClassLibrary}, Site: &facts.Site{Times: 1}})
		}
		return v
	}
	for _, c := range []struct {
		old, fresh *facts.Variant
		want       bool
	}{
		{calling(0, 100), calling(0, 40), true},
		{calling(2, 100), calling(2, 40), true},
		{calling(2, 100), calling(1, 40), true},
		{calling(0, 100), calling(4, 40), false},
		{calling(2, 100), calling(3, 40), false},
	} {
		v := &diff.Variant{Old: c.old, New: c.fresh}
		if cheaper(v) != c.want || movesLess(v) != c.want {
			t.Errorf("%d calls and %v, %d and %v before: cheaper %v, moves less %v", len(c.fresh.Kernels), c.fresh.Facts["cost.flops"], len(c.old.Kernels), c.old.Facts["cost.flops"], cheaper(v), movesLess(v))
		}
	}
}

// A fusion that is pinned may be gone only where nothing at all grew.
func TestHoldsNoMore(t *testing.T) {
	run := func(name string, more float64) *facts.Variant {
		v := &facts.Variant{Facts: facts.Numbers{
			"loops.while": 0, "loops.unknown": 0, "kernels.total": 10, "cost.flops": 100, "cost.bytes_accessed": 100, "cost.estimated_cycles": 100, "memory.temp_bytes": 100,
		}}
		v.Kernels = []facts.Kernel{{Form: &facts.Form{Bytes: 100}, Site: &facts.Site{Times: 1}}}
		if v.Facts[name] += more; name == "moved" {
			v.Kernels[0].Bytes += int64(more)
		}
		return v
	}
	if !holdsNoMore(&diff.Variant{Old: run("", 0), New: run("cost.flops", -50)}) {
		t.Error("less arithmetic: false")
	}
	for _, name := range []string{"kernels.total", "cost.flops", "cost.bytes_accessed", "cost.estimated_cycles", "memory.temp_bytes", "collectives.all-gather.count", "moved"} {
		if holdsNoMore(&diff.Variant{Old: run("", 0), New: run(name, 5)}) {
			t.Errorf("more of %s: true", name)
		}
	}
}

// A loop that went may have cost more than what stands in its place, as far as it is known how often all loops run.
func TestMovesLessWithoutALoop(t *testing.T) {
	looping := func(loops, unknown, moved, weighted float64) *facts.Variant {
		return &facts.Variant{Facts: facts.Numbers{
			"loops.while": loops, "loops.unknown": unknown, "cost.flops": 100, "cost.weighted_flops": 100,
			"cost.bytes_accessed": moved, "cost.weighted_bytes_accessed": weighted,
		}}
	}
	straight := func(moved float64) *facts.Variant {
		return &facts.Variant{Facts: facts.Numbers{"loops.while": 0, "loops.unknown": 0, "cost.flops": 100, "cost.bytes_accessed": moved}}
	}
	for name, c := range map[string]struct {
		old, fresh *facts.Variant
		want       bool
	}{
		"a loop less, less moved":       {looping(2, 0, 90, 200), looping(1, 0, 100, 120), true},
		"a loop less, more moved":       {looping(2, 0, 90, 200), looping(1, 0, 80, 300), false},
		"a loop less, unknown before":   {looping(2, 1, 90, 200), looping(1, 0, 80, 120), false},
		"a loop less, one unknown":      {looping(2, 0, 90, 200), looping(1, 1, 80, 120), false},
		"a loop more":                   {looping(1, 0, 90, 200), looping(2, 0, 80, 120), false},
		"no loop any more, less moved":  {looping(1, 0, 90, 200), straight(80), true},
		"no loop any more, hardly less": {looping(1, 0, 90, 200), straight(89), false},
	} {
		if got := movesLess(&diff.Variant{Old: c.old, New: c.fresh}); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func expecting(cycles float64, v *facts.Variant) *facts.Variant {
	v.Facts["cost.estimated_cycles"] = cycles
	return v
}

// Arithmetic that a run pays for with less traffic is no growth, unless it is not known what the run costs.
func TestPaidInTraffic(t *testing.T) {
	run := func(flops, bytes float64, calls int) *facts.Variant {
		v := &facts.Variant{Facts: facts.Numbers{"loops.while": 0, "loops.unknown": 0, "loops.trip_count": 0, "cost.flops": flops, "cost.bytes_accessed": bytes}}
		for range calls {
			v.Kernels = append(v.Kernels, facts.Kernel{Form: &facts.Form{Target: "__cublas$gemm", Class: facts.ClassLibrary}, Site: &facts.Site{Times: 1}})
		}
		return v
	}
	for name, c := range map[string]struct {
		fresh *facts.Variant
		want  bool
	}{
		"an operation for a byte":           {run(1100, 900, 1), true},
		"more operations than bytes":        {run(1101, 900, 1), false},
		"more of both":                      {run(1100, 1001, 1), false},
		"what moved into calls":             {run(1010, 100, 2), false},
		"what computes less and moves more": {run(900, 1100, 1), true},
		"what takes more cycles":            {expecting(1200, run(1100, 900, 1)), false},
	} {
		if got := paidInTraffic(&diff.Variant{Old: expecting(1000, run(1000, 1000, 1)), New: c.fresh}, 1); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// Clusters that merged may compute a little twice for what they no longer keep, as long as nobody asked for more.
func TestOnlyMerged(t *testing.T) {
	merged := func(flops, bytes, kernels, temp float64, edits ...diff.Edit) *diff.Variant {
		v := costing(facts.Numbers{"cost.flops": 1000, "cost.bytes_accessed": 1000, "kernels.total": 4, "loops.while": 0, "memory.temp_bytes": 100},
			facts.Numbers{"cost.flops": flops, "cost.bytes_accessed": bytes, "kernels.total": kernels, "loops.while": 0, "memory.temp_bytes": temp})
		v.Regrouped, v.Model = true, diff.Model{Known: true, Edits: edits}
		return v
	}
	multiplying := func(v *diff.Variant, flops int64) *diff.Variant {
		dot := func(flops int64) []facts.Kernel {
			return []facts.Kernel{{Form: &facts.Form{Do: facts.OpcodesOf("dot"), Flops: flops}, Site: &facts.Site{}}}
		}
		v.Old.Kernels, v.New.Kernels = dot(200), dot(flops)
		return v
	}
	alone, unknown := merged(1300, 900, 3, 100), merged(1300, 900, 3, 100)
	alone.Regrouped, unknown.Model.Known = false, false
	gone, added := diff.Edit{Removed: []diff.Step{{Opcode: "sqrt"}}}, diff.Edit{Added: []diff.Step{{Opcode: "exponential"}}}
	for name, c := range map[string]struct {
		v    *diff.Variant
		want bool
	}{
		"launches, moves and holds less":       {merged(1300, 900, 3, 100, gone), true},
		"one cluster":                          {alone, false},
		"who knows what was asked for":         {unknown, false},
		"asked for more":                       {merged(1300, 900, 3, 100, gone, added), false},
		"launches as much":                     {merged(1300, 900, 4, 100, gone), false},
		"holds more":                           {merged(1300, 900, 3, 101, gone), false},
		"a product computes more":              {multiplying(merged(1300, 900, 3, 100, gone), 201), false},
		"products compute as much":             {multiplying(merged(1300, 900, 3, 100, gone), 200), true},
		"computes much for what it saves":      {merged(1401, 900, 3, 100, gone), false},
		"computes more, and moves more of all": {merged(1300, 1100, 3, 100, gone), false},
	} {
		if got := onlyMerged(c.v); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// Where of two that were computed one is left, what chooses it may cost a little.
func TestHardlyMoreThanHalf(t *testing.T) {
	was := facts.Numbers{"cost.flops": 1000, "cost.bytes_accessed": 1000}
	for _, c := range []struct {
		flops, bytes float64
		less         bool
	}{{500, 510, true}, {550, 550, true}, {551, 500, false}, {500, 551, false}} {
		if got := muchLess(costing(was, facts.Numbers{"cost.flops": c.flops, "cost.bytes_accessed": c.bytes})); got != c.less {
			t.Errorf("%v operations, %v bytes of a thousand: %v", c.flops, c.bytes, got)
		}
	}
}
