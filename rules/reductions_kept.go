package rules

import (
	"slices"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/rule"
)

var reductionsKept = rule.Rule{
	ID:     "reductions-kept",
	Title:  "sums between devices are not in a narrower type",
	Why:    "Gradients that many devices sum in bfloat16 lose what is smaller than a 256th of the sum. The step is faster, no error says so, and the model learns something else. What the model asks for counts: a CPU sums bfloat16 in float32.",
	Budget: &rule.Metric{Noun: "sums between devices in a narrower type", Better: rule.Lower, Difference: true},
	Fails: rule.Example{On: "cpu-sums_narrow/after", Base: "cpu-sums_narrow/before", Config: "- { rule: reductions-kept }",
		Says: "1 sum between devices is in a narrower type than in the baseline: bf16 0 → 1, f32 1 → 0; this compiler sums in a wider type than the model asks for, another may not"},
	Passes:  rule.Example{On: "cpu-sums_narrow/before", Base: "cpu-sums_narrow/after", Config: "- { rule: reductions-kept }"},
	Fix:     "Cast after the sum, not before it; look at the type of the gradients, and at flags that let the compiler sum in the type that is sent. If the narrower sum is intended, accept it.",
	Threads: []string{"jax-ml/jax#27496", "openxla/xla#17922", "AI-Hypercomputer/maxtext#4478"},
	Variant: func(c *rule.Context, v *changes.Variant) {
		asked, asks := changes.AskedSums(v.Old), changes.AskedSums(v.New)
		w, narrower := narrowed(asked, asks)
		gained := 0.0
		for dtype, n := range asks {
			gained += max(0, n-asked[dtype])
		}
		was, is := changes.CompiledSums(v.Old), changes.CompiledSums(v.New)
		compiled, n := widening{was: map[string]float64{}, is: map[string]float64{}}, 0.0
		for _, dims := range eitherHas(was, is) {
			_, fewer := narrowed(was[dims], is[dims])
			n += fewer
			if len(was[dims]) == 0 { // nothing of this size was summed: these are other sums
				gained -= total(is[dims])
			}
			add(compiled.was, was[dims])
			add(compiled.is, is[dims])
		}
		if narrower = min(narrower, max(0, gained)); n > narrower {
			w, narrower = compiled, n
		}
		if f := c.JudgeDifferences("reductions", narrower); f != nil {
			f.Message = phrase.Count(int(narrower), "sum between devices is", "sums between devices are") + " in a narrower type than in the baseline: " + w.moves()
			if n == 0 {
				f.Message += "; this compiler sums in a wider type than the model asks for, another may not"
			}
			f.Cause, f.Evidence = v.EditThat(func(e changes.Edit) bool { return slices.ContainsFunc(e.Added, changes.Step.Sums) })
		}
	},
}

func total(counts map[string]float64) (n float64) {
	for _, count := range counts {
		n += count
	}
	return n
}

// add adds counts to others.
func add(to, counts map[string]float64) {
	for name, n := range counts {
		to[name] += n
	}
}

// narrowed counts the sums that became narrower. It counts what became wider from the dump to the baseline.
func narrowed(was, is map[string]float64) (w widening, n float64) {
	w = widening{was: was, is: is}
	n, _ = crossed(is, was, w.bits)
	return w, n
}
