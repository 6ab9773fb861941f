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

var forbiddenCustomCalls = rule.Rule{
	ID:    "forbidden-custom-calls",
	Title: "slow paths and unwanted libraries are not called",
	Why: "A fallback is also a call: a solver on the host, a convolution that silently uses BF16, a sort where a top-k kernel should be. Only its " +
		"name shows that it is slow.",
	Options: []rule.Option{
		{Key: "calls", Type: rule.Table, Require: true, Doc: "the calls that must not be there", Fields: append(slices.Clone(callFields),
			rule.Option{Key: "max", Type: rule.Count, Default: 0.0, Doc: "how many there may be"},
		)},
	},
	Budget:  &rule.Metric{Noun: "forbidden custom calls", Better: rule.Lower},
	Forbids: true,
	Fails: rule.Example{On: "cpu-fusion_callback_barrier/after", Config: "- { rule: forbidden-custom-calls, calls: [{ call: \"*callback\" }] }",
		Says: "1 call of *callback, 0 allowed: xla_ffi_python_cpu_callback"},
	Passes:  rule.Example{On: "cpu-fusion_callback_barrier/before", Config: "- { rule: forbidden-custom-calls, calls: [{ call: \"*callback\" }] }"},
	Fix:     "Use the operation that the device has a kernel for, or the shape and dtype that its library wants.",
	Threads: []string{"openxla/xla#40021", "jax-ml/jax#25842"},
	Check:   checkCalls,
	Variant: func(c *rule.Context, v *changes.Variant) {
		forbidEach(c, v, "calls", callOf)
		for _, e := range c.Entries("calls") {
			noteAbsentKey(c, v, callOf(e))
		}
	},
}

// noteAbsentKey notes a key of a backend_config that none of the calls has: a misspelt one would let everything pass.
func noteAbsentKey(c *rule.Context, v *changes.Variant, q callQuery) {
	almost := q.almost(v.New)
	for _, key := range slices.Sorted(maps.Keys(q.config)) {
		says := func(k *facts.Kernel) bool {
			return slices.ContainsFunc(k.Config, func(s string) bool { return saysKey(s, key) })
		}
		if len(almost) > 0 && !slices.ContainsFunc(almost, says) {
			q.config = configs{key: q.config[key]}
			c.Notes = append(c.Notes, result.Note{Kind: "not told", Program: c.Program.Name,
				Message: fmt.Sprintf("%s matches no call in the dump or the baseline: %s", c.Rule.ID, q.configsOf(almost))})
			return
		}
	}
}

// describe says what is called, and from where.
func (q callQuery) describe(f *rule.Finding, v *facts.Variant) {
	names := map[string]bool{}
	for k := range v.KernelsThat(q.matches) {
		names[calls(k)] = true
		f.Evidence.After = changes.AddLine(f.Evidence.After, k.Describe())
		if f.Cause == nil || f.Cause.Source.File == "" && k.Source.File != "" {
			f.Cause = changes.CauseAt(fmt.Sprintf("%s is called", calls(k)), k)
		}
	}
	f.Message = fmt.Sprintf("%s of %s, %v allowed", phrase.Count(int(v.CountKernels(q.matches)), "call", "calls"), q, f.Limit)
	if list := slices.Sorted(maps.Keys(names)); len(list) != 1 || list[0] != q.call {
		f.Message += ": " + strings.Join(phrase.First(list, 6), ", ")
	}
}
