package rules

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/rule"
)

var kernelBodies = rule.Rule{
	ID:    "kernel-bodies",
	Title: "hand-written kernels are still called and do no more work",
	Why: "A hand-written kernel is one custom call, whatever it computes, so no other fact shows its cost. This rule counts the operations in its " +
		"body. Operations that only moved or were renamed do not count, nor do the conversions of a kernel that reads and writes clearly less. With " +
		"a baseline it also finds a kernel that is no longer called while the rest of the program computes more.",
	Options: []rule.Option{{Key: "function", Type: rule.Globs, Doc: "only kernels of these functions"}},
	Budget:  &rule.Metric{Noun: "operations in one kernel", Better: rule.Lower},
	Fails:   rule.Example{On: "tpu-kernel_body/after", Config: "- { rule: kernel-bodies }", Says: "16 operations in the kernel accumulate: up from 14 in the baseline"},
	Passes:  rule.Example{On: "tpu-kernel_body/after", Config: "- { rule: kernel-bodies, max: 100 }"},
	Fix:     "Move work that is the same in every step of the grid out of the kernel.",
	Threads: []string{"keras-team/keras-io#2284"},
	Variant: func(c *rule.Context, v *changes.Variant) {
		pairs := map[string]*changes.KernelChange{}
		for i := range v.Kernels.Changed {
			k := &v.Kernels.Changed[i]
			pairs[k.New.Name] = k
		}
		var all []written
		for k := range v.New.KernelsThat(handWritten(c)) {
			all = append(all, written{k, pairs[k.Name]})
		}
		for _, same := range phrase.Group(all, func(b written) string { return b.Function }) {
			b := slices.MaxFunc(same, func(a, b written) int { return cmp.Compare(a.grown(), b.grown()) })
			a := c.Budget("body of "+b.Function, float64(sum(b.Written)))
			a.Noun = "operations in the kernel " + b.Function
			if v.Old != nil {
				a.Base = new(a.Actual - b.grown())
			}
			rule.Explain(c.Judge(a), v.Growth, func(k *facts.Kernel) bool { return k.Function == b.Function })
		}
		judgeCalled(c, v)
	},
}

// written is a kernel that was written by hand, with what became of it: nil when it did not change, or has no counterpart in the baseline.
type written struct {
	*facts.Kernel
	change *changes.KernelChange
}

// handWritten reports whether a kernel is hand-written and its function is selected.
func handWritten(c *rule.Context) func(k *facts.Kernel) bool {
	return func(k *facts.Kernel) bool {
		return k.Written != nil && (c.List("function") == nil || phrase.AnyGlob(c.List("function"), k.Function))
	}
}

func (b written) grown() float64 {
	if b.change == nil || b.change.Old.Written == nil {
		return 0
	}
	return float64(sum(b.Written) - sum(b.change.Old.Written))
}

// handWork is what hand-written kernels come to in a run.
type handWork struct {
	calls, bytes float64
	byFunction   map[string]float64 // calls
}

func handWorkIn(c *rule.Context, v *facts.Variant) handWork {
	w := handWork{byFunction: map[string]float64{}}
	for k := range v.KernelsThat(handWritten(c)) {
		w.calls += k.Runs()
		w.bytes += k.Runs() * float64(k.Bytes)
		w.byFunction[k.Function] += k.Runs()
	}
	return w
}

// judgeCalled counts the calls of hand-written kernels that are gone, if the program computes more in other kernels now. A call is no loss if its purpose is
// gone too, or if another hand-written kernel does its work.
func judgeCalled(c *rule.Context, v *changes.Variant) {
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
	a := c.Budget("calls of hand-written kernels", max(lost, 0))
	a.Noun, a.Base = a.Subject, new(0.0)
	if f := c.Compare(a, rule.NoMore); f != nil {
		f.Actual, f.Baseline = is.calls, was.calls
		var fewer []string
		for _, name := range slices.Sorted(maps.Keys(was.byFunction)) {
			if is.byFunction[name] < was.byFunction[name] {
				fewer = append(fewer, fmt.Sprintf("%s %s → %s", name, phrase.Number(was.byFunction[name]), phrase.Number(is.byFunction[name])))
			}
		}
		f.Message = "hand-written kernels are called less often, and the rest of the program computes more: " + strings.Join(phrase.First(fewer, 4), ", ")
		f.Cause, f.Evidence = v.Growth(facts.AnyKernel)
	}
}

// computesMore reports whether the program computes or moves more, not counting the custom calls that are gone, each -1 flops for XLA.
func computesMore(v *changes.Variant, gone float64) bool {
	const transcendentals = facts.CostTranscendentals
	const wobble = 1.01 // growth of the traffic that means nothing
	was, is := v.Cost(facts.CostFlops)
	moved, moves := v.Cost(facts.CostBytes)
	return is-was > gone || v.New.Facts[transcendentals] > v.Old.Facts[transcendentals] || moves > wobble*moved
}
