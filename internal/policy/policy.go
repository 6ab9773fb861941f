// Package policy tells how a pull request changes what it is judged by: rules, waivers, targets and accepted facts. A change that
// makes the gate pass by asking for less is as much a change of the model as one of its source, and reviewers have to see it.
package policy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/xlagate/xlagate/internal/baseline"
	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/git"
	"github.com/xlagate/xlagate/internal/registry"
	"github.com/xlagate/xlagate/internal/result"
)

// Policy is what a model is judged by at one revision.
type Policy struct {
	Name   string         // of the revision, as people know it: "main@91ab03d"
	File   string         // the path of the configuration in the repository
	Config *config.Config // nil where the revision has none
	Store  fs.FS          // the baseline; nil when there is none
	Flags  Flags
}

// Flags are what the command line of a check says in place of the configuration.
type Flags struct{ Against, Baseline, FailOn string }

// Accepted reports whether the policy has a baseline.
func (p Policy) Accepted() bool {
	names, err := storedTargets(p.Store)
	return err != nil || len(names) > 0
}

// Change is one thing that differs between two policies.
type Change = result.PolicyChange

// The effects of a change.
const (
	Looser   = "looser"
	Stricter = "stricter"
	Other    = "changed"
)

// Compare tells what a pull request changes, looser things first. The base's configuration must be there.
func Compare(base, head Policy) ([]Change, error) {
	if head.Config == nil {
		return []Change{{File: base.File, Effect: Looser, Subject: base.File, Text: "removed"}}, nil
	}
	out := slices.Concat(
		settings(base.Config, head.Config), targets(base.Config, head.Config), ruleChanges(base.Config.Rules, head.Config.Rules),
		waivers(base.Config.Waivers, head.Config.Waivers),
	)
	for i := range out {
		out[i].File = cmp.Or(head.File, config.FileName)
	}
	if head.File != base.File {
		out = append(out, Change{File: head.File, Effect: Looser, Subject: base.File, Text: head.File + " takes its place"})
	}
	out = append(out, flags(base, head)...)
	accepted, err := baselines(base, head)
	if err != nil {
		return nil, err
	}
	out = append(out, accepted...)
	sort.SliceStable(out, func(i, j int) bool { return out[i].Effect == Looser && out[j].Effect != Looser })
	return out, nil
}

// flags tells what the command line says in place of the base branch's configuration.
func flags(base, head Policy) (out []Change) {
	add := func(effect, flag, value, text string) {
		out = append(out, Change{File: commandLine, Effect: effect, Subject: flag, Scope: value, Text: text})
	}
	if f := head.Flags.Against; f != "" {
		add(Other, "--against", f, "the facts are compared with this dump, not with the accepted ones")
	}
	if f := head.Flags.Baseline; f != "" && f != base.Config.Baseline {
		add(Other, "--baseline", f, "the facts are compared with these, not with those of "+base.Config.Baseline)
	}
	if f := head.Flags.FailOn; f != "" && f != base.Config.FailOn {
		add(direction(strictness[base.Config.FailOn], strictness[f]), "--fail-on", f, fmt.Sprintf("%s says %s", base.File, base.Config.FailOn))
	}
	return out
}

// commandLine stands for the file of what flags change.
const commandLine = "the command line"

// OnlyFlags reports whether nothing but flags differs.
func OnlyFlags(changes []Change) bool {
	return len(changes) > 0 && !slices.ContainsFunc(changes, func(c Change) bool { return c.File != commandLine || !strings.HasPrefix(c.Subject, "--") })
}

// strictness orders the values of fail_on.
var strictness = map[string]int{"never": 0, "error": 1, "warning": 2}

func settings(base, head *config.Config) []Change {
	var out []Change
	if base.FailOn != head.FailOn {
		out = append(out, Change{Effect: direction(strictness[base.FailOn], strictness[head.FailOn]), Subject: "fail_on", Text: base.FailOn + " → " + head.FailOn})
	}
	if base.Baseline != head.Baseline {
		out = append(out, Change{Effect: Other, Subject: "baseline", Text: base.Baseline + " → " + head.Baseline})
	}
	return out
}

// direction is the effect of a number whose growth is stricter.
func direction(base, head int) string {
	if head < base {
		return Looser
	}
	return Stricter
}

// ErrUnknown says that a checkout does not hold a revision; shallow ones rarely do.
var ErrUnknown = errors.New("the checkout does not hold the revision")

// FromGit reads the policy of a revision from the repository around dir, where the configuration has this path. A revision without
// that file is [fs.ErrNotExist].
func FromGit(ctx context.Context, client registry.Client, dir, revision, file string) (Policy, error) {
	if _, err := git.Run(ctx, dir, "rev-parse", "--verify", "--quiet", revision+"^{commit}"); err != nil {
		return Policy{}, fmt.Errorf("%w %s", ErrUnknown, revision)
	}
	if _, err := git.Run(ctx, dir, "rev-parse", "--verify", "--quiet", revision+":./"+file); err != nil {
		return Policy{}, fmt.Errorf("%s at %s: %w", file, revision, fs.ErrNotExist)
	}
	data, err := git.Run(ctx, dir, "show", revision+":./"+file)
	if err != nil {
		return Policy{}, err
	}
	cfg, err := config.Parse(file, data)
	if err != nil {
		return Policy{}, err
	}
	place := baseline.Place{Where: cfg.Baseline, Dir: dir, Registry: client}
	if !baseline.Remote(place.Where) {
		place.Where = "git:" + revision + ":" + path.Join(path.Dir(file), place.Where)
	}
	store, err := place.Open(ctx)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Policy{}, err
	}
	return Policy{File: file, Config: cfg, Store: store}, nil
}

// Fork is the commit where the checkout in dir left the base branch: the first parent of the merge that code hosts make of a pull
// request with this head, or else where the two histories part. It is [ErrUnknown] where the checkout is too shallow to tell.
func Fork(ctx context.Context, dir, head, base string) (string, error) {
	line, err := git.Run(ctx, dir, "rev-list", "--parents", "--max-count=1", "HEAD")
	if names := strings.Fields(string(line)); err == nil && len(names) == 3 && names[2] == head {
		return names[1], nil
	}
	common, err := git.Run(ctx, dir, "merge-base", base, "HEAD")
	if err != nil {
		return "", fmt.Errorf("%w %s", ErrUnknown, base)
	}
	return strings.TrimSpace(string(common)), nil
}
