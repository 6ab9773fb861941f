package gate

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/result"
)

// Input is a result that is merged, and the file that it came in.
type Input struct {
	File string
	*result.Result
	Unread *Unreadable // why there is no result in it
}

// Merge joins the parts of a run, which it judges, and the results of a matrix. Neither the order of the inputs nor what was merged
// before makes a difference. A target that is absent, there twice, or not there with all its parts is a failure to look; parts that
// cannot be judged yet stay in the result, so that it can be merged with the rest. The configuration may be nil where there are no
// parts: then nothing is declared.
func Merge(ctx context.Context, o Options, inputs []Input) *result.Result {
	whole, parts := split(inputs)
	complaints := slices.Concat(unread(inputs), doubled(inputs), unjoinable(o, parts))
	if len(parts) > 0 && len(complaints) == 0 {
		judged, complaint := judgeParts(ctx, o, parts)
		if complaint == nil {
			whole, parts = append(whole, judged), nil
		} else {
			complaints = append(complaints, *complaint)
		}
	}
	out := newResult(o)
	for _, r := range whole {
		add(out, r)
	}
	for _, p := range parts {
		out.Targets = append(out.Targets, p.Target)
		out.Problems = append(out.Problems, p.problems...)
	}
	out.Problems = append(out.Problems, append(complaints, absent(o.Config, inputs)...)...)
	conclude(out, o)
	return out
}

// part is one part of one target, with what could not be looked at in it.
type part struct {
	result.Target
	shard    dump.Shard
	file     string
	problems []result.Problem
}

// split separates parts from results that are whole.
func split(inputs []Input) (whole []*result.Result, parts []part) {
	for _, in := range withResult(inputs) {
		rest := *in.Result
		rest.Targets = nil
		own := map[string]bool{}
		for _, t := range in.Targets {
			if t.Part == nil {
				rest.Targets = append(rest.Targets, t)
				continue
			}
			s, _ := dump.ParseShard(t.Part.Shard)
			own[t.Name] = true
			parts = append(parts, part{t, s, in.File, problemsOf(in.Result, t.Name)})
		}
		rest.Problems = slices.DeleteFunc(slices.Clone(in.Problems), func(p result.Problem) bool { return p.Pending || own[p.Target] })
		whole = append(whole, &rest)
	}
	return whole, parts
}

func problemsOf(r *result.Result, target string) []result.Problem {
	return slices.DeleteFunc(slices.Clone(r.Problems), func(p result.Problem) bool { return p.Pending || p.Target != target })
}

// add adds a result that was judged already.
func add(out, r *result.Result) {
	out.Targets = append(out.Targets, r.Targets...)
	out.Changes = append(out.Changes, r.Changes...)
	out.Findings = append(out.Findings, r.Findings...)
	out.Problems = append(out.Problems, r.Problems...)
	out.Notes = append(out.Notes, r.Notes...)
	out.Headroom = append(out.Headroom, r.Headroom...)
	out.Summary.Checks += r.Summary.Checks
}

// conclude sorts a merged result, removes duplicates, counts and decides the verdict.
func conclude(out *result.Result, o Options) {
	order(out, o.Config)
	out.Problems = slices.CompactFunc(out.Problems, func(a, b result.Problem) bool { return a == b })
	out.Changes = slices.CompactFunc(out.Changes, func(a, b result.Change) bool { return a.Target == "" && reflect.DeepEqual(a, b) })
	out.Findings = slices.CompactFunc(out.Findings, func(a, b result.Finding) bool { return a.Target == "" && reflect.DeepEqual(a, b) })
	count(out)
	decide(out, failOn(o))
}

// byTarget groups parts, each target's in their order.
func byTarget(parts []part) map[string][]part {
	groups := map[string][]part{}
	for _, p := range parts {
		groups[p.Name] = append(groups[p.Name], p)
	}
	for _, group := range groups {
		slices.SortStableFunc(group, func(a, b part) int { return a.shard.Index - b.shard.Index })
	}
	return groups
}

// judgeParts joins the parts of every target and holds the rules against them. The complaint says why that cannot be.
func judgeParts(ctx context.Context, o Options, parts []part) (*result.Result, *result.Problem) {
	if o.Baseline == "" {
		o.Baseline = parts[0].Part.Baseline
	}
	o.base = opener(ctx, o)
	groups := byTarget(parts)
	list := slices.DeleteFunc(slices.Clone(declared(o.Config)), func(t config.Target) bool { return groups[t.Name] == nil })
	targets, failures := make([]*looked, len(list)), make([]error, len(list))
	var joining errgroup.Group
	joining.SetLimit(runtime.GOMAXPROCS(0))
	for i, t := range list {
		joining.Go(func() error {
			targets[i] = &looked{Target: t}
			failures[i] = targets[i].join(ctx, o, groups[t.Name])
			return nil
		})
	}
	_ = joining.Wait() // what went wrong stands in its place
	for i, err := range failures {
		if err != nil {
			p := pending(list[i].Name, "its parts do not join: "+err.Error())
			return nil, &p
		}
	}
	return judgeAll(o, targets), nil
}

// join puts a target together from its parts, as look does from the dump. The error is for parts that do not fit together.
func (l *looked) join(ctx context.Context, o Options, parts []part) error {
	l.dump = parts[0].Dump
	fresh, base, failures := unpack(parts)
	if fresh == nil {
		if l.problems = failures; len(failures) == 0 {
			return errors.New("one holds no facts, and does not say why")
		}
		return nil
	}
	reports, err := joinPacked(fresh)
	if err != nil {
		return err
	}
	if l.report, err = l.asOne(reports); err != nil {
		l.fail(err)
		return nil
	}
	first := parts[0].Part
	switch {
	case first.Against == "":
		l.loadBase(ctx, o)
	case base == nil:
		l.baseUnread = true
	default:
		if reports, err = joinPacked(base); err != nil {
			return err
		}
		l.baseName, l.base = first.Against, facts.Merge(reports)
	}
	l.problems = append(l.problems, failures...)
	l.compare()
	return nil
}

// unpack lists what the parts measured, in their order, of the dump and of the one that it is compared with; nil where some could not
// look at it, with the reasons.
func unpack(parts []part) (fresh, base []string, failures []result.Problem) {
	for _, p := range parts {
		for _, problem := range p.problems {
			if problem.Rule == "target-ran" && !slices.Contains(failures, problem) {
				failures = append(failures, problem)
			}
		}
		fresh, base = append(fresh, p.Part.Facts), append(base, p.Part.AgainstFacts)
	}
	if slices.Contains(base, "") {
		base = nil
	}
	if slices.Contains(fresh, "") {
		fresh = nil
	}
	return fresh, base, failures
}

// pending is a problem of merging: another merge may solve it.
func pending(target, message string) result.Problem {
	return result.Problem{
		Target: target, Rule: "target-ran", Message: fmt.Sprintf("target %s: %s", target, message), Pending: true,
		Fix: "look at the jobs of that target, and merge the results of one run only",
	}
}
