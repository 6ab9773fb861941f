package changes

import (
	"fmt"
	"testing"

	"github.com/xlagate/xlagate/internal/changes/changestest"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
)

// launch is a kernel that runs so often.
func launch(f facts.Form, times int64, inLoop bool) facts.Kernel {
	return facts.Kernel{Form: &f, Site: &facts.Site{Times: times, InLoop: inLoop}}
}

// What a program with two loops comes to, one of them of unknown length.
func TestWhatAProgramComesTo(t *testing.T) {
	v := changestest.Looping(3, -1)
	v.Facts["kernels.total"] = 3
	v.Constants = []facts.Constant{{Bytes: 7}, {Bytes: 1}}
	v.Params = []facts.Parameter{{Bytes: 5}, {Bytes: 6}}
	v.Kernels = append(v.Kernels,
		launch(facts.Form{Bytes: 10, Out: "f32[4]"}, 3, true),
		launch(facts.Form{Bytes: 20, Out: "f32[]", Class: facts.ClassCopy}, 1, true),
		launch(facts.Form{Bytes: 40, Out: "f32[4]", Class: facts.ClassCopy}, 1, true),
		launch(facts.Form{Bytes: 80, Class: facts.ClassLibrary, Target: "__cublas$gemm"}, 3, true),
		launch(facts.Form{Bytes: 160, Class: facts.ClassCollective, Target: "all-reduce"}, 5, true),
		launch(facts.Form{Bytes: 320, Root: "while"}, 0, false), // what is called so, and is no loop
	)
	got := fmt.Sprintf("%v kernels, %v bytes, %v launches, %v unpriced, %v of constants, %d loops, %d unknown, %v iterations, one by one %v",
		v.CountKernels(facts.AnyKernel), v.KernelBytes(facts.AnyKernel), v.Launches((*facts.Kernel).CostsLaunch), v.CustomCallRuns(), v.ConstantBytes(), len(v.Loops()), len(v.EndlessLoops()), facts.Iterations(v.Loops()), v.KnowsTripCounts())
	want := "8 kernels, 630 bytes, 11 launches, 3 unpriced, 8 of constants, 2 loops, 1 unknown, 3 iterations, one by one true"
	if got != want {
		t.Errorf("%s\nwanted\n%s", got, want)
	}
	v.Kernels[0].Times = 2 // in another one
	if n := facts.Iterations(v.Loops()); n != 6 {
		t.Errorf("%v iterations of a loop in a loop", n)
	}
	if delete(v.Facts, facts.LoopsUnknown); v.EndlessLoops() != nil {
		t.Errorf("unknown %v", v.EndlessLoops())
	}
}

// A cost counts loops as often as they run where both sides know it, and a fact is known where both sides have it.
func TestCostOfBothSides(t *testing.T) {
	const flops = "cost.flops"
	loops := facts.Values{flops: 10, "cost.weighted_flops": 50}
	once, weighted := facts.Values{flops: 12}, facts.Values{flops: 10, "cost.weighted_flops": 50}
	for _, c := range []struct {
		old, fresh facts.Values
		want       string
	}{
		{loops, loops, "true 50 50"},
		{loops, once, "true 10 12"},
		{once, loops, "true 12 10"},
		{once, weighted, "true 12 10"},
		{nil, once, "false 0 12"},
		{facts.Values{flops: 10}, facts.Values{flops: 10.1}, "true 10 10.1"},
	} {
		v := &Variant{Old: &facts.Variant{Facts: c.old}, New: &facts.Variant{Facts: c.fresh}}
		was, is := v.Cost(flops)
		if got := fmt.Sprint(v.Knows(flops), was, is); got != c.want {
			t.Errorf("%v then, %v now: %s, wanted %s", c.old, c.fresh, got, c.want)
		}
	}
	if (&Variant{New: &facts.Variant{Facts: once}}).Knows(flops) {
		t.Error("without a baseline nothing is known of what was")
	}
}

// A loop is named by its line, else as the model calls it.
func TestWhereALoopIs(t *testing.T) {
	for want, site := range map[string]facts.Site{
		"at model.py:3":  {Source: hlo.Location{File: "src/model.py", Line: 3}, OpName: "jit(f)/while"},
		"jit(f)/while":   {OpName: "jit(f)/while"},
		"without a name": {},
	} {
		if got := (&facts.Kernel{Form: &facts.Form{}, Site: &site}).LoopPlace(); got != want {
			t.Errorf("%q, wanted %q", got, want)
		}
	}
}
