package rules

import (
	"testing"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
)

// looping is a program with loops of so many iterations at the lines 1, 2, …; -1: of unknown length.
func looping(lengths ...int64) *facts.Variant {
	v := &facts.Variant{Facts: facts.Numbers{"loops.while": float64(len(lengths)), "loops.unknown": 0}}
	total := 0.0
	for i, n := range lengths {
		if n < 0 {
			v.Facts["loops.unknown"]++
		}
		total += float64(max(0, n))
		at := &facts.Site{OpName: "jit(f)/" + string(rune('a'+i)) + "/while", Source: hlo.Location{File: "src/model.py", Line: int32(i + 1)}, Times: 1}
		v.Kernels = append(v.Kernels, facts.Kernel{Form: &facts.Form{Root: "while", Class: facts.ClassControl}, Site: at, Length: max(0, n)})
	}
	if v.Facts["loops.unknown"] == 0 {
		v.Facts["loops.trip_count"] = total
	}
	return v
}

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
		{"alike", looping(3, 5), looping(3, 5), nil, nil},
		{"two that change places", looping(3, 5), looping(5, 3), nil, []string{
			"5 iterations of the loop at model.py:1: up from 3 in the baseline", "3 iterations of the loop at model.py:2: down from 5 in the baseline"}},
		{"one more", looping(3), looping(3, 5), nil, []string{"5 iterations of loops: up from 0 in the baseline"}},
		{"one less", looping(3, 5), looping(3), nil, []string{"0 iterations of loops: down from 5 in the baseline"}},
		{"one that is longer than any may be", nil, looping(7, 6), &six, []string{"7 iterations of the loop at model.py:1: at most 6 allowed"}},
		{"many short ones", nil, looping(6, 6, 6), &six, nil},
		{"an earlier baseline, the same", earlier(looping(3, 5)), looping(5, 3), nil, nil},
		{"an earlier baseline, more", earlier(looping(3, 5)), looping(3, 6), nil, []string{"9 iterations of loops: up from 8 in the baseline"}},
		{"unknown", looping(3, 5), looping(3, -1), nil, []string{"loops-kept could not look: how often the loop at model.py:2 of f runs is not known"}},
		{"unknown in the baseline", looping(3, -1), looping(3, 5), nil, []string{"loops-kept could not compare: the baseline of f does not hold loops.trip_count"}},
	} {
		s := &Settings{Rule: ByID("loops-kept"), Options: map[string]any{"trip_count": true}}
		if c.most != nil {
			s.Options = map[string]any{"max_trip_count": *c.most}
		}
		said := NewContext(s, &Target{Name: "t"}, nil)
		said.judgeTrips(&diff.Program{Name: "f"}, &diff.Variant{Old: c.old, New: c.fresh})
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

// early makes a loop one that may end early, after so many iterations at the latest.
func early(v *facts.Variant, loop int, most int64) *facts.Variant {
	v.Kernels[loop].Length, v.Kernels[loop].Most = 0, most
	v.Facts["loops.unknown"]++
	delete(v.Facts, "loops.trip_count")
	return v
}

// A loop that may end early costs no more than before only where all others are as they were.
func TestEndSooner(t *testing.T) {
	for _, c := range []struct {
		name       string
		old, fresh *facts.Variant
		sooner     int
	}{
		{"one of two", looping(50, 10), early(looping(50, 10), 0, 50), 1},
		{"later than before", looping(50, 10), early(looping(50, 10), 0, 51), 0},
		{"at a time that nobody knows", looping(50, 10), early(looping(50, 10), 0, 0), 0},
		{"while the other became longer", looping(50, 10), early(looping(50, 1000), 0, 50), 0},
		{"while another came", looping(50), early(looping(50, 1000), 0, 50), 0},
		{"while the other went", looping(50, 10), early(looping(50), 0, 50), 0},
	} {
		if got := len(endSooner(c.old, c.fresh)); got != c.sooner {
			t.Errorf("%s: %d loops end sooner, want %d", c.name, got, c.sooner)
		}
		if got := sameLoops(&diff.Variant{Old: c.old, New: c.fresh}); got != (c.sooner > 0) {
			t.Errorf("%s: the loops are the same: %v", c.name, got)
		}
	}
}

// More cycles are counted where it became known how often a loop runs, and not for any other reason.
func TestOnlyBecameKnown(t *testing.T) {
	for _, c := range []struct {
		name       string
		old, fresh *facts.Variant
		want       bool
	}{
		{"it did", looping(3, -1), looping(3, 5), true},
		{"nothing did", looping(3, 5), looping(3, 5), false},
		{"nor does it still", looping(3, -1), looping(3, -1), false},
		{"one came", looping(3), looping(3, -1), false},
		{"one went", looping(3, -1), looping(3), false},
		{"while another became longer", looping(3, -1), looping(4, 5), false},
	} {
		if got := onlyBecameKnown(c.old, c.fresh); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// carrying gives the loops of a program one name, as those in one function have, and what each of them carries.
func carrying(v *facts.Variant, what ...string) *facts.Variant {
	for i := range v.Kernels {
		v.Kernels[i].OpName, v.Kernels[i].Out = "jit(f)/while/body/while", what[i]
	}
	return v
}

// Of loops that are called alike, one is known again by what it carries, even where another runs as often now.
func TestLoopsOfOneName(t *testing.T) {
	old, fresh := carrying(looping(32, 4), "(s32[], pred[32,16])", "(f32[64])"), carrying(looping(4, 4), "(s32[], pred[4,8,16])", "(f32[64])")
	pairs, gone, added := pairLoops(loopsOf(old), loopsOf(fresh))
	if len(gone)+len(added) > 0 || len(pairs) != 2 {
		t.Fatal(pairs, gone, added)
	}
	for _, pair := range pairs {
		if pair[0].Source.Line != pair[1].Source.Line {
			t.Errorf("the loop at line %d is taken for the one at line %d", pair[1].Source.Line, pair[0].Source.Line)
		}
	}
}

// How often a loop ran that runs until something is true now is its own length, not how often a kernel in it ran that stands in more loops.
func TestLengthThatWasLost(t *testing.T) {
	v := &diff.Variant{Old: looping(8, 4), New: looping(-1, 4)}
	inside := func(times int64) facts.Kernel {
		return facts.Kernel{Form: &facts.Form{Class: facts.ClassKernel}, Site: &facts.Site{InLoop: true, Loop: "jit(f)/b/while", Times: times}}
	}
	v.Kernels.Moved = []diff.KernelChange{{Old: inside(32), New: inside(1)}}
	if loop, times := lostLength(v); loop == nil || loop.Source.Line != 1 || times != 8 {
		t.Errorf("%v ran %d times", loop, times)
	}
	v.Old, v.New = looping(8), looping() // called otherwise now
	if loop, times := lostLength(v); loop == nil || times != 32 {
		t.Errorf("%v ran %d times", loop, times)
	}
}

// More work for no other reason than that a loop runs more often is put down to that loop.
func TestLoopThatRunsMoreOften(t *testing.T) {
	for _, c := range []struct {
		old, fresh *facts.Variant
		edits      []diff.Edit
		says       string
		line       int
	}{
		{looping(8, 4), looping(8, 8), nil, "the loop ran 4 times, now 8", 2},
		{looping(8, 4), looping(9, 8), nil, "the loop ran 4 times, now 8; 1 other loop became longer as well", 2},
		{looping(8, 4), looping(8, 4), nil, "", 0},
		{looping(8, 4), looping(8, 2), nil, "", 0},
		{looping(-1), looping(4), nil, "", 0},
		{looping(8, 4), looping(8, 8), []diff.Edit{{Scope: "jit(f)/b"}}, "", 0},
	} {
		v := &diff.Variant{Old: c.old, New: c.fresh}
		v.Model.Edits = c.edits
		says, line := "", 0
		if cause, _ := explainLonger(v); cause != nil {
			says, line = cause.Summary, cause.Source.Line
		}
		if says != c.says || line != c.line {
			t.Errorf("%q at line %d, wanted %q at line %d", says, line, c.says, c.line)
		}
	}
}
