package rules

import (
	"testing"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
)

// Fewer operations of a program with more custom calls are not offered as a gain: nobody knows what the calls compute.
func TestNothingBetterInCustomCalls(t *testing.T) {
	run := func(calls int) *facts.Variant {
		v := &facts.Variant{Facts: facts.Numbers{}}
		for range calls {
			v.Kernels = append(v.Kernels, facts.Kernel{Form: &facts.Form{Target: "__cublas$gemm", Class: facts.ClassLibrary}, Site: &facts.Site{Times: 1}})
		}
		return v
	}
	for _, c := range []struct {
		subject     string
		was, is     int
		comparisons int
	}{{"cost.flops", 0, 2, 0}, {"cost.flops", 2, 2, 1}, {"cost.flops", 2, 1, 1}, {"cost.least_flops", 0, 2, 0}, {"kernels.total", 0, 2, 1}} {
		context := NewContext(&Settings{Rule: &maxFlops, Options: map[string]any{}}, &Target{}, nil)
		a := Amount{Variant: &diff.Variant{Old: run(c.was), New: run(c.is)}, Subject: c.subject, Noun: "amount", Better: Lower, Actual: 40}
		a.Base = new(100.0)
		context.Judge(a)
		if len(context.Notes) != c.comparisons {
			t.Errorf("%s, %d calls and %d before: %d notes", c.subject, c.is, c.was, len(context.Notes))
		}
	}
}
