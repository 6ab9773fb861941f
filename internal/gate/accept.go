package gate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/xlagate/xlagate/internal/baseline"
	"github.com/xlagate/xlagate/internal/config"
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
	Pushed    string           // what the baseline is now, where it lies in a registry and changed
	Budgets   []*config.Budget // what was written into the configuration: tighter, or as wide as what was accepted by name
	Unsettled []Unsettled      // the limits that are still broken
}

// Accept refreshes the baseline. A dump that could not be read whole is refused: accepting it would make its gaps the rule.
func Accept(ctx context.Context, o Options, a AcceptOptions) (done *Accepted, err error) {
	edit, err := editBaseline(ctx, o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, edit.Close()) }()
	o.accepting = true
	o.base = func() (fs.FS, error) { return edit, nil } // what is accepted is compared with what it takes the place of
	intakes, rows, err := collectFacts(ctx, o, a)
	if err != nil {
		return nil, err
	}
	if err := known(a.Only, intakes); err != nil {
		return nil, err
	}
	done = &Accepted{}
	budgets, err := done.plan(o.Config, a, intakes, rows)
	if err != nil {
		return nil, err
	}
	if done.Budgets = budgets.list; a.Before != nil {
		a.Before(done)
	}
	for _, in := range intakes {
		if err := in.accept(edit, a, done); err != nil {
			return done, err
		}
	}
	budgets.change(edit)
	if done.Pushed, err = edit.Commit(ctx); err != nil {
		return nil, Explained(err)
	}
	return done.named(o.Dir, edit), nil
}

// named gives the files the names that people know them by.
func (a *Accepted) named(dir string, edit baseline.Edit) *Accepted {
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
		if err := in.put(edit, a, old, fresh, next, done); err != nil {
			return err
		}
	}
	return in.acceptGraphs(edit, a, done)
}

// acceptGraphs records what TensorFlow clustered, when everything is accepted or a finding about it is.
func (in *intake) acceptGraphs(edit baseline.Edit, a AcceptOptions, done *Accepted) error {
	about := func(f result.Finding) bool { return named(&f, a.Only) && slices.Contains(scope(&f), "clusters.*") }
	if in.graphs == nil || a.Tighten || len(a.Only) > 0 && !slices.ContainsFunc(in.findings, about) {
		return nil
	}
	return done.put(baseline.SaveGraphs(edit, in.target, in.graphs))
}

// put notes which files a part of the baseline wrote.
func (a *Accepted) put(written []string, err error) error {
	a.Written = append(a.Written, written...)
	if err == nil && len(written) == 0 {
		a.Unchanged++
	}
	return err
}

// put writes, removes or leaves alone one program's files. What is accepted of a program that was renamed stands under its old name until
// all of it is.
func (in *intake) put(edit baseline.Edit, a AcceptOptions, old, fresh, next *baseline.Program, done *Accepted) error {
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
	if old != nil && strings.EqualFold(next.Name, old.Name) { // the two may be one file
		return errors.Join(remove(), done.put(baseline.Save(edit, in.target, next)))
	}
	if err := done.put(baseline.Save(edit, in.target, next)); err != nil {
		return err // what cannot be written must not cost what was there
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

// Relative is a path as one types it in a folder.
func Relative(dir, path string) string {
	if rel, err := filepath.Rel(dir, path); err == nil {
		return rel
	}
	return path
}
