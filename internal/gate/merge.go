package gate

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
)

// Input is a result that is merged, and the file that it came in.
type Input struct {
	File string
	*result.Result
	Unread *Unreadable // why there is no result in it
}

// Merge joins the results of targets that were checked on several machines. The order of the inputs and earlier merges make no difference. A target
// that is missing or there twice is a problem. The configuration may be nil: then no targets are declared.
func Merge(o Options, inputs []Input) *result.Result {
	out := newResult(o)
	read := phrase.Filter(inputs, func(in Input) bool { return in.Unread == nil })
	var twice, missing []result.Problem
	file := map[string]string{} // of each target
	for _, in := range inputs {
		if u := in.Unread; u != nil {
			out.Problems = append(out.Problems, result.Problem{Rule: "target-ran", File: u.Where, Message: u.Message, Fix: u.Fix, Pending: true})
			continue
		}
		out.Targets = append(out.Targets, in.Targets...)
		out.Changes = append(out.Changes, in.Changes...)
		out.Findings = append(out.Findings, in.Findings...)
		out.Problems = append(out.Problems, phrase.Filter(in.Problems, func(p result.Problem) bool { return !p.Pending })...)
		out.Notes = append(out.Notes, in.Notes...)
		out.Headroom = append(out.Headroom, in.Headroom...)
		out.Summary.Checks += in.Summary.Checks
		for _, t := range in.Targets {
			if other, there := file[t.Name]; there {
				twice = append(twice, pending(t.Name, fmt.Sprintf("it is in %s and in %s: one would hide the other", other, in.File)))
			} else {
				file[t.Name] = in.File
			}
		}
	}
	if o.Config != nil {
		for _, t := range o.Config.Targets {
			if _, there := file[t.Name]; !there {
				missing = append(missing, pending(t.Name, fmt.Sprintf("declared at %s, but in none of the results: its job did not run or did not upload", t.Place)))
			}
		}
	}
	out.Problems = slices.Concat(out.Problems, twice, missing)
	whole, why := joinPartial(read)
	switch {
	case whole == nil || why != "":
	case o.Config == nil:
		why = "the targets were checked one by one, and the configuration that says what holds for all of them is not here: -c xlagate.yaml"
	case whole.Config != o.Config.Sum:
		why = fmt.Sprintf("the targets were checked by another configuration than %s, or it was changed in between", o.Config.Path)
	case len(missing) == 0:
		judgeTogether(out, o, whole)
		whole = nil
	}
	if out.Partial = whole; why != "" {
		out.Problems = append(out.Problems, pending("", why))
	}
	order(out, o.Config)
	out.Problems = slices.CompactFunc(out.Problems, func(a, b result.Problem) bool { return a == b })
	out.Changes = slices.CompactFunc(out.Changes, func(a, b result.Change) bool { return a.Target == "" && reflect.DeepEqual(a, b) })
	out.Findings = slices.CompactFunc(out.Findings, func(a, b result.Finding) bool { return a.Target == "" && reflect.DeepEqual(a, b) })
	count(out)
	decide(out, failOn(o))
	return out
}

// joinPartial joins what checks of some targets left to be judged; nil if nothing was. The second result says why that cannot be judged.
func joinPartial(inputs []Input) (whole *result.Partial, why string) {
	for _, in := range inputs {
		switch p := in.Partial; {
		case p == nil:
		case whole == nil:
			whole = &result.Partial{Config: p.Config, Unmatched: p.Unmatched}
		case p.Config != whole.Config:
			return whole, fmt.Sprintf("%s was checked by another configuration than the targets before it", in.File)
		default:
			whole.Unmatched = phrase.Filter(whole.Unmatched, func(place string) bool { return slices.Contains(p.Unmatched, place) })
		}
	}
	return whole, ""
}

// judgeTogether judges what only all targets together can say: which rules match no program, which waivers are not used, which limits are loose.
func judgeTogether(r *result.Result, o Options, left *result.Partial) {
	problems, notes := len(r.Problems), len(r.Notes)
	addUnmatched(r, phrase.Filter(o.Config.Rules, func(s *rule.Settings) bool { return slices.Contains(left.Unmatched, s.Place) }))
	unusedWaivers(r, o)
	noteSlack(r, o)
	o.completeFixes(r.Problems[problems:], r.Notes[notes:])
}

// pending is a problem of merging: another merge may solve it.
func pending(target, message string) result.Problem {
	if target != "" {
		message = fmt.Sprintf("target %s: %s", target, message)
	}
	return result.Problem{
		Target: target, Rule: "target-ran", Message: message, Pending: true, Fix: "look at the jobs, and merge the results of one run only",
	}
}
