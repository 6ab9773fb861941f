package gate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/xlagate/xlagate/internal/baseline"
	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/result"
)

// AcceptOptions says what is accepted.
type AcceptOptions struct {
	Only    []string // findings, by id; empty: everything
	Reason  string
	Tighten bool           // record only what got better
	From    *result.Result // take it from a result instead of a dump
}

// Accepted says what accepting did to the baseline.
type Accepted struct {
	Written   []string // files, relative to the working directory where possible
	Removed   []string
	Unchanged int
	Pushed    string           // what the baseline is now, where it lies in a registry and changed
	Budgets   []*config.Budget // what was written into the configuration: tighter, or as wide as what was accepted by name
	Asked     []Asked          // what the configuration asks for all the same
}

// Asked is what the configuration asks for whatever was accepted.
type Asked struct {
	Place   string // file:line:column
	Rule    string
	Message string
	Number  bool // accepting the finding by its id changes the number there
}

// intake is one target's new facts beside its old baseline.
type intake struct {
	target   string
	old      *baseline.Set
	fresh    map[string]*baseline.Program
	was      map[string]string // of programs that were accepted under another name: that name
	graphs   facts.Numbers     // of TensorFlow's graphs; nil when autoclustering did not run
	findings []result.Finding
	demands  []demand // what accepting all of it does not settle
}

// Accept refreshes the baseline. A dump that could not be read whole is refused: accepting it would make its gaps the rule.
func Accept(ctx context.Context, o Options, a AcceptOptions) (*Accepted, error) {
	edit, err := editBaseline(ctx, o)
	if err != nil {
		return nil, err
	}
	o.accepting = true
	o.base = func() (fs.FS, error) { return edit, nil } // what is accepted is compared with what it takes the place of
	intakes, rows, err := takeIn(ctx, o, a)
	if err != nil {
		return nil, err
	}
	if err := known(a.Only, intakes); err != nil {
		return nil, err
	}
	done := &Accepted{}
	for _, in := range intakes {
		if err := in.accept(edit, a, done); err != nil {
			return done, err
		}
	}
	if done.Pushed, err = edit.Commit(ctx); err == nil {
		err = done.budget(o.Config, a, intakes, rows)
	}
	return done.named(o.Dir, edit), Explained(err)
}

// named gives the files the names that people know them by.
func (a *Accepted) named(dir string, edit baseline.Edit) *Accepted {
	for _, names := range [][]string{a.Written, a.Removed} {
		sort.Strings(names)
		for i, name := range names {
			names[i] = relative(dir, edit.Shown(name))
		}
	}
	return a
}

// takeIn collects what there is to accept, and how much of each budget it uses.
func takeIn(ctx context.Context, o Options, a AcceptOptions) ([]*intake, []result.Headroom, error) {
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
		asked := judge(r, o, l)
		in := &intake{target: l.name, old: l.set, fresh: map[string]*baseline.Program{}, graphs: baseline.GraphFacts(l.report.Clusters), demands: asked}
		for _, p := range l.report.Programs {
			in.fresh[p.Name] = &baseline.Program{Program: *p, Toolchain: l.report.Toolchain}
		}
		out = append(out, in)
	}
	shareOut(fold(join(r.Findings)), out)
	return out, r.Headroom, nil
}

// Incomplete says why nothing could be accepted.
type Incomplete struct{ Problems []result.Problem }

// Error names the first problem.
func (e *Incomplete) Error() string {
	return fmt.Sprintf("nothing was accepted: %s", e.Problems[0].Message)
}

func shareOut(findings []result.Finding, intakes []*intake) {
	for _, f := range findings {
		for _, in := range intakes {
			if in.target == f.Target {
				in.findings = append(in.findings, f)
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
		in := &intake{target: t.Name, fresh: map[string]*baseline.Program{}, graphs: t.Graphs}
		if in.old, err = baseline.Load(store, t.Name); err != nil && !errors.Is(err, baseline.ErrNone) {
			return nil, err
		}
		for _, p := range t.Programs {
			if p.Accept == "" {
				continue
			}
			program, err := baseline.Parse(t.Name+"/"+p.Name, []byte(p.Accept))
			if err != nil {
				return nil, fmt.Errorf("the result holds no usable baseline: %w", err)
			}
			in.fresh[p.Name] = program
		}
		if in.demands, err = reportedDemands(o, &t); err != nil {
			return nil, err
		}
		out = append(out, in)
	}
	shareOut(r.Findings, out)
	return out, nil
}

// known refuses ids that no finding has.
func known(only []string, intakes []*intake) error {
	for _, id := range only {
		if !slices.ContainsFunc(intakes, func(in *intake) bool { return in.find(id) != nil }) {
			return UsageError{fmt.Sprintf("there is no finding %s; `xlagate check` prints the ids of what it finds", id)}
		}
	}
	return nil
}

func (in *intake) find(id string) *result.Finding {
	for i := range in.findings {
		f := &in.findings[i]
		if f.ID == id || slices.ContainsFunc(f.Consequences, func(c result.Consequence) bool { return c.ID == id }) {
			return f
		}
	}
	return nil
}

// accept writes what changes in one target.
func (in *intake) accept(edit baseline.Edit, a AcceptOptions, done *Accepted) error {
	in.pairRenamed()
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
		if err := in.put(edit, a, old, next, done); err != nil {
			return err
		}
	}
	return in.acceptGraphs(edit, a, done)
}

// acceptGraphs records what TensorFlow clustered, when everything is accepted or a finding about it is.
func (in *intake) acceptGraphs(edit baseline.Edit, a AcceptOptions, done *Accepted) error {
	about := func(id string) bool { f := in.find(id); return f != nil && slices.Contains(scope(f), "clusters.*") }
	if in.graphs == nil || a.Tighten || len(a.Only) > 0 && !slices.ContainsFunc(a.Only, about) {
		return nil
	}
	return done.put(edit, path.Join(in.target, baseline.GraphsFile()), baseline.FormatGraphs(in.target, in.graphs))
}

// put writes one file, and notes whether that changed it.
func (a *Accepted) put(edit baseline.Edit, name string, data []byte) error {
	changed, err := edit.Put(name, data)
	switch {
	case err != nil:
		return err
	case changed:
		a.Written = append(a.Written, name)
	default:
		a.Unchanged++
	}
	return nil
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
			if in.fresh[p.Name] == nil && !slices.Contains(renamed, p.Name) {
				names = append(names, p.Name)
			}
		}
	}
	sort.Strings(names)
	return names
}

// put writes, removes or leaves alone one program's file. What is accepted of a program that was renamed stands under its old name until
// all of it is.
func (in *intake) put(edit baseline.Edit, a AcceptOptions, old, next *baseline.Program, done *Accepted) error {
	file := func(p *baseline.Program) string { return path.Join(in.target, baseline.FileName(p.Name)) }
	remove := func() error {
		if old == nil || next != nil && next.Name == old.Name {
			return nil
		}
		done.Removed = append(done.Removed, file(old))
		return edit.Remove(file(old))
	}
	if next == nil {
		return remove()
	}
	next.Reason = reason(in.target, a.Reason, old, next)
	data := baseline.Format(in.target, next)
	if old != nil && strings.EqualFold(next.Name, old.Name) { // the two may be one file
		return errors.Join(remove(), done.put(edit, file(next), data))
	}
	if err := done.put(edit, file(next), data); err != nil {
		return err // what cannot be written must not cost what was there
	}
	return remove()
}

// reason keeps the earlier reason when the facts stay as they are: accepting twice changes nothing.
func reason(target, given string, old, next *baseline.Program) string {
	if old == nil || given != "" {
		if old == nil {
			return given
		}
		unreasoned, before := *next, *old
		unreasoned.Reason, before.Reason = "", ""
		if string(baseline.Format(target, &unreasoned)) != string(baseline.Format(target, &before)) {
			return given
		}
	}
	return old.Reason
}

func relative(dir, path string) string {
	if rel, err := filepath.Rel(dir, path); err == nil {
		return rel
	}
	return path
}

// tightened is the old baseline with what got better. A program that got worse somewhere keeps its ledger.
func tightened(old, fresh *baseline.Program) *baseline.Program {
	if old == nil || fresh == nil {
		return old
	}
	next := copyOf(old)
	for _, v := range next.Variants {
		n := withSignature(&fresh.Program, v.Signature)
		if n == nil {
			continue
		}
		if noWorse(v.Facts, n.Facts) {
			*v = *n
			continue
		}
		for _, m := range metrics() {
			if was, ok := v.Facts[m.Fact]; ok && better(m, was, n.Facts) {
				v.Facts[m.Fact] = n.Facts[m.Fact]
			}
		}
	}
	return next
}

func withSignature(p *facts.Program, signature string) *facts.Variant {
	for _, v := range p.Variants {
		if v.Signature == signature {
			return v
		}
	}
	return nil
}

// copyOf copies a program deep enough to change its variants' facts.
func copyOf(p *baseline.Program) *baseline.Program {
	next := *p
	next.Variants = nil
	for _, v := range p.Variants {
		c := *v
		c.Facts = facts.Numbers{}
		for k, n := range v.Facts {
			c.Facts[k] = n
		}
		next.Variants = append(next.Variants, &c)
	}
	return &next
}
