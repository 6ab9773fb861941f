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

var donationKept = rule.Rule{
	ID:    "donation-kept",
	Title: "donated arguments are still updated in place",
	Why: "A donated argument lends its buffer to a result. Without donation, parameters and optimizer state exist twice, and the framework prints a " +
		"warning at most.",
	Options: []rule.Option{
		{Key: "params", Type: rule.Globs, Doc: "arguments that must be donated, whatever the baseline says"},
		{Key: "min_ratio", Type: rule.Share, Doc: "the smallest share of the arguments' bytes that must be updated in place"},
		{Key: "min_bytes", Type: rule.Size, Default: 0.0, Doc: "ignore smaller arguments"},
	},
	Budget: rule.FactMetric(facts.DonationAliased, "arguments updated in place"),
	Bounds: []string{"params", "min_ratio"},
	Fails: rule.Example{On: "cpu-donation_lost/after", Config: "- { rule: donation-kept }",
		Says: "3 arguments are not updated in place any more: params['b1'], params['w1'], params['w2']"},
	Passes:  rule.Example{On: "cpu-donation_lost/before", Config: "- { rule: donation-kept, params: [\"params*\"] }"},
	Fix:     "In JAX, keep donate_argnums, and return a result of the same shape and dtype for every donated argument. In PyTorch/XLA, end every step with torch_xla.sync().",
	Threads: []string{"jax-ml/jax#40280", "jax-ml/jax#9675"},
	Variant: func(c *rule.Context, v *changes.Variant) {
		mustDonate(c, v)
		judgeDonatedShare(c, v)
		lost := phrase.Filter(v.LostDonations(), func(p *facts.Parameter) bool {
			return hasMinBytes(c, p.Bytes) && !phrase.AnyGlob(c.List("params"), p.Name)
		})
		a := c.Budget("donation", donatedCount(c, v.New))
		a.Lost = float64(len(lost))
		if v.Old != nil {
			base := donatedCount(c, v.Old)
			if !v.DonatesAsMany() {
				base += replacedDonations(c, v)
			}
			a.Base = &base
		}
		if f := c.Judge(a); f != nil && len(lost) > 0 {
			describeUndonated(c, f, v, lost, " any more")
		}
	},
}

// mustDonate holds the arguments that the settings name to it, whatever the baseline says.
func mustDonate(c *rule.Context, v *changes.Variant) {
	unmatchedArguments(c, v, c.List("params"))
	missing := phrase.Pick(v.New.Params, func(p *facts.Parameter) bool {
		return phrase.AnyGlob(c.List("params"), p.Name) && hasMinBytes(c, p.Bytes) && !p.Aliased
	})
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
func describeUndonated(c *rule.Context, f *rule.Finding, v *changes.Variant, lost []*facts.Parameter, since string) {
	f.Message = fmt.Sprintf("%s not updated in place%s: %s", phrase.Are(len(lost), "argument"), since, strings.Join(phrase.First(changes.Trees(lost), 6), ", "))
	f.Cause, f.Evidence = v.Undonated(lost, c.Target.Report.Toolchain.Framework)
}

// donatedCount counts the arguments whose buffers are reused, those that matter.
func donatedCount(c *rule.Context, v *facts.Variant) float64 {
	return float64(len(phrase.Pick(v.Params, func(p *facts.Parameter) bool { return isReused(c, p) })))
}

func isReused(c *rule.Context, p *facts.Parameter) bool { return p.Aliased && hasMinBytes(c, p.Bytes) }

// replacedDonations counts the arguments that are new, less those that the program no longer has: nothing is won or lost with them.
func replacedDonations(c *rule.Context, v *changes.Variant) (n float64) {
	for _, ch := range v.Params {
		switch {
		case ch.New == nil && ch.Old != nil:
			n -= float64(changes.Flag(isReused(c, ch.Old)))
		case ch.Old == nil && ch.New != nil:
			n += float64(changes.Flag(isReused(c, ch.New)))
		}
	}
	return n
}

// judgeDonatedShare holds the share of the arguments' bytes that is updated in place against min_ratio, which needs no baseline.
func judgeDonatedShare(c *rule.Context, v *changes.Variant) {
	var reused, all float64
	for i := range v.New.Params {
		if n := float64(v.New.Params[i].Bytes); hasMinBytes(c, v.New.Params[i].Bytes) {
			all += n
			reused += n * float64(changes.Flag(v.New.Params[i].Aliased))
		}
	}
	said := fmt.Sprintf("%s of %s of arguments are updated in place: %%s", phrase.Bytes(reused), phrase.Bytes(all))
	f := c.AtLeast("min_ratio", "donation.min_ratio", rule.PortionOf(reused, all), said)
	if f == nil {
		return
	}
	held := phrase.Pick(v.New.Params, func(a *facts.Parameter) bool { return !a.Aliased && hasMinBytes(c, a.Bytes) })
	slices.SortStableFunc(held, func(a, b *facts.Parameter) int { return cmp.Compare(b.Bytes, a.Bytes) })
	f.Message += "; not " + strings.Join(phrase.First(changes.Trees(held), 6), ", ")
	f.Cause, f.Evidence = v.Undonated(held, c.Target.Report.Toolchain.Framework)
}
