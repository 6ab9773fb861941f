package rules

import (
	"slices"

	"github.com/xlagate/xlagate/internal/diff/difftest"
	"github.com/xlagate/xlagate/internal/rule"

	"testing"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
)

// earlier is the same as a baseline held it that knew of all loops together only.
func earlier(v *facts.Variant) *facts.Variant {
	for i := range v.Kernels {
		v.Kernels[i].Length = 0
	}
	return v
}

// Each loop is held to its own length, at its own line.
func TestLoopsOneByOne(t *testing.T) {
	six := 6.0
	for _, c := range []struct {
		name       string
		old, fresh *facts.Variant
		most       *float64
		says       []string
	}{
		{"alike", difftest.Looping(3, 5), difftest.Looping(3, 5), nil, nil},
		{"two that change places", difftest.Looping(3, 5), difftest.Looping(5, 3), nil, []string{
			"5 iterations of the loop at model.py:1: up from 3 in the baseline", "3 iterations of the loop at model.py:2: down from 5 in the baseline"}},
		{"one more", difftest.Looping(3), difftest.Looping(3, 5), nil, []string{"5 iterations of loops: up from 0 in the baseline"}},
		{"one less", difftest.Looping(3, 5), difftest.Looping(3), nil, []string{"0 iterations of loops: down from 5 in the baseline"}},
		{"one that is longer than any may be", nil, difftest.Looping(7, 6), &six, []string{"7 iterations of the loop at model.py:1: at most 6 allowed"}},
		{"many short ones", nil, difftest.Looping(6, 6, 6), &six, nil},
		{"an earlier baseline, the same", earlier(difftest.Looping(3, 5)), difftest.Looping(5, 3), nil, nil},
		{"an earlier baseline, more", earlier(difftest.Looping(3, 5)), difftest.Looping(3, 6), nil, []string{"9 iterations of loops: up from 8 in the baseline"}},
		{"unknown", difftest.Looping(3, 5), difftest.Looping(3, -1), nil, []string{"loops-kept could not look: how often the loop at model.py:2 of f runs is not known"}},
		{"unknown in the baseline", difftest.Looping(3, -1), difftest.Looping(3, 5), nil, []string{"loops-kept could not compare: the baseline of f does not hold loops.trip_count"}},
	} {
		s := &rule.Settings{Rule: ByID("loops-kept"), Options: map[string]any{"trip_count": true}}
		if c.most != nil {
			s.Options = map[string]any{"max_trip_count": *c.most}
		}
		said := rule.NewContext(s, &rule.Target{Name: "t"}, nil)
		judgeTrips(said, &diff.Program{Name: "f"}, &diff.Variant{Old: c.old, New: c.fresh})
		var got []string
		for _, f := range said.Findings {
			got = append(got, f.Message)
		}
		for _, p := range said.Problems {
			got = append(got, p.Message)
		}
		if len(got) != len(c.says) {
			t.Errorf("%s: %q, wanted %q", c.name, got, c.says)
			continue
		}
		for i := range got {
			if got[i] != c.says[i] {
				t.Errorf("%s:\n%q, wanted\n%q", c.name, got[i], c.says[i])
			}
		}
	}
}

// How often a loop ran that runs until something is true now is its own length, not how often a kernel in it ran that stands in more loops.
func TestLengthThatWasLost(t *testing.T) {
	v := &diff.Variant{Old: difftest.Looping(8, 4), New: difftest.Looping(-1, 4)}
	inside := func(times int64) facts.Kernel {
		return facts.Kernel{Form: &facts.Form{Class: facts.ClassKernel}, Site: &facts.Site{InLoop: true, Loop: "jit(f)/b/while", Times: times}}
	}
	v.Kernels.Moved = []diff.KernelChange{{Old: inside(32), New: inside(1)}}
	if loop, times := lostLength(v); loop == nil || loop.Source.Line != 1 || times != 8 {
		t.Errorf("%v ran %d times", loop, times)
	}
	v.Old, v.New = difftest.Looping(8), difftest.Looping() // called otherwise now
	if loop, times := lostLength(v); loop == nil || times != 32 {
		t.Errorf("%v ran %d times", loop, times)
	}
}

// A loop that was unrolled is looked for in the layers that it held, not in the helper that says how they spread what they hand on.
func TestUnrolledBesideConstraints(t *testing.T) {
	place := func(line int32) hlo.Location { return hlo.Location{File: "model.py", Line: line} }
	asked := func(added string, removed ...diff.Step) []diff.Edit {
		return []diff.Edit{{Added: []diff.Step{{Opcode: added, Count: 3}}, Removed: removed}}
	}
	looped := diff.Step{Opcode: "while", Count: 1}
	v := &diff.Variant{Old: &facts.Variant{}, New: &facts.Variant{}, Causes: []diff.Cause{
		{Title: "a loop is unrolled; new: 3 Sharding P('data')", Source: place(1), Edits: asked("Sharding P('data')", looped)},
		{Title: "new: 3 dot", Source: place(2), Edits: asked("dot"), After: make([]facts.Kernel, 3)},
	}}
	for i := range v.Causes[1].After {
		v.Causes[1].After[i] = facts.Kernel{Form: &facts.Form{}, Site: &facts.Site{}}
	}
	if c, _ := explainLoops(v); c == nil || c.Source.Line != 2 || c.Title != "new: 3 dot" || !slices.Equal(c.Notes, []string{"a loop is unrolled"}) {
		t.Errorf("%+v", c)
	}
	v.Causes[0].Edits = asked("tanh", looped)
	if c, _ := explainLoops(v); c == nil || c.Source.Line != 1 || c.Title != v.Causes[0].Title {
		t.Errorf("where the loop's own place computes: %+v", c)
	}
}
