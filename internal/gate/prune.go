package gate

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/baseline"
	"github.com/xlagate/xlagate/internal/config"
)

// Pruned says what pruning took out of the baseline.
type Pruned struct {
	Targets []PrunedTarget
	Pushed  string // what the baseline is now, where it lies in a registry and changed
}

// PrunedTarget is a target that is no longer in the baseline.
type PrunedTarget struct {
	Name  string
	Files int
}

// Prune removes from the baseline the targets that the configuration does not name.
func Prune(ctx context.Context, o Options) (*Pruned, error) {
	edit, err := editBaseline(ctx, o)
	if err != nil {
		return nil, err
	}
	targets, err := baseline.Targets(edit)
	if err != nil {
		return nil, Explained(err)
	}
	done := &Pruned{}
	for _, target := range targets {
		if slices.ContainsFunc(declared(o.Config), func(t config.Target) bool { return t.Name == target }) {
			continue
		}
		n, err := pruneTarget(edit, target)
		if err != nil {
			return nil, fmt.Errorf("prune %s: %w", target, err)
		}
		done.Targets = append(done.Targets, PrunedTarget{target, n})
	}
	done.Pushed, err = edit.Commit(ctx)
	return done, Explained(err)
}

func pruneTarget(edit baseline.Edit, target string) (files int, err error) {
	entries, err := fs.ReadDir(edit, target)
	if err != nil {
		return 0, err
	}
	for _, e := range entries {
		if e.IsDir() || !strings.HasSuffix(e.Name(), ".yaml") {
			continue
		}
		if err := edit.Remove(path.Join(target, e.Name())); err != nil {
			return files, err
		}
		files++
	}
	return files, nil
}
