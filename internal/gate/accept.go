package gate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/xlagate/xlagate/internal/baseline"
	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/result"
)

// AcceptOptions says what is accepted.
type AcceptOptions struct {
	Only    []string // findings, by id; empty: everything
	Reason  string
	Tighten bool           // record only what got better
	From    *result.Result // take it from a result instead of a dump
	// Before is called with the budgets and what is left unsettled before anything is written; it may be nil.
	Before func(*Accepted)
}

// Accepted says what accepting did to the baseline.
type Accepted struct {
	Written   []string // files, relative to the working directory where possible
	Removed   []string
	Unchanged int
	Budgets   []*config.Budget // what was written into the configuration: tighter, or as wide as what was accepted by name
	Unsettled []Unsettled      // the limits that are still broken
	Unjudged  []result.Problem // what a check cannot judge even then
	Changes   []result.Change  // those that the ids name
	Beside    []result.Change  // others of the same programs: what they cost is in the numbers that are accepted
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
	o.accepting = true
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
		done.Unjudged = append(done.Unjudged, in.unjudged...)
		done.Changes = append(done.Changes, in.changesOf(a.Only)...)
		done.Beside = append(done.Beside, in.beside(done.Changes)...)
	}
	done.Budgets = done.plan(o.Config, a, list, rows)
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
	return done.named(o.Dir, edit), nil
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

// named gives the files the names that people know them by.
func (a *Accepted) named(dir string, edit *baseline.Edit) *Accepted {
	for _, names := range [][]string{a.Written, a.Removed} {
		sort.Strings(names)
		for i, name := range names {
			names[i] = Relative(dir, edit.Shown(name))
		}
	}
	return a
}

// Incomplete says why nothing could be accepted.
type Incomplete struct{ Problems []result.Problem }

// Error names the first problem.
func (e *Incomplete) Error() string {
	return fmt.Sprintf("nothing was accepted: %s", e.Problems[0].Message)
}

// accept writes what changes in one target.
func (in *candidate) accept(edit *baseline.Edit, a AcceptOptions, done *Accepted) error {
	for _, name := range in.names() {
		old, fresh := in.accepted(name), in.fresh[name]
		next := old
		switch {
		case len(a.Only) > 0:
			next = in.chosen(a.Only, name, old, fresh)
		case a.Tighten:
			next = tightened(old, fresh)
		default:
			next = fresh
		}
		if err := in.put(edit, a, old, fresh, next, done); err != nil {
			return err
		}
	}
	return in.acceptGraphs(edit, a, done)
}

// acceptGraphs records what TensorFlow clustered, when everything is accepted or a finding about it is.
func (in *candidate) acceptGraphs(edit *baseline.Edit, a AcceptOptions, done *Accepted) error {
	about := func(f result.Finding) bool { return named(&f, a.Only) && slices.Contains(scope(&f), "clusters.*") }
	if in.graphs == nil || a.Tighten || len(a.Only) > 0 && !slices.ContainsFunc(in.findings, about) {
		return nil
	}
	return done.put(baseline.SaveGraphs(edit, in.target, in.graphs))
}

// put adds the files that were written.
func (a *Accepted) put(written []string, err error) error {
	a.Written = append(a.Written, written...)
	if err == nil && len(written) == 0 {
		a.Unchanged++
	}
	return err
}

// put writes, removes or keeps the files of one program. A renamed program keeps its old name until all of it is accepted.
func (in *candidate) put(edit *baseline.Edit, a AcceptOptions, old, fresh, next *baseline.Program, done *Accepted) error {
	remove := func() error {
		if old == nil || next != nil && next.Name == old.Name {
			return nil
		}
		removed, err := baseline.Remove(edit, in.target, old.Name)
		done.Removed = append(done.Removed, removed...)
		return err
	}
	if next == nil {
		return remove()
	}
	next.Reason = reason(a.Reason, old, next)
	next.ShowAs(old, fresh)
	if err := done.put(baseline.Save(edit, in.target, next)); err != nil {
		return err // the old files stay if the new ones cannot be written
	}
	return remove()
}

// reason keeps the earlier reason when the facts stay as they are: accepting twice changes nothing.
func reason(given string, old, next *baseline.Program) string {
	if old == nil || given != "" && !baseline.Same(old, next) {
		return given
	}
	return old.Reason
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
	target    string
	old       *baseline.Set
	fresh     map[string]*baseline.Program
	was       map[string]string // of programs that were accepted under another name: that name
	from      *result.Target    // the result that this comes from; nil where it is a dump
	graphs    facts.Values      // of TensorFlow's graphs; nil when autoclustering did not run
	findings  []result.Finding
	judged    []result.Finding // those that the facts give; of a result file, judged again
	changes   []result.Change
	unjudged  []result.Problem
	overrides map[string]string // by change: the entry to add to the configuration where a pack forbids it
}

func newCandidate(target string, old *baseline.Set, graphs facts.Values) *candidate {
	return &candidate{target: target, old: old, graphs: graphs, fresh: map[string]*baseline.Program{}, was: map[string]string{}, overrides: map[string]string{}}
}

// candidates collects the facts to accept of each target, and how much of each budget they use.
func candidates(ctx context.Context, o Options, a AcceptOptions) ([]*candidate, []result.Headroom, error) {
	if a.From != nil {
		list, err := candidatesOfResult(o, a.From)
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
		in := newCandidate(l.Name, l.set, baseline.GraphFacts(l.report.Clusters))
		for _, p := range r.Problems {
			if p.Target == l.Name && !p.Settled {
				in.unjudged = append(in.unjudged, p)
			}
		}
		for _, p := range l.report.Programs {
			in.fresh[p.Name] = &baseline.Program{Program: *p, Toolchain: l.report.Toolchain}
		}
		for _, p := range l.programs {
			in.renamed(p.Name, p.Was)
		}
		out = append(out, in)
	}
	addFindings(r, out)
	return out, r.Headroom, nil
}

// addFindings gives each target its findings and changes.
func addFindings(r *result.Result, list []*candidate) {
	for _, in := range list {
		for _, f := range r.Findings {
			if in.target == f.Target {
				in.findings, in.judged = append(in.findings, f), append(in.judged, f)
			}
		}
		for _, c := range r.Changes {
			if in.target != c.Target {
				continue
			}
			in.changes = append(in.changes, c)
			if len(c.Overrides) > 0 {
				in.overrides[c.ID] = strings.Join(c.Overrides, "\n")
			}
		}
	}
}

// candidatesOfResult takes a run's facts and findings from its result file.
func candidatesOfResult(o Options, r *result.Result) ([]*candidate, error) {
	if len(r.Problems) > 0 {
		return nil, &Incomplete{r.Problems}
	}
	store, err := o.base()
	if err != nil {
		return nil, err
	}
	var out []*candidate
	for _, t := range r.Targets {
		if !result.ValidTarget(t.Name) {
			return nil, UsageError{fmt.Sprintf("the result's target %q would lead out of the baseline", t.Name)}
		}
		old, err := loadAccepted(store, t.Name)
		if err != nil {
			return nil, err
		}
		programs, err := programsOf(&t)
		if err != nil {
			return nil, err
		}
		in := newCandidate(t.Name, old, t.Graphs)
		in.from = &t
		for _, p := range programs {
			in.fresh[p.Name] = p
		}
		for _, p := range t.Programs {
			in.renamed(p.Name, p.Was)
		}
		out = append(out, in)
	}
	addFindings(r, out)
	return out, boundByFacts(o, store, r, out)
}

// boundByFacts takes the limits that findings break from the facts of a result, judged again: the numbers beside the facts may be anything. A limit that
// the facts do not break stays as it is written. A finding that has the id of another is refused: its id would accept what nobody named.
func boundByFacts(o Options, store fs.FS, r *result.Result, list []*candidate) error {
	again, err := Rejudge(o, store, r)
	if err != nil {
		return err
	}
	type limit struct{ program, variant, place, key string }
	bounds, found := map[limit]*result.Bound{}, map[string]result.Finding{}
	for _, f := range again.Findings {
		found[f.ID] = f
		if f.Bound != nil {
			bounds[limit{f.Program, f.Variant, f.Bound.Place, f.Bound.Key}] = f.Bound
		}
	}
	for _, in := range list {
		in.judged = slices.DeleteFunc(slices.Clone(again.Findings), func(f result.Finding) bool { return f.Target != in.target })
		for i := range in.findings {
			f := &in.findings[i]
			if is, there := found[f.ID]; there && !sameSubject(f, &is) {
				return fmt.Errorf("the result contradicts itself; it was edited: %s is the id of %s in %s, not of %s in %s", f.ID, is.Rule, is.Program, f.Rule, f.Program)
			}
			if b := f.Bound; b != nil && b.Written {
				said := *b
				said.Written = false
				f.Bound = cmp.Or(bounds[limit{f.Program, f.Variant, b.Place, b.Key}], &said)
			}
		}
	}
	return nil
}

// changesOf lists the changes that ids name, by their own or those of their findings.
func (in *candidate) changesOf(ids []string) (list []result.Change) {
	for _, c := range in.changes {
		isNamed := func(f result.Finding) bool { return f.Change == c.ID && named(&f, ids) }
		if slices.Contains(ids, c.ID) || slices.ContainsFunc(in.findings, isNamed) {
			list = append(list, c)
		}
	}
	return list
}

// beside lists the changes that no id names, of programs of which one is accepted, that cost something and break nothing, or a limit on the step that is
// accepted.
func (in *candidate) beside(accepted []result.Change) (list []result.Change) {
	step := func(id string) bool {
		return slices.ContainsFunc(in.findings, func(f result.Finding) bool { return f.ID == id && strings.HasPrefix(f.Subject, string(stepTime)) })
	}
	for _, c := range in.changes {
		isOf := func(a result.Change) bool {
			return a.Target == c.Target && a.Program == c.Program && len(a.Findings) > 0 && (len(c.Findings) == 0 || slices.ContainsFunc(a.Findings, step) && slices.ContainsFunc(c.Findings, step))
		}
		isThis := func(a result.Change) bool { return a.ID == c.ID }
		if (c.Price.StepNS > 0 || c.Price.PeakBytes > 0) && slices.ContainsFunc(accepted, isOf) && !slices.ContainsFunc(accepted, isThis) {
			list = append(list, c)
		}
	}
	return list
}

// sameSubject reports whether two findings are of one rule about one thing.
func sameSubject(a, b *result.Finding) bool {
	return a.Rule == b.Rule && a.Target == b.Target && a.Program == b.Program && a.Subject == b.Subject
}

// known refuses ids that no change and no finding has, and those of changes that break no rule, if others of the program are not named: what such a change
// moved is not known apart from the others.
func known(only []string, list []*candidate) error {
	for _, id := range only {
		found := func(f result.Finding) bool { return named(&f, []string{id}) }
		if slices.ContainsFunc(list, func(in *candidate) bool { return slices.ContainsFunc(in.findings, found) }) {
			continue
		}
		program, alone := "", false
		for _, in := range list {
			if at := slices.IndexFunc(in.changes, func(c result.Change) bool { return c.ID == id }); at >= 0 {
				program, alone = in.changes[at].Program, !in.allOf(only, in.changes[at].Program, "")
			}
		}
		switch {
		case program == "":
			return UsageError{fmt.Sprintf("there is no change or finding %s; `xlagate check` prints the ids of what it finds", id)}
		case alone:
			return UsageError{fmt.Sprintf("change %s breaks no rule: it can only be accepted with all other changes of %s, or with everything: xlagate accept --reason \"…\"", id, program)}
		}
	}
	return nil
}

// named reports whether one of the ids is a finding's, or that of the change that it belongs to.
func named(f *result.Finding, ids []string) bool {
	return slices.ContainsFunc(ids, f.Is)
}

// gone reports whether the run looked for an accepted program and did not find it. A result lists what it looked for; a program that it does not name
// may belong to another run.
func (in *candidate) gone(name string) bool {
	return in.from == nil || slices.ContainsFunc(in.from.Programs, func(p result.Program) bool {
		return p.Name == name && p.Change == diff.Removed || diff.IsPart(p.Name, name)
	})
}

// names lists the programs of both sides. Renamed programs have their new names.
func (in *candidate) names() []string {
	names, renamed := slices.Collect(maps.Keys(in.fresh)), slices.Collect(maps.Values(in.was))
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

// renamed notes that a program was accepted under another name.
func (in *candidate) renamed(name, was string) {
	if in.fresh[name] != nil && in.fresh[was] == nil && in.old.Find(was) != nil {
		in.was[name] = was
	}
}

// accepted returns the baseline of a program, which may have another name there.
func (in *candidate) accepted(name string) *baseline.Program {
	if was := in.was[name]; was != "" {
		return in.old.Find(was)
	}
	return in.old.Find(name)
}
