package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
)

var donationKept = rule.Rule{
	ID:    "donation-kept",
	Title: "donated arguments are still updated in place",
	Why: "A donated argument lends its buffer to a result. Without donation, parameters and optimizer state exist twice: peak memory doubles, " +
		"and the framework prints a warning at most.",
	Options: []rule.Option{
		{Key: "params", Type: rule.Globs, Sense: rule.Demands, Doc: "arguments that must be donated, whatever the baseline says"},
		{Key: "min_ratio", Type: rule.Share, Sense: rule.Demands, Doc: "the smallest share of the arguments' bytes that must be updated in place; needs no baseline"},
		{Key: "min_bytes", Type: rule.Size, Sense: rule.Narrows, Default: 0.0, Doc: "ignore smaller arguments"},
	},
	Budget:     rule.FactMetric(facts.DonationAliased, "arguments updated in place"),
	Bounds:     []string{"params", "min_ratio"},
	Fails:      rule.Example{On: "cpu-donation_lost/after", Config: "- { rule: donation-kept }", Says: "3 arguments are not updated in place any more: params['b1'], params['w1'], params['w2']"},
	Passes:     rule.Example{On: "cpu-donation_lost/before", Config: "- { rule: donation-kept, params: [\"params*\"] }"},
	Fix:        "Keep donate_argnums on the jitted function, and return a result of the same shape and dtype for every donated argument.",
	Threads:    []string{"jax-ml/jax#40280", "jax-ml/jax#9675"},
	FromSource: true,
	Accepts:    []string{"donation.*", "memory.*", "copies.*", "params"},
	Variant:    checkDonationKept,
}

func checkDonationKept(c *rule.Context, v *diff.Variant) {
	mustDonate(c, v)
	judgeDonatedShare(c, v)
	lost := lostDonations(c, v)
	a := c.Budget("donation", donatedCount(c, v.New))
	a.Lost = float64(len(lost))
	if v.Old != nil {
		a.Base = new(donatedCount(c, v.Old) + replacedDonations(c, v))
	}
	if f := c.Judge(a); f != nil && len(lost) > 0 {
		describeUndonated(c, f, v, lost, " any more")
	}
}

// mustDonate holds the arguments that the settings name to it, whatever the baseline says.
func mustDonate(c *rule.Context, v *diff.Variant) {
	unmatchedArguments(c, v, c.List("params"))
	missing := undonated(c, v)
	if len(missing) == 0 {
		return
	}
	f := c.Find(result.Finding{
		Subject: "params", Bound: &result.Bound{Key: "params"},
		Actual: donatedCount(c, v.New), Limit: donatedCount(c, v.New) + float64(len(missing)),
	})
	describeUndonated(c, f, v, missing, "")
}

// describeUndonated says which arguments are not updated in place, and why.
func describeUndonated(c *rule.Context, f *rule.Finding, v *diff.Variant, lost []*facts.Parameter, since string) {
	f.Message = fmt.Sprintf("%s not updated in place%s: %s", phrase.Are(len(lost), "argument"), since, strings.Join(phrase.First(diff.Trees(lost), 6), ", "))
	f.Cause, f.Evidence = v.Undonated(lost, c.Target.Report.Toolchain.Framework)
}

// donatedCount counts the arguments whose buffers are reused, those that matter.
func donatedCount(c *rule.Context, v *facts.Variant) (n float64) {
	for i := range v.Params {
		n += float64(diff.Flag(isReused(c, &v.Params[i])))
	}
	return n
}

func isReused(c *rule.Context, p *facts.Parameter) bool { return p.Aliased && large(c, p.Bytes) }

// replacedDonations counts the arguments that are new, less those that the program no longer has: nothing is won or lost with them.
func replacedDonations(c *rule.Context, v *diff.Variant) (n float64) {
	for _, ch := range v.Params {
		switch {
		case ch.New == nil && ch.Old != nil:
			n -= float64(diff.Flag(isReused(c, ch.Old)))
		case ch.Old == nil && ch.New != nil:
			n += float64(diff.Flag(isReused(c, ch.New)))
		}
	}
	return n
}

// undonated lists the arguments that must be donated and are not.
func undonated(c *rule.Context, v *diff.Variant) []*facts.Parameter {
	return phrase.Pick(v.New.Params, func(p *facts.Parameter) bool {
		return phrase.AnyGlob(c.List("params"), p.Name) && large(c, p.Bytes) && !p.Aliased
	})
}

// lostDonations lists the arguments whose buffer the baseline reused and this program does not.
func lostDonations(c *rule.Context, v *diff.Variant) (out []*facts.Parameter) {
	for _, ch := range v.Params {
		lost := ch.Old != nil && ch.New != nil && ch.Old.Aliased && !ch.New.Aliased
		if lost && large(c, ch.New.Bytes) && !phrase.AnyGlob(c.List("params"), ch.Name) {
			out = append(out, ch.New)
		}
	}
	return out
}

// judgeDonatedShare holds the share of the arguments' bytes that is updated in place against min_ratio, which needs no baseline.
func judgeDonatedShare(c *rule.Context, v *diff.Variant) {
	wanted, asked := c.Number("min_ratio")
	if !asked {
		return
	}
	c.Checked()
	reused, all := donatedBytes(c, v.New)
	if all == 0 || reused/all >= wanted {
		return
	}
	held := heldTwice(c, v.New)
	is, least := phrase.Apart(reused/all, wanted, "share")
	said := fmt.Sprintf("%s of %s of arguments are updated in place: %s, %s wanted; not ", phrase.Bytes(reused), phrase.Bytes(all), is, least)
	f := c.Find(result.Finding{
		Subject: "donation.min_ratio", Unit: "share", Actual: reused / all, Limit: wanted, Bound: &result.Bound{Key: "min_ratio", Needs: reused / all},
		Message: said + strings.Join(phrase.First(diff.Trees(held), 6), ", "),
	})
	f.Cause, f.Evidence = v.Undonated(held, c.Target.Report.Toolchain.Framework)
}

// donatedBytes are those of the arguments that matter: the reused ones, and all.
func donatedBytes(c *rule.Context, v *facts.Variant) (reused, all float64) {
	for i := range v.Params {
		if n := float64(v.Params[i].Bytes); large(c, v.Params[i].Bytes) {
			all += n
			reused += n * float64(diff.Flag(v.Params[i].Aliased))
		}
	}
	return reused, all
}

// heldTwice lists the arguments that matter and whose buffers no result takes over, the largest first.
func heldTwice(c *rule.Context, v *facts.Variant) []*facts.Parameter {
	out := phrase.Pick(v.Params, func(a *facts.Parameter) bool { return !a.Aliased && large(c, a.Bytes) })
	slices.SortStableFunc(out, func(a, b *facts.Parameter) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return out
}

var updatesKept = rule.Rule{
	ID:    "updates-kept",
	Title: "arrays that are updated in part are not rewritten whole",
	Why: "A step that writes one row of a cache, a replay buffer or a table pays for that row, however large the array is. If it writes through a mask or a product with one-hot rows, " +
		"or copies the array because something reads the old one later, it pays for the whole array in every step, and the cost grows with the array.",
	Budget:  &rule.Metric{Noun: "rewritten arrays", Better: rule.Lower, Difference: true},
	Fails:   rule.Example{On: "cases/gpu-cache_masked/after", Base: "cases/gpu-cache_masked/before", Config: "- { rule: updates-kept }", Says: "2 arrays are rewritten whole; the baseline updates less than half: keys f32[4,128,64], values f32[4,128,64]"},
	Passes:  rule.Example{On: "cases/gpu-cache_masked/before", Base: "cases/gpu-cache_masked/after", Config: "- { rule: updates-kept }"},
	Fix:     "Write the part with lax.dynamic_update_slice or x.at[i].set(row), donate the argument, and read the old array before it is updated.",
	Threads: []string{"jax-ml/jax#17845"},
	Since:   1,
	Accepts: []string{"params", "loops.*", "memory.*", "copies.*", "cost.*", "kernel list"},
	Variant: checkUpdatesKept,
}

func checkUpdatesKept(c *rule.Context, v *diff.Variant) {
	if v.Old == nil {
		return
	}
	lost := rewrittenArguments(v)
	for _, s := range rewrittenStates(v) { // an argument that a loop carries on is named once
		if !slices.ContainsFunc(lost, func(known state) bool { return known.shape == s.shape }) {
			lost = append(lost, s)
		}
	}
	a := c.Budget("updates", float64(len(lost)))
	a.Base = new(0.0)
	if f := c.Judge(a); f != nil {
		describeRewritten(f, v, lost)
	}
}

// describeRewritten says which arrays are rewritten whole, and what writes the first.
func describeRewritten(f *rule.Finding, v *diff.Variant, lost []state) {
	named := phrase.Map(lost, func(s state) string { return s.name + s.shape })
	f.Message = fmt.Sprintf("%s rewritten whole; the baseline updates less than half: %s", phrase.Are(len(lost), "array"), strings.Join(phrase.First(named, 6), ", "))
	for i := range v.New.Kernels {
		if k := &v.New.Kernels[i]; k.Writes == lost[0].shape {
			f.Cause = diff.CauseAt(named[0]+" is rewritten whole; the baseline updates a part", k)
			if cause := v.CauseOf(k); cause != nil {
				f.Cause = f.Cause.Of(cause)
			}
			return
		}
	}
}

// state is an argument, or an element of what a loop carries on, which has no name.
type state struct{ name, shape string }

// rewrittenArguments lists the arguments of which a run wrote less than half, and now writes all.
func rewrittenArguments(v *diff.Variant) (lost []state) {
	for was, is := range v.KeptParams {
		if was.Written > 0 && was.Written < 0.5 && is.Written >= 1 {
			lost = append(lost, state{is.Name + " ", is.Shape})
		}
	}
	return lost
}

// rewrittenStates lists what loops carry on of which an iteration wrote less than half, and now writes all.
func rewrittenStates(v *diff.Variant) (lost []state) {
	pairs, _, _ := diff.PairLoops(v.Old.Loops(), v.New.Loops())
	for _, pair := range pairs {
		was, is := pair[0], pair[1]
		for _, shape := range slices.Compact(strings.Fields(was.InPart)) {
			fewer := occurrences(was.InPart, shape) - occurrences(is.InPart, shape)
			more := occurrences(is.Whole, shape) - occurrences(was.Whole, shape)
			for range min(fewer, more) {
				lost = append(lost, state{shape: shape})
			}
		}
	}
	return lost
}

// occurrences counts a shape in a list of shapes.
func occurrences(list, shape string) (n int64) {
	for _, s := range strings.Fields(list) {
		n += diff.Flag(s == shape)
	}
	return n
}

var unusedParameters = rule.Rule{
	ID:    "unused-parameters",
	Title: "every argument is used",
	Why: "A program that ignores an argument does not compute what it seems to: a trace that folded its inputs away is fast, small, and wrong. A batch that " +
		"is transferred and not read still costs the transfer.",
	Options: []rule.Option{
		{Key: "allow", Type: rule.Globs, Sense: rule.Caps, Empty: true, Doc: "arguments that may be unused"},
		{Key: "min_bytes", Type: rule.Size, Sense: rule.Narrows, Default: 0.0, Doc: "ignore smaller arguments"},
	},
	Budget:  &rule.Metric{Noun: "unused arguments", Better: rule.Lower},
	Forbids: true,
	Fails:   rule.Example{On: "cpu-constant_baked/after", Config: "- { rule: unused-parameters }", Says: "1 argument is never read: w"},
	Passes:  rule.Example{On: "cpu-constant_baked/before", Config: "- { rule: unused-parameters }"},
	Fix:     "Use the argument or remove it from the function; look for a value that was closed over, or computed in Python, instead of being passed.",
	Threads: []string{"jobovy/galpy#1310"},
	Accepts: []string{"params"},
	Variant: func(c *rule.Context, v *diff.Variant) {
		names := unusedArguments(c, v.New)
		a := c.Count("unused arguments", func(v *facts.Variant) float64 { return float64(len(unusedArguments(c, v))) })
		if f := c.Forbid(a); f != nil {
			f.Message = fmt.Sprintf("%s never read: %s", phrase.Are(len(names), "argument"), strings.Join(phrase.First(names, 6), ", "))
			f.Cause = &diff.Cause{Title: "no instruction reads " + names[0], Source: v.New.FirstSource()}
		}
	},
}

func unusedArguments(c *rule.Context, v *facts.Variant) []string {
	var names []string
	for i := range v.Params {
		if p := &v.Params[i]; p.Unused && large(c, p.Bytes) && !phrase.AnyGlob(c.List("allow"), p.Name) {
			names = append(names, p.Name)
		}
	}
	return names
}
