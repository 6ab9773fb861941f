package changes

import (
	"fmt"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
)

// notDonated is why an argument is not updated in place that the caller does not give away.
const notDonated = "not donated"

// Undonated returns why arguments are not updated in place: the cause names the first of them, the evidence has a line for each reason. framework is
// the one that made the dump.
func (v *Variant) Undonated(params []*facts.Parameter, framework string) (*Cause, Evidence) {
	var e Evidence
	for _, line := range v.undonatedLines(params) {
		e.After = AddLine(e.After, line)
	}
	first := params[0]
	if cause := unsynced(v, first); cause != nil {
		return cause, e
	}
	why := v.undonated(first)
	cause := &Cause{Kind: KindDonation, Title: first.Name + ": " + why, Source: v.New.CallSite}
	if v.Old != nil && why == notDonated && aliasedOf("", v.Old) > 1 && aliasedOf("", v.New) == 0 {
		others := phrase.Count(aliasedOf("", v.Old)-1, "other", "others")
		cause.Title = fmt.Sprintf("no argument is donated any more, %s and %s were%s", first.Name, others, suspectedLoss[framework])
		return cause, e
	}
	if now := v.resultInPlaceOf(first); now != nil && now.Source.File != "" {
		cause.OpName, cause.Source = now.OpName, now.Source
	}
	return cause, e
}

// suspectedLoss is what takes all donation from a program at once, by the framework.
var suspectedLoss = map[string]string{
	"jax":        ": is donate_argnums gone?",
	"tensorflow": ": are its variables returned rather than assigned?",
}

// StillDonated reports whether arguments are no longer updated in place, although the caller still gives the buffers of all of them away.
func (v *Variant) StillDonated() bool {
	lost := 0
	for _, p := range v.Params {
		if p.Old == nil || p.New == nil || !p.Old.Aliased || p.New.Aliased {
			continue
		}
		if !p.New.Donated {
			return false
		}
		lost++
	}
	return lost > 0
}

// undonatedLines says why arguments are not updated in place, those for the same reason in one line.
func (v *Variant) undonatedLines(params []*facts.Parameter) (lines []string) {
	alike := map[string][]*facts.Parameter{}
	var reasons []string
	for _, p := range params {
		why := v.undonated(p)
		reasons = AddNew(reasons, why)
		alike[why] = append(alike[why], p)
	}
	for _, why := range reasons {
		lines = append(lines, strings.Join(phrase.First(Trees(alike[why]), 4), ", ")+": "+why)
	}
	return lines
}

// undonated says why no result uses an argument's buffer. A framework does not donate what no result could use: the reason is then that there are fewer
// results of its shape than before.
func (v *Variant) undonated(p *facts.Parameter) string {
	results, taken := countShape(v.New.Result, p.Shape), aliasedOf(p.Shape, v.New)
	if moved := v.resharded(p); moved != "" && (!p.Donated || results > taken) {
		return "no result is left for its buffer: " + moved
	}
	switch {
	case !p.Donated && v.Old != nil && results <= taken && results < countShape(v.Old.Result, p.Shape):
		text := fmt.Sprintf("no result is left for its buffer: %d of its shape %s, %d before", results, p.Shape, countShape(v.Old.Result, p.Shape))
		if now := v.reshaped(p); now != nil {
			text += fmt.Sprintf("; one of them is %s now", now.Shape)
		}
		return text
	case !p.Donated:
		return notDonated
	case results > taken:
		return "donated, but its buffer is still read when the result of its shape is written"
	}
	if other := retyped(p, v.New); other != nil {
		return fmt.Sprintf("donated, but the result that would take its place is %s, not %s", other.Shape, p.Shape)
	}
	if results > 0 {
		return fmt.Sprintf("donated, but every result of its shape %s has another argument's buffer", p.Shape)
	}
	return "donated, but no result has its shape " + p.Shape
}

// resultInPlaceOf returns the result that has another shape or type than the one that used an argument's buffer; nil if there is none.
func (v *Variant) resultInPlaceOf(p *facts.Parameter) *facts.Op {
	switch {
	case !p.Donated && v.Old != nil:
		return v.reshaped(p)
	case p.Donated && countShape(v.New.Result, p.Shape) <= aliasedOf(p.Shape, v.New):
		return retyped(p, v.New)
	}
	return nil
}

// resharded names a result of an argument's shape that is sharded in another way than before.
func (v *Variant) resharded(p *facts.Parameter) string {
	if v.Old == nil {
		return ""
	}
	for i := range min(len(v.Old.Outputs), len(v.New.Outputs)) {
		was, is := &v.Old.Outputs[i], &v.New.Outputs[i]
		if was.Shape == p.Shape && is.Shape == p.Shape && was.Split != is.Split {
			return fmt.Sprintf("%s is %s, was %s", ResultName(v.New.Outputs, i), PrintedSharding(ShardedAs(is)), PrintedSharding(ShardedAs(was)))
		}
	}
	return ""
}

// reshaped is the result that had an argument's shape and has another one now; nil where there is none.
func (v *Variant) reshaped(p *facts.Parameter) *facts.Op {
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

// retyped finds a result that would take an argument's place were it not of another type.
func retyped(p *facts.Parameter, v *facts.Variant) *facts.Op {
	for i := range v.Results {
		if shape := hlo.ShapeText(v.Results[i].Shape); shape.SameDims(hlo.ShapeText(p.Shape)) && v.Results[i].Shape != p.Shape {
			return &v.Results[i]
		}
	}
	return nil
}

// countShape counts a shape among the parts of a result.
func countShape(result, shape string) int { return countOf(hlo.ShapeText(result).Elements())[shape] }

// aliasedOf counts the arguments of a shape, of any if it is "", that lend their buffers to results.
func aliasedOf(shape string, v *facts.Variant) (n int) {
	for i := range v.Params {
		n += int(Flag(v.Params[i].Aliased && (shape == "" || v.Params[i].Shape == shape)))
	}
	return n
}

// LostDonations lists the arguments that lend their buffers to results no longer.
func (v *Variant) LostDonations() []*facts.Parameter {
	lost, _ := redonated(v)
	return lost
}

// DonatesAsMany reports whether as many arguments as before lend their buffers to results, where names do not tell which argument is which: those of PyTorch/XLA
// only count them. One more state adds an argument and a result of its shape, so that as many results as before are left without such an argument.
func (v *Variant) DonatesAsMany() bool {
	if v.Old == nil || !countedNames(v.Old.Params) || !countedNames(v.New.Params) {
		return false
	}
	if aliasedOf("", v.Old) == aliasedOf("", v.New) {
		return true
	}
	lent, alone := map[string]int64{}, map[string]int64{} // by shape, how many more than before
	for by, side := range map[int64]*facts.Variant{-1: v.Old, 1: v.New} {
		for _, p := range side.Params {
			lent[p.Shape] += by * Flag(p.Aliased)
			alone[p.Shape] -= by * Flag(p.Aliased)
		}
		for _, shape := range hlo.ShapeText(side.Result).Elements() {
			alone[shape] += by
		}
	}
	for shape, more := range lent {
		if more < 0 || alone[shape] > 0 {
			return false
		}
	}
	return true
}

// redonated lists the arguments that lend their buffers to results no longer, and those that do so now.
func redonated(v *Variant) (lost, gained []*facts.Parameter) {
	if v.DonatesAsMany() {
		return nil, nil
	}
	for _, p := range v.Params {
		switch {
		case p.Old == nil || p.New == nil:
		case p.Old.Aliased && !p.New.Aliased:
			lost = append(lost, p.New)
		case !p.Old.Aliased && p.New.Aliased:
			gained = append(gained, p.New)
		}
	}
	return lost, gained
}

// donationTitle says which arguments lend their buffers to results no longer, or do so now.
func donationTitle(lost, gained []*facts.Parameter) string {
	switch {
	case len(lost) > 0:
		return "no longer updated in place: " + strings.Join(phrase.Within(Trees(lost), 4), ", ")
	case len(gained) > 0:
		return "now updated in place: " + strings.Join(phrase.Within(Trees(gained), 4), ", ")
	}
	return ""
}
