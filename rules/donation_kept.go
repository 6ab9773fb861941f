package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/hlo"

	"github.com/xlagate/xlagate/internal/facts"

	"github.com/xlagate/xlagate/internal/match"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
)

var donationKept = rule.Rule{
	ID:       "donation-kept",
	Title:    "donated arguments are still updated in place",
	Category: rule.Memory,
	Why: "A donated argument lends its buffer to a result. When donation is lost, parameters and optimizer state exist twice: peak memory doubles, " +
		"and the framework gives at most a gentle warning.",
	Reads: []rule.Input{rule.Optimized},
	Options: []rule.Option{
		{Key: "params", Type: rule.Globs, Sense: rule.Demands, Doc: "arguments that must be donated, whatever the baseline says"},
		{Key: "min_ratio", Type: rule.Share, Sense: rule.Demands, Doc: "the least share of the arguments' bytes that must be updated in place; needs no baseline"},
		{Key: "min_bytes", Type: rule.Size, Sense: rule.Narrows, Default: 0.0, Doc: "smaller arguments do not matter"},
	},
	Budget:     rule.FactMetric(facts.DonationAliased, "arguments updated in place"),
	Bounds:     []string{"params", "min_ratio"},
	Fails:      rule.Example{On: "cpu-donation_lost/after", Config: "- { rule: donation-kept }", Says: "3 arguments are not updated in place any more: params['b1'], params['w1'], params['w2']"},
	Passes:     rule.Example{On: "cpu-donation_lost/before", Config: "- { rule: donation-kept, params: [\"params*\"] }"},
	Fix:        "Keep donate_argnums on the jitted function, and return a result of the same shape and dtype for every donated argument.",
	Threads:    []string{"jax-ml/jax#40280", "jax-ml/jax#9675"},
	Since:      "1",
	FromSource: true,
	Accepts:    []string{"donation.*", "memory.*", "copies.*", "params"},
	Program:    checkDonationKept,
}

func checkDonationKept(c *rule.Context, p *diff.Program) {
	for _, v := range rule.Live(p) {
		mustDonate(c, p, v)
		judgeDonatedShare(c, p, v)
		lost := lostDonations(c, v)
		a := c.Budget(p, v, "donation", donatedCount(c, v.New))
		a.Lost = float64(len(lost))
		if v.Old != nil {
			a.Base = new(donatedCount(c, v.Old) + replacedDonations(c, v))
		}
		if f := c.Judge(a); f != nil && len(lost) > 0 {
			describeUndonated(c, f, v, lost, " any more")
		}
	}
}

// mustDonate holds the arguments that the settings name to it, whatever the baseline says.
func mustDonate(c *rule.Context, p *diff.Program, v *diff.Variant) {
	unmatchedArguments(c, p, v, c.List("params"))
	missing := undonated(c, v)
	if len(missing) == 0 {
		return
	}
	f := c.Find(rule.Finding{
		Program: p.Name, Variant: rule.VariantName(v), Subject: "params", Bound: &result.Bound{Key: "params"},
		Actual: donatedCount(c, v.New), Limit: donatedCount(c, v.New) + float64(len(missing)),
	})
	describeUndonated(c, f, v, missing, "")
}

// describeUndonated says which arguments are not updated in place, and why.
func describeUndonated(c *rule.Context, f *rule.Finding, v *diff.Variant, lost []diff.ParamChange, since string) {
	f.Message = fmt.Sprintf("%s not updated in place%s: %s", phrase.Are(len(lost), "argument"), since, strings.Join(phrase.First(treesOf(lost), 6), ", "))
	f.Cause = donationCause(c, v, lost)
	for _, why := range whys(lost) {
		f.Evidence.After = diff.AddLine(f.Evidence.After, why)
	}
}

// donatedCount counts the arguments whose buffers are reused, those that matter.
func donatedCount(c *rule.Context, v *facts.Variant) (n float64) {
	for i := range v.Params {
		n += float64(diff.Flag(isReused(c, &v.Params[i])))
	}
	return n
}

func isReused(c *rule.Context, p *facts.Parameter) bool {
	least, _ := c.Number("min_bytes")
	return p.Aliased && float64(p.Bytes) >= least
}

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
func undonated(c *rule.Context, v *diff.Variant) []diff.ParamChange {
	var out []diff.ParamChange
	for i := range v.New.Params {
		if p := &v.New.Params[i]; match.AnyGlob(c.List("params"), p.Name) && !p.Aliased {
			out = append(out, diff.ParamChange{Name: p.Name, New: p, What: whyNot(p, v)})
		}
	}
	return out
}

// whyNot says why an argument's buffer is not reused. The framework donates nothing that no result could use, and says so only to
// the log: fewer results of its shape than before are the reason then.
func whyNot(p *facts.Parameter, v *diff.Variant) string {
	results, taken := countShape(v.New.Result, p.Shape), takenOf(p.Shape, v.New)
	taker := takerOf(p, v.New)
	if moved := respread(p, v); moved != "" && (!p.Donated || results > taken) {
		return "no result is left for its buffer: " + moved
	}
	switch {
	case !p.Donated && v.Old != nil && results <= taken && results < countShape(v.Old.Result, p.Shape):
		text := fmt.Sprintf("no result is left for its buffer: %d of its shape %s, %d before", results, p.Shape, countShape(v.Old.Result, p.Shape))
		if now := reshaped(p, v); now != nil {
			text += fmt.Sprintf("; one of them is %s now", now.Shape)
		}
		return text
	case !p.Donated:
		return notDonated
	case results > taken:
		return "donated, but its buffer is still read when the result of its shape is written"
	case taker != nil:
		return fmt.Sprintf("donated, but the result that would take its place is %s, not %s", taker.Shape, p.Shape)
	case results > 0:
		return fmt.Sprintf("donated, but every result of its shape %s has another argument's buffer", p.Shape)
	}
	return "donated, but no result has its shape " + p.Shape
}

const notDonated = "not donated"

// respread names a result of an argument's shape that lies on the devices in another way than before.
func respread(p *facts.Parameter, v *diff.Variant) string {
	if v.Old == nil {
		return ""
	}
	for i := range min(len(v.Old.Outputs), len(v.New.Outputs)) {
		was, is := &v.Old.Outputs[i], &v.New.Outputs[i]
		if was.Shape == p.Shape && is.Shape == p.Shape && was.Split != is.Split {
			now, before := spreadOf(is), spreadOf(was)
			return fmt.Sprintf("%s is %s, was %s", resultName(v.New.Outputs, i), spread(&now), spread(&before))
		}
	}
	return ""
}

// reshaped is the result that had an argument's shape and has another one now; nil where there is none.
func reshaped(p *facts.Parameter, v *diff.Variant) *facts.Op {
	was, is := hlo.ShapeText(v.Old.Result).Elements(), hlo.ShapeText(v.New.Result).Elements()
	if len(was) != len(is) || len(is) != len(v.New.Results) {
		return nil
	}
	for i := range is {
		if was[i] == p.Shape && is[i] != p.Shape {
			return &v.New.Results[i]
		}
	}
	return nil
}

// countShape counts a shape among the parts of a result, as text.
func countShape(result, shape string) (n int) {
	for _, part := range hlo.ShapeText(result).Elements() {
		if part == shape {
			n++
		}
	}
	return n
}

// takenOf counts the arguments of a shape that lend their buffers to results.
func takenOf(shape string, v *facts.Variant) int {
	n := 0
	for i := range v.Params {
		if v.Params[i].Shape == shape && v.Params[i].Aliased {
			n++
		}
	}
	return n
}

// takerOf finds a result that would take an argument's place were it not of another type.
func takerOf(p *facts.Parameter, v *facts.Variant) *facts.Op {
	for i := range v.Results {
		if shape := hlo.ShapeText(v.Results[i].Shape); shape.SameDims(hlo.ShapeText(p.Shape)) && v.Results[i].Shape != p.Shape {
			return &v.Results[i]
		}
	}
	return nil
}

// lostDonations lists the arguments whose buffer the baseline reused and this program does not.
func lostDonations(c *rule.Context, v *diff.Variant) []diff.ParamChange {
	least, _ := c.Number("min_bytes")
	var out []diff.ParamChange
	for _, ch := range v.Params {
		if ch.Old == nil || ch.New == nil || !ch.Old.Aliased || ch.New.Aliased || float64(ch.New.Bytes) < least {
			continue
		}
		if !match.AnyGlob(c.List("params"), ch.Name) {
			ch.What = whyNot(ch.New, v)
			out = append(out, ch)
		}
	}
	return out
}

// treesOf names arguments, those of one tree together.
func treesOf(changes []diff.ParamChange) []string {
	var params []*facts.Parameter
	for _, ch := range changes {
		params = append(params, ch.New)
	}
	return diff.Trees(params)
}

// whys says why arguments are not updated in place, those for the same reason together.
func whys(lost []diff.ParamChange) []string {
	alike := map[string][]diff.ParamChange{}
	var order, lines []string
	for _, ch := range lost {
		if alike[ch.What] == nil {
			order = append(order, ch.What)
		}
		alike[ch.What] = append(alike[ch.What], ch)
	}
	for _, why := range order {
		lines = append(lines, strings.Join(phrase.First(treesOf(alike[why]), 4), ", ")+": "+why)
	}
	return lines
}

func aliased(v *facts.Variant) int {
	n := 0
	for _, p := range v.Params {
		if p.Aliased {
			n++
		}
	}
	return n
}

// donationCause names the first argument and the reason, or says that no argument is donated any more.
func donationCause(c *rule.Context, v *diff.Variant, lost []diff.ParamChange) *diff.Cause {
	first := lost[0]
	if cause := unsynced(v, first.New); cause != nil {
		return cause
	}
	if v.Old != nil && len(lost) == aliased(v.Old) && len(lost) > 1 && first.What == notDonated {
		return &diff.Cause{Kind: result.KindDonation, Source: v.New.CallSite, Title: fmt.Sprintf("no argument is donated any more, %s and %s were%s", first.Name, phrase.Count(len(lost)-1, "other", "others"), donationSuspicion(c))}
	}
	cause := &diff.Cause{Kind: result.KindDonation, Title: first.Name + ": " + first.What, Source: v.New.CallSite}
	if taker := takerOf(first.New, v.New); taker != nil && first.New.Donated && countShape(v.New.Result, first.New.Shape) <= takenOf(first.New.Shape, v.New) {
		cause.OpName, cause.Source = taker.OpName, taker.Source
	}
	if v.Old == nil || first.New.Donated {
		return cause
	}
	if now := reshaped(first.New, v); now != nil && now.Source.File != "" {
		cause.OpName, cause.Source = now.OpName, now.Source
	}
	return cause
}

// donationSuspicion is what takes all donation from a program at once, in the framework's words.
func donationSuspicion(c *rule.Context) string {
	switch c.Target.Report.Toolchain.Framework {
	case "jax":
		return ": is donate_argnums gone?"
	case "tensorflow":
		return ": are its variables returned rather than assigned?"
	}
	return ""
}

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
	f := rule.Finding{Program: p.Name, Variant: rule.VariantName(v), Subject: "donation.min_ratio", Unit: "share", Actual: reused / all, Bound: &result.Bound{Key: "min_ratio", Needs: reused / all}, Limit: wanted, Message: said + "; not " + listArguments(held)}
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
