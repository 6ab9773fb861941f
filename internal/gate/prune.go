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

// Pruned says what pruning took out of the baseline.
type Pruned struct {
	Parts []PrunedPart
}

// PrunedPart is what is no longer in the baseline: a target, or a program of one.
type PrunedPart struct {
	Name  string
	Files int
	Why   string
}

// Prune removes from the baseline the targets that the configuration does not name, and the programs that it leaves out.
func Prune(ctx context.Context, o Options) (done *Pruned, err error) {
	edit, err := editBaseline(ctx, o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, edit.Close()) }()
	targets, err := baseline.Targets(edit)
	if err != nil {
		return nil, err
	}
	if err := checkPatterns(edit, targets, declared(o.Config)); err != nil {
		return nil, err
	}
	done = &Pruned{}
	for _, target := range targets {
		if err := done.prune(edit, target, declared(o.Config)); err != nil {
			return nil, fmt.Errorf("prune %s: %w", target, err)
		}
	}
	return done, edit.Commit()
}

// checkPatterns fails, before anything is removed, if a target excludes programs while one of its include patterns matches no accepted program: pruning
// would remove the programs that the pattern was meant for.
func checkPatterns(edit *baseline.Edit, targets []string, declared []config.Target) error {
	for _, t := range declared {
		if len(t.Include) == 0 || !slices.Contains(targets, t.Name) {
			continue
		}
		set, err := baseline.Load(edit, t.Name)
		if err != nil {
			return fmt.Errorf("prune %s: %w", t.Name, err)
		}
		if err := checkIncludes(t, programNames(set.Report().Programs)); err != nil {
			return err
		}
	}
	return nil
}

// checkIncludes returns an error for a pattern that includes no accepted program, if any program would be removed.
func checkIncludes(t config.Target, accepted []string) error {
	leftOutBy := leftOutBy(t)
	left := slices.DeleteFunc(slices.Clone(accepted), func(name string) bool { return leftOutBy(name) == "" })
	if len(left) == 0 {
		return nil
	}
	for _, pattern := range t.Include {
		wanted := phrase.NewGlobs([]string{pattern})
		if slices.ContainsFunc(accepted, func(name string) bool { return fits(wanted, name) }) {
			continue
		}
		fix := "`xlagate baseline list` names them: fix it, or accept the program that it is for, before you prune"
		if alike := phrase.Closest(pattern, left); alike != "" {
			fix = fmt.Sprintf("did you mean %s? write %q for %q, or accept the program that it is for, before you prune", alike, alike, pattern)
		}
		return UsageError{fmt.Sprintf("%s: no accepted program of %s matches %q of programs.include, so nothing was pruned; %s", t.Place, t.Name, pattern, fix)}
	}
	return nil
}

func (d *Pruned) prune(edit *baseline.Edit, target string, declared []config.Target) error {
	at := slices.IndexFunc(declared, func(t config.Target) bool { return t.Name == target })
	if at >= 0 {
		return d.programs(edit, declared[at])
	}
	removed, err := baseline.RemoveTarget(edit, target)
	d.Parts = append(d.Parts, PrunedPart{target, len(removed), "no target of the configuration has this name"})
	return err
}

// programs removes those that the target leaves out.
func (d *Pruned) programs(edit *baseline.Edit, t config.Target) error {
	if len(t.Include)+len(t.Exclude) == 0 {
		return nil
	}
	set, err := baseline.Load(edit, t.Name)
	if err != nil {
		return err
	}
	leftOutBy := leftOutBy(t)
	for _, p := range set.Programs {
		key := leftOutBy(p.Name)
		if key == "" {
			continue
		}
		removed, err := baseline.Remove(edit, t.Name, p.Name)
		if err != nil {
			return err
		}
		d.Parts = append(d.Parts, PrunedPart{t.Name + "/" + p.Name, len(removed), key + " leaves it out"})
	}
	return nil
}
