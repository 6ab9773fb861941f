package rule

import (
	"slices"
	"testing"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/result"
)

// Fewer operations of a program with more custom calls are not offered as a gain: nobody knows what the calls compute.
func TestNothingBetterInCustomCalls(t *testing.T) {
	run := func(calls int) *facts.Variant {
		v := &facts.Variant{Facts: facts.Values{}}
		for range calls {
			v.Kernels = append(v.Kernels, facts.Kernel{Form: &facts.Form{Target: "__cublas$gemm", Class: facts.ClassLibrary}, Site: &facts.Site{Times: 1}})
		}
		return v
	}
	for _, c := range []struct {
		subject     string
		was, is     int
		comparisons int
	}{{"cost.flops", 0, 2, 0}, {"cost.flops", 2, 2, 1}, {"cost.flops", 2, 1, 1}, {"cost.weighted_flops", 0, 2, 0}, {"kernels.total", 0, 2, 1}} {
		context := NewContext(&Settings{Rule: &Rule{}, Options: map[string]any{}}, &Target{}, nil)
		context.Variant = &diff.Variant{Old: run(c.was), New: run(c.is)}
		a := Amount{Subject: c.subject, Noun: "amount", Better: Lower, Actual: 40}
		a.Base = new(100.0)
		context.Judge(a)
		if len(context.Notes) != c.comparisons {
			t.Errorf("%s, %d calls and %d before: %d notes", c.subject, c.is, c.was, len(context.Notes))
		}
	}
}

// An improvement is worth a line where growth of the same amount would have been told of.
func TestImprovementThatIsNotWorthALine(t *testing.T) {
	for _, c := range []struct {
		increase *Change
		is       float64
		told     bool
	}{
		{&Change{Amount: 1024}, 493, false},
		{&Change{Amount: 1024}, 8000, true},
		{&Change{Amount: 1024}, 9000, false},
		{&Change{}, 9999, false}, // less than one in a thousand
		{&Change{}, 9900, true},
		{&Change{Amount: 50, Percent: true}, 9900, true},
	} {
		was := 10000.0
		if c.is < 1000 {
			was = 539
		}
		said := NewContext(&Settings{Rule: &Rule{}, Options: map[string]any{}, Limits: Limits{MaxIncrease: c.increase}}, &Target{Name: "t"}, nil)
		said.Program = &diff.Program{Name: "f"}
		said.noteBetter(Amount{Subject: "constants", Noun: "constants", Unit: "bytes", Better: Lower, Actual: c.is, Base: &was}, said.Limits)
		if told := len(said.Notes) > 0; told != c.told {
			t.Errorf("%v → %v with %+v: %v", was, c.is, *c.increase, said.Notes)
		}
	}
}

// An improvement in several variants of a program is one, told as it is where it is greatest.
func TestBetterIsToldOnce(t *testing.T) {
	c := &Context{Settings: &Settings{Rule: &Rule{}, Options: map[string]any{}, Limits: Limits{MaxIncrease: &Change{}}}, Report: &Report{}}
	improve := func(program string, was, is float64) {
		v := &diff.Variant{Old: &facts.Variant{}, New: &facts.Variant{}}
		c.At(&diff.Program{Name: program}, v).noteBetter(Amount{Subject: "kernels.total", Noun: "kernels", Better: Lower, Actual: is, Base: &was}, c.Limits)
	}
	improve("f", 20, 19)
	improve("f", 20, 10)
	improve("g", 20, 19)
	improve("f", 20, 18)
	want := []result.Note{
		{Kind: "better", Program: "f", Message: "kernels 20 → 10 (in 3 variants)", Fix: "xlagate accept --tighten"},
		{Kind: "better", Program: "g", Message: "kernels 20 → 19", Fix: "xlagate accept --tighten"},
	}
	if !slices.Equal(c.Notes, want) {
		t.Errorf("%+v", c.Notes)
	}
}
