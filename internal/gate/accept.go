package gate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/baseline"
	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
)

// AcceptOptions says what is accepted.
type AcceptOptions struct {
	Only    []string // changes, by id: each is allowed up to what it costs now; empty: the dump as it is
	Reason  string
	Tighten bool           // record only what got better
	From    *result.Result // take it from a result instead of a dump
	// Before is called with the budgets and what is left unsettled before anything is written; it may be nil.
	Before func(*Accepted)
}

// whole reports whether the dump is accepted as it is. What the old baseline holds does not matter then, and it may be damaged.
func (a *AcceptOptions) whole() bool { return len(a.Only) == 0 && !a.Tighten }

// Accepted says what accepting did to the baseline.
type Accepted struct {
	Written   []string // files, relative to the working directory where possible
	Removed   []string
	Unchanged int
	Budgets   []*config.Budget // what was written into the configuration: tighter, or as wide as what was accepted
	Unsettled []Unsettled      // the limits that are still broken
	Unjudged  []result.Problem // what a check cannot judge even then
	Changes   []result.Change  // those that the ids name
}

// Accept refreshes the baseline. It refuses a dump that could not be read whole: the missing parts would count as removed.
func Accept(ctx context.Context, o Options, a AcceptOptions) (_ *Accepted, err error) {
	edit, err := editBaseline(ctx, o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, edit.Close()) }()
	return acceptInto(ctx, o, a, edit, func() ([]byte, error) { return os.ReadFile(o.Config.Path) })
}

// acceptInto refreshes a baseline that is open for changing, and numbers in the text of the configuration.
func acceptInto(ctx context.Context, o Options, a AcceptOptions, edit *baseline.Edit, text func() ([]byte, error)) (*Accepted, error) {
	o.accepting, o.replacing = true, a.whole()
	o.base = func() (fs.FS, error) { return edit, nil } // compared with the baseline that it replaces
	list, rows, err := candidates(ctx, o, a)
	if err != nil {
		return nil, err
	}
	if err := known(a.Only, list); err != nil {
		return nil, err
	}
	done := &Accepted{}
	for _, in := range list {
		in.recut = in.isRecut(a.Only)
		done.Unjudged = append(done.Unjudged, in.unjudged...)
		done.Changes = append(done.Changes, in.changesOf(a.Only)...)
	}
	switch {
	case a.Tighten:
		done.Budgets = append(withHeadroom(slack(o.Config, rows)), unusedIncreases(o.Config, rows)...)
	case len(a.Only) == 0:
		done.widen(o.Config, list)
	}
	changed, err := withBudgets(o.Config, text, done.Budgets)
	if err != nil {
		return nil, err
	}
	if a.Before != nil {
		a.Before(done)
	}
	for _, in := range list {
		if err := in.accept(edit, a, done); err != nil {
			return done, err
		}
	}
	if changed != nil {
		edit.Also(o.Config.Path, changed) // in one step with the baseline
	}
	if err := edit.Commit(); err != nil {
		return nil, err
	}
	for _, names := range [][]string{done.Written, done.Removed} {
		slices.Sort(names)
		for i, name := range names {
			names[i] = Relative(o.Dir, edit.Shown(name))
		}
	}
	return done, nil
}

// AcceptRemote accepts what a result holds into the configuration and baseline of a revision that is not checked out. It returns the files that changed
// by their path in the repository; nil is one that is removed.
func AcceptRemote(ctx context.Context, p Policy, version string, a AcceptOptions) (done *Accepted, changed map[string][]byte, err error) {
	if baseline.Remote(p.Config.Baseline) {
		return nil, nil, fmt.Errorf("the baseline %s does not lie on the pull request's branch", p.Config.Baseline)
	}
	store := path.Join(path.Dir(p.File), p.Config.Baseline)
	if !fs.ValidPath(store) {
		return nil, nil, fmt.Errorf("the baseline %s does not lie in the repository", p.Config.Baseline)
	}
	changed = map[string][]byte{}
	o := Options{Request: Request{Config: p.Config}, Environment: Environment{Version: version}}
	done, err = acceptInto(ctx, o, a, baseline.EditCopy(p.Store, store, changed), func() ([]byte, error) { return p.Text, nil })
	return done, changed, err
}

// Left lists the budgets that are too narrow for what was accepted and could not be changed.
func (a *Accepted) Left() []*config.Budget {
	return slices.DeleteFunc(slices.Clone(a.Budgets), func(b *config.Budget) bool { return b.Left == "" })
}

// Incomplete says why nothing could be accepted.
type Incomplete struct{ Problems []result.Problem }

// Error names the first problem.
func (e *Incomplete) Error() string {
	return fmt.Sprintf("nothing was accepted: %s", e.Problems[0].Message)
}

// accept writes what changes in one target.
func (in *candidate) accept(edit *baseline.Edit, a AcceptOptions, done *Accepted) error {
	ceilings, replaced, err := in.ceilings(a)
	if err != nil {
		return err
	}
	var programs []*baseline.Program
	for _, name := range in.names() {
		old, fresh := in.accepted(name), in.fresh[name]
		next := fresh
		switch {
		case len(a.Only) > 0:
			next = in.allowing(name, old, fresh, ceilings[name], replaced, a)
		case a.Tighten:
			next = in.tightened(old, fresh)
		}
		if next != nil {
			programs = append(programs, next)
		}
		if old != nil && (next == nil || next.Name != old.Name) {
			removed, err := baseline.Remove(edit, in.target, baseline.FileName(old.Name))
			done.Removed = append(done.Removed, removed...)
			if err != nil {
				return err
			}
		}
	}
	written := baseline.Save(edit, in.target, a.Reason, programs...)
	done.Written, done.Unchanged = append(done.Written, written...), done.Unchanged+len(programs)-len(written)
	if len(a.Only) > 0 || a.Tighten {
		return nil
	}
	if in.graphs != nil {
		written := baseline.SaveGraphs(edit, in.target, in.graphs)
		done.Written, done.Unchanged = append(done.Written, written...), done.Unchanged+1-len(written)
	}
	return in.removeDamaged(edit, done)
}

// removeDamaged removes the files that cannot be read and that were not written anew: their programs are gone.
func (in *candidate) removeDamaged(edit *baseline.Edit, done *Accepted) error {
	if in.old == nil {
		return nil
	}
	written := map[string]bool{}
	for name := range in.fresh {
		written[baseline.FileName(name)] = true
	}
	for _, d := range in.old.Damaged {
		if written[d.Name] {
			continue
		}
		removed, err := baseline.Remove(edit, in.target, d.Name)
		done.Removed = append(done.Removed, removed...)
		if err != nil {
			return err
		}
	}
	return nil
}

// isWhole reports whether accepting one of a program's changes accepts it as a whole: it has no baseline, or is gone, or is a cluster of a graph that is cut
// otherwise now.
func (in *candidate) isWhole(program string) bool {
	return (in.fresh[program] == nil) != (in.accepted(program) == nil) || in.recut && changes.OfClusters(program)
}

// isNamed reports whether a program has a change that ids name.
func (in *candidate) isNamed(program string, only []string) bool {
	return in.recut && changes.OfClusters(program) || slices.ContainsFunc(in.changesOf(only), func(c result.Change) bool { return c.IsIn(in.target, program) })
}

// isRecut reports whether TensorFlow cut its graph into other clusters, and the ids name every change of clusters that breaks a rule. Clusters are parts of one
// graph: what one of them lost, the new ones have.
func (in *candidate) isRecut(only []string) bool {
	ofClusters := func(c result.Change) bool {
		return len(c.Findings) > 0 && slices.ContainsFunc(c.Programs(), changes.OfClusters)
	}
	named := phrase.Filter(in.changesOf(only), ofClusters)
	return len(named) > 0 && len(named) == len(phrase.Filter(in.changes, ofClusters)) &&
		slices.ContainsFunc(in.names(), func(name string) bool { return changes.OfClusters(name) && in.isWhole(name) })
}

// allowing returns the old baseline of a program with ceilings. A program that has no baseline, or that is gone, is accepted as a whole if one of its changes is
// named.
func (in *candidate) allowing(name string, old, fresh *baseline.Program, ceilings []baseline.Ceiling, replaced map[string]bool, a AcceptOptions) *baseline.Program {
	switch {
	case in.isWhole(name) && in.isNamed(name, a.Only):
		old = fresh
	case old == nil:
		return nil
	}
	if old == nil || len(replaced)+len(ceilings) == 0 {
		return old
	}
	next := *old
	next.Ceilings = append(slices.DeleteFunc(slices.Clone(old.Ceilings), func(c baseline.Ceiling) bool { return c.IsOf(replaced) }), ceilings...)
	slices.SortFunc(next.Ceilings, func(a, b baseline.Ceiling) int { return strings.Compare(a.Change, b.Change) })
	return &next
}

// Relative returns a path relative to a folder, or the path itself if there is no way.
func Relative(dir, path string) string {
	if rel, err := filepath.Rel(dir, path); err == nil {
		return rel
	}
	return path
}

// candidate is what may be accepted for one target: its new facts, beside the old baseline.
type candidate struct {
	target   string
	old      *baseline.Set
	fresh    map[string]*baseline.Program
	was      map[string]string // of programs that were accepted under another name: that name
	from     *result.Target    // the result that this comes from; nil where it is a dump
	recut    bool              // see isRecut
	graphs   facts.Values      // of TensorFlow's graphs; nil when autoclustering did not run
	findings []result.Finding
	changes  []result.Change
	unjudged []result.Problem
}

func newCandidate(t *result.Target, old *baseline.Set, programs []*baseline.Program) *candidate {
	in := &candidate{target: t.Name, old: old, graphs: t.Graphs, fresh: map[string]*baseline.Program{}, was: map[string]string{}}
	for _, p := range programs {
		in.fresh[p.Name] = p
	}
	for _, p := range t.Programs {
		if in.fresh[p.Name] != nil && in.fresh[p.Was] == nil && old.Find(p.Was) != nil {
			in.was[p.Name] = p.Was
		}
	}
	return in
}

// candidates collects the facts to accept of each target, and how much of each budget they use.
func candidates(ctx context.Context, o Options, a AcceptOptions) ([]*candidate, []result.Headroom, error) {
	if a.From != nil {
		list, err := candidatesOfResult(o, a.From, a.whole())
		return list, a.From.Headroom, err
	}
	targets, err := lookAll(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	r := &result.Result{}
	var out []*candidate
	for _, l := range targets {
		if len(l.problems) > 0 {
			return nil, nil, &Incomplete{l.problems}
		}
		found := judge(r, o, l)
		addChanges(r, o, l, found)
		in := newCandidate(&r.Targets[len(r.Targets)-1], l.set, phrase.Map(l.report.Programs, l.asBaseline))
		in.unjudged = phrase.Filter(r.Problems, func(p result.Problem) bool { return p.Target == l.Name && !p.Settled })
		out = append(out, in)
	}
	waive(r, o)
	addFindings(r, out)
	return out, r.Headroom, nil
}

// addFindings gives each target its findings and changes.
func addFindings(r *result.Result, list []*candidate) {
	for _, in := range list {
		in.findings = phrase.Filter(r.Findings, func(f result.Finding) bool { return f.Target == in.target })
		in.changes = phrase.Filter(r.Changes, func(c result.Change) bool { return c.Target == in.target })
	}
}

// candidatesOfResult takes a run's facts and findings from its result file.
func candidatesOfResult(o Options, r *result.Result, whole bool) ([]*candidate, error) {
	if problems := slices.DeleteFunc(slices.Clone(r.Problems), func(p result.Problem) bool { return whole && p.Rule == "baseline-present" }); len(problems) > 0 {
		return nil, &Incomplete{problems}
	}
	store, err := o.base()
	if err != nil {
		return nil, err
	}
	var out []*candidate
	read := map[string]*stored{}
	for _, t := range r.Targets {
		if !result.ValidTarget(t.Name) {
			return nil, UsageError{fmt.Sprintf("the result's target %q would lead out of the baseline", t.Name)}
		}
		from, err := readTarget(store, &t, whole)
		if err != nil {
			return nil, err
		}
		in := newCandidate(&t, from.set, from.programs)
		in.from, read[t.Name] = &t, from
		out = append(out, in)
	}
	addFindings(r, out)
	return out, judgedByFacts(judgeStored(o, r, read), out)
}

// judgedByFacts takes what findings found, and the limits that they break, from the facts of a result, judged again: the numbers beside the facts may be
// anything. A finding that has the id of another is refused: its id would accept what nobody named.
func judgedByFacts(again *result.Result, list []*candidate) error {
	found := map[string]*result.Finding{}
	for i := range again.Findings {
		found[again.Findings[i].ID] = &again.Findings[i]
	}
	for _, in := range list {
		for i := range in.findings {
			f := &in.findings[i]
			is, subject := found[f.ID], f.Subject
			if is == nil && f.AddsNS != 0 { // the limit is broken by several changes
				at := slices.IndexFunc(again.Findings, func(r result.Finding) bool {
					return r.Rule == f.Rule && r.Program == f.Program && r.Variant == f.Variant && shareID(r.ID, f.Change) == f.ID
				})
				if at < 0 {
					f.AddsNS = 0
				} else {
					is, subject = &again.Findings[at], strings.TrimSuffix(subject, shareOf+f.Change)
				}
			}
			switch {
			case is != nil && !(f.Rule == is.Rule && f.Target == is.Target && f.Program == is.Program && subject == is.Subject):
				return fmt.Errorf("the result contradicts itself; it was edited: %s is the id of %s in %s, not of %s in %s", f.ID, is.Rule, is.Program, f.Rule, f.Program)
			case is != nil:
				f.Was, f.Actual, f.Limit, f.Baseline, f.Bound = is.Was, is.Actual, is.Limit, is.Baseline, is.Bound
			case f.Bound != nil:
				said := *f.Bound
				said.Written = false
				f.Bound = &said
			}
			if was, compared := f.Baseline.(float64); compared { // no change needs to add more than all together
				actual, _ := f.Actual.(float64)
				f.AddsNS = min(f.AddsNS, max(0, actual-was))
			}
		}
	}
	return nil
}

// changesOf lists the changes that ids name, by their own or those of their findings.
func (in *candidate) changesOf(ids []string) []result.Change {
	byFinding := map[string]bool{}
	for i := range in.findings {
		if f := &in.findings[i]; slices.ContainsFunc(ids, f.Is) {
			byFinding[f.Change] = true
		}
	}
	return phrase.Filter(in.changes, func(c result.Change) bool { return byFinding[c.ID] || slices.Contains(ids, c.ID) })
}

// known refuses ids that no change and no finding has, and those of changes that break no rule: there is nothing to allow.
func known(only []string, list []*candidate) error {
	for _, id := range only {
		var named []result.Change
		for _, in := range list {
			named = append(named, in.changesOf([]string{id})...)
		}
		switch {
		case len(named) == 0:
			return UsageError{fmt.Sprintf("there is no change or finding %s; `xlagate check` prints the ids of what it finds", id)}
		case len(named[0].Findings) == 0:
			return UsageError{fmt.Sprintf("change %s breaks no rule, so it needs no permission; to record what the dump holds now: xlagate accept --reason \"why\"", id)}
		}
	}
	return nil
}

// gone returns a function that reports whether the run looked for an accepted program and did not find it. A result lists what it looked for; a program that
// it does not name may belong to another run.
func (in *candidate) gone() func(name string) bool {
	if in.from == nil {
		return func(string) bool { return true }
	}
	removed, joint := map[string]bool{}, []string(nil)
	for i := range in.from.Programs {
		p := &in.from.Programs[i]
		removed[p.Name] = removed[p.Name] || p.Change == changes.Removed
		if p.Accept.IsZero() { // several that are compared as one are accepted one by one
			joint = append(joint, p.Name)
		}
	}
	return func(name string) bool {
		return removed[name] || slices.ContainsFunc(joint, func(all string) bool { return changes.IsPart(all, name) })
	}
}

// names lists the programs of both sides. Renamed programs have their new names.
func (in *candidate) names() []string {
	names := slices.Collect(maps.Keys(in.fresh))
	if in.old != nil {
		renamed, gone := map[string]bool{}, in.gone()
		for _, was := range in.was {
			renamed[was] = true
		}
		for _, p := range in.old.Programs {
			if in.fresh[p.Name] == nil && !renamed[p.Name] && gone(p.Name) {
				names = append(names, p.Name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// accepted returns the baseline of a program, which may have another name there.
func (in *candidate) accepted(name string) *baseline.Program {
	if was := in.was[name]; was != "" {
		return in.old.Find(was)
	}
	return in.old.Find(name)
}
