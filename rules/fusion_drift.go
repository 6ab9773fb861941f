package rules

import (
	"fmt"
	"strings"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
)

var fusionDrift = rule.Rule{
	ID:    "fusion-drift",
	Title: "fusions of several operations are not lost",
	Why:   "The number of fusions can rise when fusion is lost, because single operations get wrapped. This rule compares fusions by what is in them.",
	Reads: []rule.Input{rule.Optimized, rule.Baseline},
	Options: []rule.Option{
		{Key: "max_removed", Type: rule.Count, Means: "max", Doc: "how many fusions of the baseline may be gone"},
		{Key: "max_added", Type: rule.Count, Doc: "how many fusions may be new, apart from the parts of lost ones; by default any number"},
		{Key: "ignore", Type: rule.Globs, Empty: true, Doc: "parts of the model, by op_name, whose fusions may change"},
	},
	Budget: &rule.Metric{Noun: "lost fusions", Better: rule.Lower, Difference: true},
	Fails: rule.Example{On: "gpu-softmax_barrier/after", Config: "- { rule: fusion-drift }",
		Says: "1 fusion was split: divide, exponential, 2 reduce, subtract is split into 4 kernels by optimization barriers (pairs.py:40, pairs.py:41, pairs.py:42)"},
	Passes:  rule.Example{On: "gpu-softmax_barrier/before", Config: "- { rule: fusion-drift }"},
	Fix:     "Remove what separates the operations: a barrier, a callback, a second use of an intermediate.",
	Threads: []string{"jax-ml/jax#33338", "openxla/xla#29620", "openxla/xla#6370"},
	Variant: func(c *rule.Context, v *changes.Variant) {
		lost := phrase.Pick(v.Kernels.Split, func(s *changes.Regroup) bool {
			return s.One.Fusion && s.One.Do.Len() > 1 && !phrase.AnyGlob(c.List("ignore"), s.One.OpName)
		})
		if f := c.JudgeDifferences("fusions", float64(len(lost))); f != nil {
			parts := phrase.Map(lost, func(s *changes.Regroup) string { return s.Title() })
			f.Message = phrase.Count(len(lost), "fusion was split", "fusions were split") + ": " + strings.Join(phrase.First(parts, 2), "; ")
			if cause := v.CauseOf(&lost[0].Many[0]); cause != nil {
				f.Cause, f.Evidence = cause, cause.Evidence(facts.AnyKernel)
				if cause.Keeps() {
					f.Message = "what was rematerialized is kept for the backward pass: " + f.Message
				}
			}
		}
		judgeAdded(c, v)
	},
}

// judgeAdded holds the fusions that have no counterpart in the baseline against max_added.
func judgeAdded(c *rule.Context, v *changes.Variant) {
	most, bounded := c.Number("max_added")
	if !bounded {
		return
	}
	c.Checked()
	added := phrase.Pick(v.Kernels.Added, func(k *facts.Kernel) bool {
		return k.Fusion && k.Do.Len() > 1 && !phrase.AnyGlob(c.List("ignore"), k.OpName)
	})
	if float64(len(added)) <= most {
		return
	}
	f := c.Find(result.Finding{Subject: "fusions.added", Actual: float64(len(added)), Limit: most})
	var parts []string
	for _, k := range added {
		parts = append(parts, k.Operations())
		f.Evidence.After = changes.AddLine(f.Evidence.After, k.Describe())
	}
	f.Message = fmt.Sprintf("%s new, at most %s allowed: %s", phrase.Are(len(added), "fusion"), phrase.Number(most), strings.Join(phrase.First(parts, 2), "; "))
	f.Cause = changes.CauseAt("new: "+added[0].Describe(), added[0])
	if cause := v.CauseOf(added[0]); cause != nil {
		f.Cause = cause
	}
}
