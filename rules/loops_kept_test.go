package rules

import (
	"testing"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/changes/changestest"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/rule"
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
		{"alike", changestest.Looping(3, 5), changestest.Looping(3, 5), nil, nil},
		{"two that change places", changestest.Looping(3, 5), changestest.Looping(5, 3), nil, []string{
			"5 iterations of the loop at model.py:1: up from 3 in the baseline", "3 iterations of the loop at model.py:2: down from 5 in the baseline"}},
		{"one more", changestest.Looping(3), changestest.Looping(3, 5), nil, []string{"5 iterations of loops: up from 0 in the baseline"}},
		{"one less", changestest.Looping(3, 5), changestest.Looping(3), nil, []string{"0 iterations of loops: down from 5 in the baseline"}},
		{"one that is longer than any may be", nil, changestest.Looping(7, 6), &six, []string{"7 iterations of the loop at model.py:1: at most 6 allowed"}},
		{"many short ones", nil, changestest.Looping(6, 6, 6), &six, nil},
		{"an earlier baseline, the same", earlier(changestest.Looping(3, 5)), changestest.Looping(5, 3), nil, nil},
		{"an earlier baseline, more", earlier(changestest.Looping(3, 5)), changestest.Looping(3, 6), nil, []string{"9 iterations of loops: up from 8 in the baseline"}},
		{"unknown", changestest.Looping(3, 5), changestest.Looping(3, -1), nil, []string{"loops-kept could not check f: how often the loop at model.py:2 runs is not known"}},
		{"unknown in the baseline", changestest.Looping(3, -1), changestest.Looping(3, 5), nil, []string{"loops-kept could not check f: the baseline does not hold loops.trip_count"}},
	} {
		s := &rule.Settings{Rule: All.ByID("loops-kept"), Options: map[string]any{"trip_count": true}}
		if c.most != nil {
			s.Options = map[string]any{"max_trip_count": *c.most}
		}
		said := rule.NewContext(s, &rule.Target{Name: "t"}, nil)
		v := &changes.Variant{Old: c.old, New: c.fresh}
		judgeTrips(said.At(&changes.Program{Name: "f"}, v), v)
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

// A loop that lost its early exit is known by its name, else by another loop that ended early and is gone.
func TestExitsThatWereLost(t *testing.T) {
	stopping := func(v *facts.Variant, at ...int) *facts.Variant {
		for _, i := range at {
			v.Kernels[i].ExitsEarly = true
		}
		return v
	}
	called := func(v *facts.Variant, i int, name string) *facts.Variant {
		v.Kernels[i].OpName = name
		return v
	}
	for _, c := range []struct {
		name       string
		old, fresh *facts.Variant
		want       int
	}{
		{"one of two", stopping(changestest.Looping(-1, -1), 0, 1), stopping(changestest.Looping(-1, -1), 1), 1},
		{"none", stopping(changestest.Looping(-1, 3), 0), stopping(changestest.Looping(-1, 3), 0), 0},
		{"of one that is called otherwise now", stopping(changestest.Looping(-1), 0), called(stopping(changestest.Looping(-1)), 0, "jit(f)/decode/while"), 1},
		{"of one that is called otherwise now and still ends early", stopping(changestest.Looping(-1), 0), called(stopping(changestest.Looping(-1), 0), 0, "jit(f)/decode/while"), 0},
		{"other loops came as well: it is another program", stopping(changestest.Looping(-1), 0), called(changestest.Looping(-1, 7), 0, "jit(f)/decode/while"), 0},
		{"of two that are called otherwise now, of which one ended early", stopping(changestest.Looping(-1, -1), 0), called(called(stopping(changestest.Looping(-1, -1), 1), 1, "b"), 0, "a"), 0},
		{"a loop is new", stopping(changestest.Looping(-1), 0), stopping(changestest.Looping(-1, -1), 0), 0},
		{"it is known how often the loop runs: that is told otherwise", stopping(changestest.Looping(-1), 0), changestest.Looping(3), 0},
		{"one that nothing but its counter ended", changestest.Looping(-1), changestest.Looping(-1), 0},
	} {
		if got := (&changes.Variant{Old: c.old, New: c.fresh}).LostExits(); len(got) != c.want {
			t.Errorf("%s: %d loops, wanted %d", c.name, len(got), c.want)
		}
	}
}

// stepping is a program with loops, with so many launches of as many operations each in every loop's body.
func stepping(launches int, flops int64, lengths ...int64) *facts.Variant {
	v := changestest.Looping(lengths...)
	for _, loop := range v.Loops() {
		for range launches {
			inside := &facts.Site{OpName: loop.OpName + "/body/dot", Loop: loop.OpName, InLoop: true, Times: loop.Length}
			v.Kernels = append(v.Kernels, facts.Kernel{Form: &facts.Form{Class: facts.ClassKernel, Flops: flops}, Site: inside})
		}
	}
	return v
}

// A loop that runs half as often and does twice as much each time was unrolled in part; how many others were is said as well.
func TestLoopsUnrolledInPart(t *testing.T) {
	const first = "the loop at model.py:1 ran 8 times, now 4, and does several steps at once"
	for _, c := range []struct {
		name       string
		old, fresh *facts.Variant
		says       string
	}{
		{"alike", stepping(2, 10, 8), stepping(2, 10, 8), ""},
		{"one", stepping(2, 10, 8), stepping(4, 10, 4), first},
		{"two", stepping(2, 10, 8, 6), stepping(4, 10, 4, 3), first + "; 1 other loop as well"},
		{"three", stepping(2, 10, 8, 6, 6), stepping(4, 10, 4, 3, 3), first + "; 2 other loops as well"},
		{"shorter, doing as much each time", stepping(2, 10, 8), stepping(2, 10, 4), ""},
		{"shorter, doing a little more", stepping(2, 10, 8), stepping(3, 9, 4), ""},
		{"of a length that is not known", stepping(2, 10, 8), stepping(4, 10, -1), ""},
	} {
		said := rule.NewContext(&rule.Settings{Rule: All.ByID("loops-kept"), Limits: rule.Limits{MaxDecrease: &rule.Change{}}}, &rule.Target{Name: "t"}, nil)
		v := &changes.Variant{Old: c.old, New: c.fresh}
		judgeUnrolled(said.At(&changes.Program{Name: "f"}, v), v)
		got := ""
		for _, f := range said.Findings {
			got += f.Message
		}
		if got != c.says {
			t.Errorf("%s: %q, wanted %q", c.name, got, c.says)
		}
	}
}
