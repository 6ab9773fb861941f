package gate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/xlagate/xlagate/internal/baseline"
	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/phrase"
)

// Pruned is what is no longer in the baseline: a target, or a program of one.
type Pruned struct {
	Name  string
	Files int
	Why   string
}

// Prune removes from the baseline the targets that the configuration does not name, and the programs that it leaves out.
func Prune(ctx context.Context, o Options) (done []Pruned, err error) {
	edit, err := editBaseline(ctx, o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, edit.Close()) }()
	targets, err := baseline.Targets(edit)
	if err != nil {
		return nil, err
	}
	for _, target := range targets {
		at := slices.IndexFunc(declared(o.Config), func(t config.Target) bool { return t.Name == target })
		var gone []Pruned
		if at >= 0 {
			gone, err = prunePrograms(edit, declared(o.Config)[at])
		} else {
			gone, err = pruneTarget(edit, target)
		}
		if err != nil {
			return nil, err
		}
		done = append(done, gone...)
	}
	return done, edit.Commit()
}

// pruneTarget removes a target that the configuration does not name.
func pruneTarget(edit *baseline.Edit, target string) ([]Pruned, error) {
	removed, err := baseline.RemoveTarget(edit, target)
	if err != nil {
		return nil, fmt.Errorf("prune %s: %w", target, err)
	}
	return []Pruned{{target, len(removed), "no target of the configuration has this name"}}, nil
}

// prunePrograms removes the programs that a target leaves out.
func prunePrograms(edit *baseline.Edit, t config.Target) (gone []Pruned, err error) {
	if len(t.Include)+len(t.Exclude) == 0 {
		return nil, nil
	}
	set, err := baseline.Load(edit, t.Name)
	if err != nil {
		return nil, fmt.Errorf("prune %s: %w", t.Name, err)
	}
	leftOutBy, accepted := leftOutBy(t), programNames(set.Report().Programs)
	left := phrase.Filter(accepted, func(name string) bool { return leftOutBy(name) != "" })
	if len(left) == 0 {
		return nil, nil
	}
	// A pattern that includes no accepted program is most likely misspelled: the programs that it was meant for would be removed.
	for _, pattern := range t.Include {
		wanted := phrase.NewGlobs([]string{pattern})
		if slices.ContainsFunc(accepted, func(name string) bool { return fits(wanted, name) }) {
			continue
		}
		fix := "`xlagate baseline list` names them: fix it, or accept the program that it is for, before you prune"
		if alike := phrase.Closest(pattern, left); alike != "" {
			fix = fmt.Sprintf("did you mean %s? write %q for %q, or accept the program that it is for, before you prune", alike, alike, pattern)
		}
		return nil, UsageError{fmt.Sprintf("%s: no accepted program of %s matches %q of programs.include, so nothing was pruned; %s", t.Place, t.Name, pattern, fix)}
	}
	for _, name := range left {
		removed, err := baseline.Remove(edit, t.Name, baseline.FileName(name))
		if err != nil {
			return nil, fmt.Errorf("prune %s: %w", t.Name, err)
		}
		gone = append(gone, Pruned{t.Name + "/" + name, len(removed), leftOutBy(name) + " leaves it out"})
	}
	return gone, nil
}
