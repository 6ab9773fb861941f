package rules

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/diff"

	"github.com/xlagate/xlagate/internal/facts"

	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/rule"
)

// handWork is what hand-written kernels come to in a run.
type handWork struct {
	calls, bytes float64
}

func handWorkIn(c *rule.Context, v *facts.Variant) handWork {
	var w handWork
	for k := range v.KernelsThat(handWritten(c)) {
		w.calls += k.Runs()
		w.bytes += k.Runs() * float64(k.Bytes)
	}
	return w
}

// judgeCalled counts the calls of hand-written kernels that are gone while the program computes more beside them. One that went with what
// it was for, or whose work another does, is no loss.
func judgeCalled(c *rule.Context, p *diff.Program, v *diff.Variant) {
	if v.Old == nil || c.MaxIncrease == nil && c.AbsolutelyBounded() {
		return
	}
	was, is := handWorkIn(c, v.Old), handWorkIn(c, v.New)
	if was.calls == 0 {
		return
	}
	lost := was.calls - is.calls
	if is.bytes >= was.bytes || !computesMore(v, lost) {
		lost = 0
	}
	a := rule.Amount{Program: p, Variant: v, Subject: "calls of hand-written kernels", Noun: "calls of hand-written kernels", Better: rule.Lower, Actual: max(lost, 0)}
	a.Base = new(0.0)
	a.Tell = func(f rule.Finding) []rule.Finding {
		f.Actual, f.Baseline = is.calls, was.calls
		f.Message = "hand-written kernels are called less often, and the program computes more beside them: " + fewerCalls(c, v)
		f.Cause, f.Evidence = v.Growth(facts.AnyKernel)
		return []rule.Finding{f}
	}
	c.With(rule.NoMore).Hold(a)
}

// computesMore says whether the program computes or moves more, beside so many custom calls that are gone: XLA counts each as -1.
func computesMore(v *diff.Variant, gone float64) bool {
	const transcendentals = facts.CostTranscendentals
	const wobble = 1.01 // growth of the traffic that means nothing
	was, is := v.Cost(facts.CostFlops)
	moved, moves := v.Cost(facts.CostBytes)
	return is-was > gone || v.New.Facts[transcendentals] > v.Old.Facts[transcendentals] || moves > wobble*moved
}

// fewerCalls lists the functions that are called less often than in the baseline: "normalize 1 → 0".
func fewerCalls(c *rule.Context, v *diff.Variant) string {
	was, is := callsByFunction(c, v.Old), callsByFunction(c, v.New)
	var fewer []string
	for _, name := range slices.Sorted(maps.Keys(was)) {
		if is[name] < was[name] {
			fewer = append(fewer, fmt.Sprintf("%s %s → %s", name, phrase.Number(was[name]), phrase.Number(is[name])))
		}
	}
	return strings.Join(phrase.First(fewer, 4), ", ")
}

func callsByFunction(c *rule.Context, v *facts.Variant) map[string]float64 {
	calls := map[string]float64{}
	for k := range v.KernelsThat(handWritten(c)) {
		calls[k.Function] += k.Runs()
	}
	return calls
}
