package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/rule"
)

var requiredFusions = rule.Rule{
	ID:       "required-fusions",
	Title:    "required fusions exist",
	Category: rule.Kernels,
	Why: "A softmax or an activation that runs as one kernel reads its input once. When a barrier, a callback or a second user splits it, data is read " +
		"and written several times, and nothing fails.",
	Reads: []rule.Input{rule.Optimized},
	Options: []rule.Option{
		{Key: "fusions", Type: rule.Table, Sense: rule.Demands, Wanted: true, Require: true, Doc: "the fusions that must exist", NeedsOne: fusionKeys, Fields: append(slices.Clone(fusionFields),
			rule.Option{Key: "min", Type: rule.Count, Sense: rule.Demands, Least: 1, Default: 1.0, Doc: "how many there must be"},
		)},
	},
	Budget:  &rule.Metric{Noun: "missing fusions", Better: rule.Lower},
	Forbids: true,
	Fails:   rule.Example{On: "gpu-softmax_barrier/after", Config: "- rule: required-fusions\n  fusions: [{ name: softmax, contains: [subtract, exponential, reduce] }]", Says: "the fusion \"softmax\" is gone: subtract, exponential, reduce ran in input_reduce_fusion.1, loop_exponential_fusion, input_reduce_fusion; split by optimization barriers (pairs.py:40, pairs.py:41, pairs.py:42)"},
	Passes:  rule.Example{On: "gpu-softmax_barrier/before", Config: "- rule: required-fusions\n  fusions: [{ name: softmax, contains: [subtract, exponential, reduce] }]"},
	Fix:     "Remove what separates the operations (an optimization_barrier, a callback, a second use of an intermediate), or drop the entry when the fusion is no longer wanted.",
	Threads: []string{"openxla/xla#6370", "jax-ml/jax#18424", "jax-ml/jax#33338"},
	Accepts: []string{"fusions.*", "kernels.*", "ledger"},
	Variant: checkRequiredFusions,
}

// wantedFusion is one entry under `fusions:`.
type wantedFusion struct {
	fusionQuery
	min int
}

// missingFusion is one that a variant has too few of.
type missingFusion struct {
	want  wantedFusion
	found int
}

func checkRequiredFusions(c *rule.Context, v *diff.Variant) {
	var missing []missingFusion
	had, known := 0, true
	for _, entry := range c.Entries("fusions") {
		want := wanted(entry)
		if n := len(want.in(v.New)); n < want.min {
			missing = append(missing, missingFusion{want, n})
		}
		if v.Old != nil {
			known = known && want.flow == nil
			had += int(diff.Flag(len(want.in(v.Old)) < want.min))
		}
	}
	a := c.Budget(c.Rule.Budget.Noun, float64(len(missing)))
	if v.Old != nil {
		a.SetBase(known, float64(had))
	}
	if f := c.Forbid(a); f != nil {
		var each []rule.Finding
		for _, m := range missing {
			each = append(each, m.finding(v))
		}
		c.Split(f, each)
	}
}

func wanted(e rule.Entry) wantedFusion {
	least, ok := e.Number("min")
	if !ok {
		least = 1
	}
	return wantedFusion{fusionQuery: queryOf(e), min: int(least)}
}

func (m missingFusion) finding(v *diff.Variant) rule.Finding {
	parts, places := m.want.whereabouts(v.New)
	had, compared := 0, v.Old != nil && m.want.flow == nil
	if compared {
		had = len(m.want.in(v.Old))
	}
	f := rule.Finding{
		Subject: m.want.name,
		Message: m.want.sentence(m.found, had, parts),
		Actual:  float64(m.found), Limit: float64(m.want.min),
	}
	if compared {
		f.Baseline = float64(had)
	}
	between := diff.Between(v.New, places)
	if len(between) > 0 {
		f.Message += "; split " + diff.SplitBy(between)
	}
	f.Cause, f.Evidence = v.Growth(m.want.touches)
	if v.Old == nil && len(between) > 0 {
		f.Cause = diff.CauseAt("split "+diff.SplitBy(between), parts[0])
	}
	for _, k := range parts[:min(len(parts), diff.MaxLines)] {
		f.Evidence.After = diff.AddNew(f.Evidence.After, k.Describe())
	}
	if f.Cause == nil && len(parts) > 0 {
		f.Cause = diff.CauseAt("ran apart: "+parts[0].Describe(), parts[0])
	}
	return f
}

// sentence says that the fusion is not there, or no more, and where its operations ran instead.
func (w wantedFusion) sentence(found, had int, parts []*facts.Kernel) string {
	var b strings.Builder
	switch {
	case found == 0 && had > 0:
		fmt.Fprintf(&b, "the fusion %q is gone", w.name)
	case found == 0:
		fmt.Fprintf(&b, "the fusion %q is not there", w.name)
	default:
		fmt.Fprintf(&b, "the fusion %q is there %s, %d wanted", w.name, phrase.Times(float64(found)), w.min)
	}
	if wanted := w.operations(); len(wanted) > 0 {
		if len(parts) == 0 {
			fmt.Fprintf(&b, ": no kernel%s runs %s", w.part(), strings.Join(wanted, ", "))
		} else {
			fmt.Fprintf(&b, ": %s ran in %s", strings.Join(wanted, ", "), kernelNames(parts))
		}
	}
	return b.String()
}

// part is the part of the model that is selected, " of */mlp/* in model.py"; "" for all of it.
func (w wantedFusion) part() string {
	var said string
	if w.opName != "" {
		said += " of " + w.opName
	}
	if w.source != "" {
		said += " in " + w.source
	}
	return said
}

func kernelNames(kernels []*facts.Kernel) string {
	var names []string
	for _, k := range kernels {
		if len(names) == 6 {
			names = append(names, fmt.Sprintf("%d more", len(kernels)-6))
			break
		}
		names = append(names, cmp.Or(k.Name, "a kernel of "+k.Operations())) // a baseline keeps no names
	}
	return strings.Join(names, ", ")
}

// whereabouts returns the kernels that do some of the wanted operations in the wanted place, and their indexes.
func (w wantedFusion) whereabouts(v *facts.Variant) (parts []*facts.Kernel, places []int) {
	for i := range v.Kernels {
		if k := &v.Kernels[i]; w.touches(k) {
			parts, places = append(parts, k), append(places, i)
		}
	}
	return parts, places
}
