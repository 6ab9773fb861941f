package rules

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/rule"
)

var noNewCollectives = rule.Rule{
	ID:    "no-new-collectives",
	Title: "devices do not communicate in a new way",
	Why: "A sharding that no longer matches makes XLA insert a collective of another kind, or along another axis of the mesh. A collective that " +
		"replaces others, and sends no more along its axis than before, is not new.",
	Reads:  []rule.Input{rule.Optimized, rule.Baseline},
	Budget: &rule.Metric{Noun: "collectives of a new kind or axis", Better: rule.Lower, Difference: true},
	Fails: rule.Example{On: "cpu-result_gathered/after", Config: "- { rule: no-new-collectives }",
		Says: "2 collectives of a new kind or axis: all-gather over model, all-gather over data"},
	Passes:  rule.Example{On: "cpu-result_gathered/before", Config: "- { rule: no-new-collectives }"},
	Fix:     "Look at the sharding of the operand: with_sharding_constraint where the axis changes, or shard the weight on the axis that is not contracted.",
	Threads: []string{"jax-ml/jax#20381", "openxla/xla#6126"},
	Variant: func(c *rule.Context, v *changes.Variant) {
		known, kinds := map[string]bool{}, map[string]bool{}
		for k := range v.Old.KernelsThat((*facts.Kernel).IsCollective) {
			known[wayOf(k)] = true
			known[k.Target] = known[k.Target] || k.Axes == ""
			kinds[k.Target] = true
		}
		renamed := renamedAxes(v)
		var fresh []*facts.Kernel
		for k := range v.New.KernelsThat((*facts.Kernel).IsCollective) {
			was := cmp.Or(renamed[k.Axes], k.Axes)
			if !known[way(k.Target, was)] && !known[k.Target] && (k.Axes != "" || !kinds[k.Target]) && communicateMore(v, was, k.Axes) {
				fresh = append(fresh, k)
			}
		}
		if f := c.JudgeDifferences("new collectives", float64(len(fresh))); f != nil {
			f.Message = fmt.Sprintf("%s of a new kind or axis: %s", phrase.Some(len(fresh), "collective"), strings.Join(phrase.First(waysOf(fresh), 4), ", "))
			f.Cause, f.Evidence = v.CollectiveGrowth(func(k *facts.Kernel) bool { return slices.Contains(waysOf(fresh), wayOf(k)) })
		}
	},
}

// renamedAxes finds the former names of axes that the baseline does not have. It is the only axis that is gone and that the same collectives ran over, else the
// only one that is gone and had the same groups of devices. If there are several, the axis has no known name.
func renamedAxes(v *changes.Variant) map[string]string {
	old, fresh := byAxes(v.Old), byAxes(v.New)
	renamed := map[string]string{}
	for is, now := range fresh {
		if old[is] != nil {
			continue
		}
		for _, alike := range []func(was *alongAxes) bool{
			func(was *alongAxes) bool { return maps.Equal(was.collectives, now.collectives) },
			func(was *alongAxes) bool { return maps.Equal(was.groups, now.groups) },
		} {
			were := slices.DeleteFunc(slices.Collect(maps.Keys(old)), func(was string) bool { return fresh[was] != nil || !alike(old[was]) })
			if len(were) == 1 {
				renamed[is] = were[0]
				break
			}
		}
	}
	return renamed
}

// alongAxes is what communicates along some axes: how often each collective does, and the groups of devices.
type alongAxes struct{ collectives, groups map[string]int }

// byAxes lists what communicates, by the axes that it is along.
func byAxes(v *facts.Variant) map[string]*alongAxes {
	along := map[string]*alongAxes{}
	for k := range v.KernelsThat((*facts.Kernel).IsCollective) {
		if k.Axes == "" {
			continue
		}
		if along[k.Axes] == nil {
			along[k.Axes] = &alongAxes{map[string]int{}, map[string]int{}}
		}
		along[k.Axes].collectives[k.Target+" "+k.Out+" "+k.Groups]++
		along[k.Axes].groups[k.Groups] = 1
	}
	return along
}

// communicateMore reports whether devices communicate more along an axis, by its name in the baseline and now: with more bytes, or more often with as many.
func communicateMore(v *changes.Variant, was, is string) bool {
	along := func(axes string) func(*facts.Kernel) bool {
		return func(k *facts.Kernel) bool { return k.IsCollective() && (axes == "" || k.Axes == "" || k.Axes == axes) }
	}
	before, now := trafficOf(v.Old, along(was)), trafficOf(v.New, along(is))
	return now.bytes > before.bytes || now.bytes == before.bytes && now.count > before.count
}

// wayOf is "all-gather over data", or "all-gather" where the axis is not known.
func wayOf(k *facts.Kernel) string { return way(k.Target, k.Axes) }

func way(kind, axes string) string {
	if axes == "" {
		return kind
	}
	return kind + " over " + axes
}

func waysOf(kernels []*facts.Kernel) []string {
	return changes.AddNew(nil, phrase.Map(kernels, wayOf)...)
}
