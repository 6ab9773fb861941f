package gate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/baseline"
	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/git"
	"github.com/xlagate/xlagate/internal/registry"
	"github.com/xlagate/xlagate/rules"
)

// ErrElsewhere says that a baseline is not in the repository.
var ErrElsewhere = errors.New("does not lie in the repository")

// Repository reads files of a repository that is not checked out.
type Repository interface {
	// File returns a file of a revision; one that is not there is [fs.ErrNotExist].
	File(ctx context.Context, revision, name string) ([]byte, error)
	// Folders returns the files of some folders below a root of a revision.
	Folders(ctx context.Context, revision, root string, folders []string) (fs.FS, error)
}

// RepositoryPolicy reads the policy of a revision: the configuration and, for its targets and those named, the accepted facts. A revision without a
// configuration is [fs.ErrNotExist]; where only the facts are elsewhere, the policy comes without them beside [ErrElsewhere].
func RepositoryPolicy(ctx context.Context, from Repository, revision, file string, targets []string) (Policy, error) {
	text, err := from.File(ctx, revision, file)
	if err != nil {
		return Policy{}, err
	}
	cfg, err := config.Parse(rules.All, file, text)
	if err != nil {
		return Policy{}, err
	}
	p := Policy{File: file, Text: text, Config: cfg}
	dir := path.Join(path.Dir(file), cfg.Baseline)
	if rest, ok := strings.CutPrefix(cfg.Baseline, "git:"); ok {
		revision, dir, _ = strings.Cut(rest, ":")
		revision = strings.TrimPrefix(revision, "origin/")
	}
	if registry.Is(cfg.Baseline) || !fs.ValidPath(dir) {
		return p, fmt.Errorf("the baseline %s %w", cfg.Baseline, ErrElsewhere)
	}
	for _, t := range cfg.Targets {
		if !slices.Contains(targets, t.Name) {
			targets = append(targets[:len(targets):len(targets)], t.Name)
		}
	}
	p.Store, err = from.Folders(ctx, revision, dir, targets)
	return p, err
}

// ErrUnknownRevision says that a checkout does not hold a revision; shallow ones rarely do.
var ErrUnknownRevision = errors.New("the checkout does not hold the revision")

// GitPolicy reads the policy of a revision from the repository around dir, where the configuration has this path. A revision without
// that file is [fs.ErrNotExist].
func GitPolicy(ctx context.Context, client registry.Client, dir, revision, file string) (Policy, error) {
	if _, err := git.Run(ctx, dir, "rev-parse", "--verify", "--quiet", revision+"^{commit}"); err != nil {
		return Policy{}, fmt.Errorf("%w %s", ErrUnknownRevision, revision)
	}
	if _, err := git.Run(ctx, dir, "rev-parse", "--verify", "--quiet", revision+":./"+file); err != nil {
		return Policy{}, fmt.Errorf("%s at %s: %w", file, revision, fs.ErrNotExist)
	}
	data, err := git.Run(ctx, dir, "show", revision+":./"+file)
	if err != nil {
		return Policy{}, err
	}
	cfg, err := config.Parse(rules.All, file, data)
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
// request with this head, or else where the two histories part. It is [ErrUnknown] where the checkout is too shallow.
func Fork(ctx context.Context, dir, head, base string) (string, error) {
	line, err := git.Run(ctx, dir, "rev-list", "--parents", "--max-count=1", "HEAD")
	if names := strings.Fields(string(line)); err == nil && len(names) == 3 && names[2] == head {
		return names[1], nil
	}
	common, err := git.Run(ctx, dir, "merge-base", base, "HEAD")
	if err != nil {
		return "", fmt.Errorf("%w %s", ErrUnknownRevision, base)
	}
	return strings.TrimSpace(string(common)), nil
}
