package rules

import (
	"fmt"
	"slices"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/rule"
)

var forbiddenFusions = rule.Rule{
	ID:    "forbidden-fusions",
	Title: "fusions that are known to be bad are not made",
	Why: "A fusion can be a mistake: it keeps two buffers alive at once, or spills because it has forty operands. It should not come back with the " +
		"next compiler.",
	Options: []rule.Option{
		{Key: "fusions", Type: rule.Table, Require: true, Doc: "the fusions that must not be there", NeedsOne: append([]string{"outputs", "operands"}, fusionKeys...), Fields: append(slices.Clone(fusionFields),
			rule.Option{Key: "outputs", Type: rule.Count, Doc: "only fusions with at least that many results"},
			rule.Option{Key: "operands", Type: rule.Count, Doc: "only fusions that read at least that many values"},
			rule.Option{Key: "max", Type: rule.Count, Default: 0.0, Doc: "how many there may be"},
		)},
	},
	Budget:  &rule.Metric{Noun: "forbidden fusions", Better: rule.Lower},
	Forbids: true,
	Fails: rule.Example{On: "gpu-intermediate_out/after", Config: "- rule: forbidden-fusions\n  fusions: [{ name: two results, contains: [tanh], outputs: 2 }]",
		Says: "the fusion \"two results\" is made: loop_add_tanh_fusion"},
	Passes:  rule.Example{On: "gpu-intermediate_out/before", Config: "- rule: forbidden-fusions\n  fusions: [{ name: two results, contains: [tanh], outputs: 2 }]"},
	Fix:     "Separate the kernel's operations in the model's source; or report the fusion to the compiler's developers and waive the finding.",
	Threads: []string{"openxla/xla#5179", "jax-ml/jax#18424", "openxla/xla#27322"},
	Variant: func(c *rule.Context, v *changes.Variant) { forbidEach(c, v, "fusions", fusionOf) },
}

func (q *fusionQuery) describe(f *rule.Finding, v *facts.Variant) {
	found := q.in(v)
	f.Message = fmt.Sprintf("the fusion %q is made: %s", q.name, kernelNames(found))
	f.Cause = changes.CauseAt(found[0].Describe(), found[0])
	f.Evidence.After = phrase.Map(found[:min(len(found), changes.MaxLines)], (*facts.Kernel).Describe)
}
