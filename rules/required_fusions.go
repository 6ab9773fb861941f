package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
)

var requiredFusions = rule.Rule{
	ID:    "required-fusions",
	Title: "required fusions exist",
	Why: "A softmax that runs as one kernel reads its input once. When a barrier, a callback or a second user splits it, data is read and written " +
		"several times, and nothing fails.",
	Options: []rule.Option{
		{Key: "fusions", Type: rule.Table, Require: true, Doc: "the fusions that must exist", NeedsOne: fusionKeys, Fields: append(slices.Clone(fusionFields),
			rule.Option{Key: "min", Type: rule.Count, Least: 1, Default: 1.0, Doc: "how many there must be"},
		)},
	},
	Budget:  &rule.Metric{Noun: "missing fusions", Better: rule.Lower},
	Forbids: true,
	Fails: rule.Example{On: "gpu-softmax_barrier/after",
		Config: "- rule: required-fusions\n  fusions: [{ name: softmax, contains: [subtract, exponential, reduce] }]",
		Says:   "the fusion \"softmax\" is gone: subtract, exponential, reduce ran in input_reduce_fusion.1, loop_exponential_fusion, input_reduce_fusion; split by optimization barriers (pairs.py:40, pairs.py:41, pairs.py:42)"},
	Passes:  rule.Example{On: "gpu-softmax_barrier/before", Config: "- rule: required-fusions\n  fusions: [{ name: softmax, contains: [subtract, exponential, reduce] }]"},
	Fix:     "Remove what separates the operations (an optimization_barrier, a callback, a second use of an intermediate), or drop the entry.",
	Threads: []string{"openxla/xla#6370", "jax-ml/jax#18424", "jax-ml/jax#33338"},
	Variant: func(c *rule.Context, v *changes.Variant) { requireEach(c, v, "fusions", fusionOf) },
}

// missing is the finding of a fusion that a variant has too few of.
func (q *fusionQuery) missing(v *changes.Variant, found, least float64) rule.Finding {
	var parts []*facts.Kernel
	var places []int
	for i := range v.New.Kernels {
		if k := &v.New.Kernels[i]; q.touches(k) {
			parts, places = append(parts, k), append(places, i)
		}
	}
	had, compared := 0, v.Old != nil && q.flow == nil
	if compared {
		had = len(q.in(v.Old))
	}
	f := rule.Finding{Finding: result.Finding{Subject: q.name, Message: q.sentence(found, least, had, parts), Actual: found, Limit: least}}
	if compared {
		f.Baseline = float64(had)
	}
	var between []changes.Divider
	ran, absent := q.ran(parts)
	if len(absent) == 0 { // else nothing split it
		between = changes.Between(v.New, places)
	}
	if len(between) > 0 {
		f.Message += "; split " + changes.SplitBy(between)
	}
	if !compared || float64(had) > found { // else it is no change that took it away
		f.Cause, f.Evidence = v.Growth(q.touches)
	}
	if len(between) > 0 && (!compared || f.Cause == nil) {
		f.Cause = changes.CauseAt("split "+changes.SplitBy(between), parts[0])
	}
	for _, k := range parts[:min(len(parts), changes.MaxLines)] {
		f.Evidence.After = changes.AddNew(f.Evidence.After, k.Describe())
	}
	if f.Cause == nil && len(parts) > 0 {
		f.Cause = changes.CauseAt("ran apart: "+strings.Join(ran, ", "), parts[0])
	}
	return f
}

// sentence says that the fusion is not there, or no more, and where its operations ran instead.
func (q *fusionQuery) sentence(found, least float64, had int, parts []*facts.Kernel) string {
	var b strings.Builder
	switch {
	case found == 0 && had > 0:
		fmt.Fprintf(&b, "the fusion %q is gone", q.name)
	case found == 0:
		fmt.Fprintf(&b, "the fusion %q is not there", q.name)
	default:
		fmt.Fprintf(&b, "the fusion %q is there %s, %v wanted", q.name, phrase.Times(found), least)
	}
	ran, absent := q.ran(parts)
	with := ": "
	if len(absent) > 0 {
		var said string
		if q.opName != "" {
			said += " of " + q.opName
		}
		if q.source != "" {
			said += " in " + q.source
		}
		fmt.Fprintf(&b, "%sno kernel%s runs %s", with, said, strings.Join(absent, ", "))
		with = "; "
	}
	if len(ran) > 0 {
		fmt.Fprintf(&b, "%s%s ran in %s", with, strings.Join(ran, ", "), kernelNames(parts))
	}
	return b.String()
}

// ran divides the wanted operations into those that some of the kernels do, and those that none does.
func (q *fusionQuery) ran(parts []*facts.Kernel) (ran, absent []string) {
	for _, op := range q.operations() {
		if slices.ContainsFunc(parts, func(k *facts.Kernel) bool { return k.Do.Times(op) > 0 }) {
			ran = append(ran, op)
		} else {
			absent = append(absent, op)
		}
	}
	return ran, absent
}

func kernelNames(kernels []*facts.Kernel) string {
	const most = 6
	names := phrase.Map(kernels[:min(len(kernels), most)], func(k *facts.Kernel) string {
		return cmp.Or(k.Name, "a kernel of "+k.Operations()) // a baseline keeps no names
	})
	if more := len(kernels) - most; more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}
