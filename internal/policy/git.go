package policy

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/xlagate/xlagate/internal/baseline"
	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/git"
	"github.com/xlagate/xlagate/internal/registry"
)

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
