package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/rule"
)

var updatesKept = rule.Rule{
	ID:    "updates-kept",
	Title: "arrays that are updated in part are not rewritten whole",
	Why: "A step that writes one row of a cache pays for that row. If it writes through a mask, or copies the array because something reads the old " +
		"one later, it pays for the whole array in every step.",
	Budget: &rule.Metric{Noun: "rewritten arrays", Better: rule.Lower, Difference: true},
	Fails: rule.Example{On: "cases/gpu-cache_masked/after", Base: "cases/gpu-cache_masked/before", Config: "- { rule: updates-kept }",
		Says: "2 arrays are rewritten whole; the baseline updates less than half: keys f32[4,128,64], values f32[4,128,64]"},
	Passes:  rule.Example{On: "cases/gpu-cache_masked/before", Base: "cases/gpu-cache_masked/after", Config: "- { rule: updates-kept }"},
	Fix:     "Write the part with lax.dynamic_update_slice or x.at[i].set(row), donate the argument, and read the old array before it is updated.",
	Threads: []string{"jax-ml/jax#17845"},
	Variant: func(c *rule.Context, v *changes.Variant) {
		var lost []state
		for _, p := range v.Rewritten() {
			lost = append(lost, state{p.Name + " ", p.Shape})
		}
		for _, s := range rewrittenStates(v) { // an argument that a loop carries on is named once
			if !slices.ContainsFunc(lost, func(known state) bool { return known.shape == s.shape }) {
				lost = append(lost, s)
			}
		}
		if f := c.JudgeDifferences("updates", float64(len(lost))); f != nil {
			named := phrase.Map(lost, func(s state) string { return s.name + s.shape })
			f.Message = fmt.Sprintf("%s rewritten whole; the baseline updates less than half: %s", phrase.Are(len(lost), "array"), strings.Join(phrase.First(named, 6), ", "))
			for i := range v.New.Kernels {
				if k := &v.New.Kernels[i]; k.Writes == lost[0].shape {
					f.Cause = changes.CauseAt(named[0]+" is rewritten whole; the baseline updates a part", k)
					if cause := v.CauseOf(k); cause != nil {
						f.Cause = f.Cause.Of(cause)
					}
					return
				}
			}
		}
	},
}

// state is an argument, or an array of the state of a loop, which has no name.
type state struct{ name, shape string }

// rewrittenStates lists the arrays of loop states that an iteration now writes whole. In the baseline, an iteration wrote less than half of them.
func rewrittenStates(v *changes.Variant) (lost []state) {
	pairs, _, _ := changes.PairLoops(v.Old.Loops(), v.New.Loops())
	for _, pair := range pairs {
		was, is := pair[0], pair[1]
		for _, shape := range slices.Compact(strings.Fields(was.InPart)) {
			fewer := occurrences(was.InPart, shape) - occurrences(is.InPart, shape)
			more := occurrences(is.Whole, shape) - occurrences(was.Whole, shape)
			for range min(fewer, more) {
				lost = append(lost, state{shape: shape})
			}
		}
	}
	return lost
}

// occurrences counts a shape in a list of shapes.
func occurrences(list, shape string) (n int64) {
	for _, s := range strings.Fields(list) {
		n += changes.Flag(s == shape)
	}
	return n
}
