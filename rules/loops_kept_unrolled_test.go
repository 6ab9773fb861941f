package rules

import (
	"testing"

	"github.com/xlagate/xlagate/internal/diff/difftest"
	"github.com/xlagate/xlagate/internal/rule"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
)

// stepping is a program with loops, with so many launches of as many operations each in every loop's body.
func stepping(launches int, flops int64, lengths ...int64) *facts.Variant {
	v := difftest.Looping(lengths...)
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
		said := rule.NewContext(&rule.Settings{Rule: ByID("loops-kept"), MaxDecrease: &rule.Change{}}, &rule.Target{Name: "t"}, nil)
		judgeUnrolled(said, &diff.Program{Name: "f"}, &diff.Variant{Old: c.old, New: c.fresh})
		got := ""
		for _, f := range said.Findings {
			got += f.Message
		}
		if got != c.says {
			t.Errorf("%s: %q, wanted %q", c.name, got, c.says)
		}
	}
}
