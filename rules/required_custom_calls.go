package rules

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
)

var requiredCustomCalls = rule.Rule{
	ID:    "required-custom-calls",
	Title: "required libraries and hand-written kernels are called",
	Why: "Flash attention, an FP8 product or a Pallas kernel depends on pattern matchers that fail silently: the model still runs, on the slow path. " +
		"Attention on a TPU took 115.9 ms this way instead of 0.7 ms.",
	Options: []rule.Option{
		{Key: "calls", Type: rule.Table, Require: true, Doc: "the calls that must be there", Fields: append(slices.Clone(callFields),
			rule.Option{Key: "min", Type: rule.Count, Least: 1, Default: 1.0, Doc: "how many there must be"},
		)},
	},
	Budget:  &rule.Metric{Noun: "missing custom calls", Better: rule.Lower},
	Forbids: true,
	Fails:   rule.Example{On: "cpu-topk_sorted/after", Config: "- { rule: required-custom-calls, calls: [{ call: TopK }] }", Says: "TopK is not called"},
	Passes:  rule.Example{On: "cpu-topk_sorted/before", Config: "- { rule: required-custom-calls, calls: [{ call: TopK }] }"},
	Fix:     "Look at the shapes, dtypes and layouts that the library needs, at the flags that enable it, and at versions.",
	Threads: []string{"tensorflow/tensorflow#62661", "jax-ml/jax#22313", "tensorflow/tensorflow#59768", "openxla/xla#23389", "pytorch/xla#8746"},
	Check:   checkCalls,
	Variant: func(c *rule.Context, v *changes.Variant) { requireEach(c, v, "calls", callOf) },
}

func (q callQuery) missing(v *changes.Variant, found, least float64) rule.Finding {
	f := rule.Finding{Finding: result.Finding{Subject: q.String(), Actual: found, Limit: least, Message: fmt.Sprintf("%s is not called", q)}}
	if found > 0 {
		f.Message = fmt.Sprintf("%s is called %s, %v wanted", q, phrase.Times(found), least)
	}
	almost := q.almost(v.New)
	seen := map[string]bool{}
	for i := range v.New.Kernels {
		if name := calls(&v.New.Kernels[i]); name != "" {
			seen[name] = true
		}
	}
	if configs := q.configsOf(almost); configs != "" {
		f.Message += "; " + configs
	} else if names := slices.Sorted(maps.Keys(seen)); len(names) > 0 {
		f.Message += "; what is called: " + strings.Join(phrase.First(names, 6), ", ")
	}
	if len(almost) > 0 && len(q.config) > 0 {
		f.Cause = changes.CauseAt(fmt.Sprintf("%s is called", calls(almost[0])), almost[0])
	}
	if v.Old != nil {
		f.Baseline = v.Old.CountKernels(q.matches)
		if cause, e := v.Growth(facts.AnyKernel); cause != nil {
			f.Cause, f.Evidence = cause, e
		}
	}
	return f
}
