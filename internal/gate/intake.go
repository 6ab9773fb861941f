package gate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/xlagate/xlagate/internal/baseline"
	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/result"
)

// intake is one target's new facts beside its old baseline.
type intake struct {
	target    string
	old       *baseline.Set
	fresh     map[string]*baseline.Program
	was       map[string]string // of programs that were accepted under another name: that name
	told      *result.Target    // the result that this comes from; nil where it is a dump
	graphs    facts.Values      // of TensorFlow's graphs; nil when autoclustering did not run
	findings  []result.Finding
	overrides map[string]string // by change: the entry to add to the configuration where a pack forbids it
}

// collectFacts collects the facts to accept of each target, and how much of each budget they use.
func collectFacts(ctx context.Context, o Options, a AcceptOptions) ([]*intake, []result.Headroom, error) {
	if a.From != nil {
		intakes, err := fromResult(o, a.From)
		return intakes, a.From.Headroom, err
	}
	targets, err := lookAll(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	r := &result.Result{}
	var out []*intake
	for _, l := range targets {
		if len(l.problems) > 0 {
			return nil, nil, &Incomplete{l.problems}
		}
		found := judge(r, o, l)
		addChanges(r, o, l, found)
		in := &intake{target: l.Name, old: l.set, fresh: map[string]*baseline.Program{}, graphs: baseline.GraphFacts(l.report.Clusters), overrides: map[string]string{}}
		for _, p := range l.report.Programs {
			in.fresh[p.Name] = &baseline.Program{Program: *p, Toolchain: l.report.Toolchain}
		}
		out = append(out, in)
	}
	addFindings(r, out)
	return out, r.Headroom, nil
}

// addFindings gives each target its findings.
func addFindings(r *result.Result, intakes []*intake) {
	for _, f := range r.Findings {
		for _, in := range intakes {
			if in.target == f.Target {
				in.findings = append(in.findings, f)
			}
		}
	}
	for _, c := range r.Changes {
		for _, in := range intakes {
			if in.target == c.Target && len(c.Overrides) > 0 {
				in.overrides[c.ID] = strings.Join(c.Overrides, "\n")
			}
		}
	}
}

// fromResult takes a run's facts and findings from its result file.
func fromResult(o Options, r *result.Result) ([]*intake, error) {
	if len(r.Problems) > 0 {
		return nil, &Incomplete{r.Problems}
	}
	store, err := o.base()
	if err != nil {
		return nil, err
	}
	var out []*intake
	for _, t := range r.Targets {
		if !result.ValidTarget(t.Name) {
			return nil, UsageError{fmt.Sprintf("the result's target %q would lead out of the baseline", t.Name)}
		}
		in := &intake{target: t.Name, fresh: map[string]*baseline.Program{}, graphs: t.Graphs, was: map[string]string{}, told: &t, overrides: map[string]string{}}
		if in.old, err = baseline.Load(store, t.Name); err != nil && !errors.Is(err, baseline.ErrNone) {
			return nil, err
		}
		for _, p := range t.Programs {
			if in.old.Find(p.Was) != nil {
				in.was[p.Name] = p.Was
			}
		}
		programs, err := programsOf(&t)
		if err != nil {
			return nil, err
		}
		for _, p := range programs {
			in.fresh[p.Name] = p
		}
		out = append(out, in)
	}
	addFindings(r, out)
	return out, nil
}

// known refuses ids that no change and no finding has.
func known(only []string, intakes []*intake) error {
	for _, id := range only {
		found := func(f result.Finding) bool { return named(&f, []string{id}) }
		if !slices.ContainsFunc(intakes, func(in *intake) bool { return slices.ContainsFunc(in.findings, found) }) {
			return UsageError{fmt.Sprintf("there is no change and no finding %s; `xlagate check` prints the ids of what it finds", id)}
		}
	}
	return nil
}

// named reports whether one of the ids is a finding's, or that of the change that it belongs to.
func named(f *result.Finding, ids []string) bool {
	return slices.Contains(ids, f.ID) || slices.Contains(ids, f.Change)
}

// gone reports whether an accepted program that is not there any more was looked for. A result tells; of what it does not name it may be that
// another program was run.
func (in *intake) gone(name string) bool {
	return in.told == nil || slices.ContainsFunc(in.told.Programs, func(p result.Program) bool {
		return p.Name == name && p.Change == diff.Removed || diff.IsPart(p.Name, name)
	})
}

// names lists the programs of both sides, those that were renamed under their new names.
func (in *intake) names() []string {
	var names []string
	renamed := slices.Collect(maps.Values(in.was))
	for n := range in.fresh {
		names = append(names, n)
	}
	if in.old != nil {
		for _, p := range in.old.Programs {
			if in.fresh[p.Name] == nil && !slices.Contains(renamed, p.Name) && in.gone(p.Name) {
				names = append(names, p.Name)
			}
		}
	}
	sort.Strings(names)
	return names
}
