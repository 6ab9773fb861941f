package rules

import (
	"strings"

	"github.com/xlagate/xlagate/internal/diff"

	"github.com/xlagate/xlagate/internal/facts"

	"github.com/xlagate/xlagate/internal/match"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
)

var kernelBodies = rule.Rule{
	ID:       "kernel-bodies",
	Title:    "hand-written kernels (Pallas, Mosaic, Triton) are still called, and do no more work than before",
	Category: rule.Kernels,
	Why: "A kernel of Pallas, Mosaic or Triton is one custom call, whatever is in it: its cost is in no other fact. This rule counts the operations in its body, " +
		"and leaves alone what only moved or was renamed, and the conversions of a kernel that reads and writes clearly less. " +
		"Against a baseline it also tells of a kernel that is not called any more where the program computes more beside it: a fallback that nobody chose.",
	Reads: []rule.Input{rule.Optimized},
	Options: []rule.Option{
		{Key: "function", Type: rule.Globs, Sense: rule.Selects, Doc: "only kernels of these functions"},
	},
	Budget:  &rule.Metric{Noun: "operations in one kernel", Better: rule.Lower},
	Fails:   rule.Example{On: "tpu-kernel_body/after", Config: "- { rule: kernel-bodies }", Says: "16 operations in the kernel accumulate: up from 14 in the baseline"},
	Passes:  rule.Example{On: "tpu-kernel_body/after", Config: "- { rule: kernel-bodies, max: 100 }"},
	Fix:     "Look at what the kernel computes in every step of its grid, and move what does not change out of it.",
	Threads: []string{"keras-team/keras-io#2284"},
	Since:   "1",
	Accepts: []string{"custom_calls.*", "ledger"},
	Program: checkKernelBodies,
}

func checkKernelBodies(c *rule.Context, p *diff.Program) {
	for _, v := range rule.Live(p) {
		for _, body := range bodiesOf(c, v) {
			judgeBody(c, p, v, body)
		}
		judgeCalled(c, p, v)
	}
}

// written is a kernel that was written by hand, with what became of it: nil when it did not change, or has no counterpart in the baseline.
type written struct {
	*facts.Kernel
	change *diff.KernelChange
}

// bodiesOf lists the kernels that were written by hand, of each function the one that grew most.
func bodiesOf(c *rule.Context, v *diff.Variant) []written {
	changes := map[string]*diff.KernelChange{}
	for i := range v.Kernels.Changed {
		k := &v.Kernels.Changed[i]
		changes[k.New.Name] = k
	}
	most := map[string]written{}
	var order []string
	for k := range v.New.KernelsThat(handWritten(c)) {
		b := written{k, changes[k.Name]}
		known, seen := most[k.Function]
		if !seen {
			order = append(order, k.Function)
		}
		if !seen || b.grown() > known.grown() {
			most[k.Function] = b
		}
	}
	var out []written
	for _, function := range order {
		out = append(out, most[function])
	}
	return out
}

// handWritten says whether a kernel was written by hand, and its function is meant.
func handWritten(c *rule.Context) func(k *facts.Kernel) bool {
	return func(k *facts.Kernel) bool {
		return k.Written != nil && (c.List("function") == nil || match.AnyGlob(c.List("function"), k.Function))
	}
}

func (b written) grown() float64 {
	if b.change == nil || b.change.Old.Written == nil {
		return 0
	}
	return size(b.Written) - size(b.change.Old.Written)
}

func size(body map[string]int) float64 {
	n := 0
	for _, times := range body {
		n += times
	}
	return float64(n)
}

func judgeBody(c *rule.Context, p *diff.Program, v *diff.Variant, b written) {
	a := rule.Amount{
		Program: p, Variant: v, Subject: "body of " + b.Function, Noun: "operations in the kernel " + b.Function, Better: rule.Lower, Actual: size(b.Written),
		Cause: b.cause,
	}
	if v.Old != nil {
		a.Base = new(a.Actual - b.grown())
	}
	c.Judge(a)
}

func (b written) cause() (*diff.Cause, result.Evidence) {
	if b.change == nil {
		return diff.CauseAt(b.Kernel.Describe(), b.Kernel), result.Evidence{}
	}
	return diff.CauseAt(strings.Join(b.change.What, ", "), b.Kernel), result.Evidence{Before: []string{b.change.Old.Describe()}, After: []string{b.Kernel.Describe()}}
}
