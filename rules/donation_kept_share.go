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

// judgeDonatedShare holds the share of the arguments' bytes that is updated in place against min_ratio, which needs no baseline.
func judgeDonatedShare(c *rule.Context, p *diff.Program, v *diff.Variant) {
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
	said := fmt.Sprintf("%s of %s of arguments are updated in place: %s, %s wanted", phrase.Bytes(reused), phrase.Bytes(all), is, least)
	f := rule.Finding{Program: p.Name, Variant: rule.VariantName(v), Subject: "donation.min_ratio", Unit: "share", Actual: reused / all, Limit: wanted, Message: said + "; not " + listArguments(held)}
	f.Cause = &diff.Cause{Kind: result.KindDonation, Title: fmt.Sprintf("the largest, %s: %s", held[0].Name, whyNot(held[0], v)), Source: v.New.CallSite}
	for _, a := range held[:min(len(held), diff.MaxLines)] {
		f.Evidence.After = append(f.Evidence.After, fmt.Sprintf("%s, %s: %s", a.Name, phrase.Bytes(float64(a.Bytes)), whyNot(a, v)))
	}
	c.Find(f)
}

// donatedBytes are those of the arguments that matter: the reused ones, and all.
func donatedBytes(c *rule.Context, v *facts.Variant) (reused, all float64) {
	least, _ := c.Number("min_bytes")
	for i := range v.Params {
		if n := float64(v.Params[i].Bytes); n >= least {
			all += n
			reused += n * float64(diff.Flag(v.Params[i].Aliased))
		}
	}
	return reused, all
}

// heldTwice lists the arguments that matter and whose buffers no result takes over, the largest first.
func heldTwice(c *rule.Context, v *facts.Variant) []*facts.Parameter {
	least, _ := c.Number("min_bytes")
	var out []*facts.Parameter
	for i := range v.Params {
		if a := &v.Params[i]; !a.Aliased && float64(a.Bytes) >= least {
			out = append(out, a)
		}
	}
	slices.SortStableFunc(out, func(a, b *facts.Parameter) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return out
}

func listArguments(params []*facts.Parameter) string {
	var names []string
	for _, a := range params {
		names = append(names, a.Name)
	}
	return strings.Join(phrase.First(names, 6), ", ")
}
