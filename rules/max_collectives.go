package rules

import (
	"maps"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/rule"
)

var maxCollectives = rule.Rule{
	ID:    "max-collectives",
	Title: "no more communication between devices than before",
	Why:   "One wrong sharding makes XLA gather a whole weight on every step. The program stays correct, and waits for the network.",
	Options: append(slices.Clone(whichCollectives), []rule.Option{
		{Key: "max_bytes", Type: rule.Size, Doc: "the most bytes that all of them may move"},
	}...),
	Budget: &rule.Metric{Noun: "collectives", Better: rule.Lower},
	Bounds: []string{"max_bytes"},
	Fails: rule.Example{On: "cpu-sharding_allgather/after", Config: "- { rule: max-collectives, kinds: [all-reduce], max_increase: 0 }",
		Says: "3 all-reduces: up from 2 in the baseline"},
	Passes:  rule.Example{On: "cpu-sharding_allgather/after", Config: "- { rule: max-collectives, max: 3 }"},
	Fix:     "Look at the sharding of the operand that is gathered: with_sharding_constraint where the axis changes, or another axis for the weight.",
	Threads: []string{"jax-ml/jax#20381", "openxla/xla#6126"},
	Variant: func(c *rule.Context, v *changes.Variant) {
		found := len(c.Findings)
		for _, kind := range collectiveKinds(c, v) {
			cares := func(k *facts.Kernel) bool { return k.Target == kind && chosenCollective(c)(k) }
			a := c.Count(kind, func(v *facts.Variant) float64 { return v.CountKernels(cares) })
			a.Noun = kind + "s" + placeCounted(c)
			rule.Explain(c.JudgeRuns(a, func(v *facts.Variant) float64 { return v.Launches(cares) }), v.CollectiveGrowth, cares)
		}
		if v.Old != nil && len(c.Findings) == found { // else what is new says it
			judgeTraffic(c, v)
		}
		which, kinds := "collectives", c.List("kinds")
		if kinds != nil {
			which = phrase.List(kinds, "and")
		}
		subject := strings.Join(append(slices.Clone(kinds), "bytes"), " ")
		if f := c.Cap("max_bytes", subject, "bytes", v.New.KernelBytes(chosenCollective(c)), which+placeCounted(c)+" move %s"); f != nil {
			f.Cause = v.Largest(chosenCollective(c))
		}
	},
}

// judgeTraffic holds what the collectives move, all together, against the baseline, unless the settings let them be more.
func judgeTraffic(c *rule.Context, v *changes.Variant) {
	if c.AbsolutelyBounded() && c.MaxIncrease == nil || c.MaxIncrease != nil && c.MaxIncrease.Of(0) > 0 {
		return
	}
	now, was := float64(trafficOf(v.New, chosenCollective(c)).bytes), float64(trafficOf(v.Old, chosenCollective(c)).bytes)
	if now <= was {
		return
	}
	a := rule.Amount{Subject: "traffic", Noun: "traffic between devices, all-reduces counted twice", Unit: "bytes", Actual: now, Base: &was}
	rule.Explain(c.JudgeGrowth(a), v.CollectiveGrowth, chosenCollective(c))
}

// traffic is what devices send to each other: how often, and how many bytes.
type traffic struct{ count, bytes int64 }

// trafficOf adds up collectives of a variant, those in loops as often as they run. An all-reduce moves twice its size: it is a reduce-scatter
// and an all-gather.
func trafficOf(v *facts.Variant, cares func(*facts.Kernel) bool) traffic {
	var t traffic
	for k := range v.KernelsThat(cares) {
		runs := int64(k.Runs())
		t.count += runs
		if t.bytes += k.Bytes * runs; k.Target == "all-reduce" {
			t.bytes += k.Bytes * runs
		}
	}
	return t
}

// collectiveKinds lists the kinds that the entry names, or all that either side has, by name.
func collectiveKinds(c *rule.Context, v *changes.Variant) []string {
	if kinds := c.List("kinds"); kinds != nil {
		return kinds
	}
	seen := map[string]bool{}
	for _, side := range []*facts.Variant{v.Old, v.New} {
		if side == nil {
			continue
		}
		for k := range side.KernelsThat((*facts.Kernel).IsCollective) {
			seen[k.Target] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}
