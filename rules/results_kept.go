package rules

import (
	"strings"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/rule"
)

var resultsKept = rule.Rule{
	ID:    "results-kept",
	Title: "results keep their shape and type, and depend on the arguments",
	Why: "A program that returns less does less, and looks better in every number: rows that are cut off, an array that became empty, a value that the compiler folded into a constant. " +
		"For the same arguments a result has another shape or type, or depends on no argument any more, only if somebody wants that.",
	Budget: &rule.Metric{Noun: "lost results", Better: rule.Lower, Difference: true},
	Fails: rule.Example{On: "cases/tf-array_of_no_size/after", Base: "cases/tf-array_of_no_size/before",
		Config: "- { rule: results-kept }", Says: "1 result is not as it was: f32[20,16,32] is now f32[0,16,32]"},
	Passes:  rule.Example{On: "cases/cpu-rate_returned/after", Base: "cases/cpu-rate_returned/before", Config: "- { rule: results-kept }"},
	Fix:     "Look at the line that makes the result: a size that is read where it is not known yet, an index, a mask, an argument that is no longer read. If the new result is intended, accept it.",
	Threads: []string{"tensorflow/tensorflow#127528"},
	Variant: func(c *rule.Context, v *changes.Variant) {
		if c.Program.New.IsCluster() {
			return
		}
		lost := v.LostResults()
		f := c.JudgeDifferences("results", float64(len(lost)))
		if f == nil {
			return
		}
		f.Message = phrase.Count(len(lost), "result is not as it was: ", "results are not as they were: ") +
			strings.Join(phrase.First(phrase.Map(lost, changes.LostResult.String), 6), ", ")
		for i := range v.Causes {
			if cause := &v.Causes[i]; cause.Kind == changes.KindResults {
				f.Cause = cause.Of(cause)
			}
		}
	},
}
