package github

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	gh "github.com/google/go-github/v60/github"

	"github.com/xlagate/xlagate/internal/baseline"
	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/policy"
)

// ErrElsewhere says that a baseline does not lie in the repository.
var ErrElsewhere = errors.New("does not lie in the repository")

// Policy fetches the policy of a revision: the configuration and, for its targets and those named, the accepted facts. A revision
// without a configuration is [fs.ErrNotExist]; where only the facts are elsewhere, the policy comes without them beside
// [ErrElsewhere].
func (c *Client) Policy(ctx context.Context, revision, file string, targets []string) (policy.Policy, error) {
	data, err := c.file(ctx, revision, file)
	if err != nil {
		return policy.Policy{}, err
	}
	cfg, err := config.Parse(file, data)
	if err != nil {
		return policy.Policy{}, err
	}
	store, err := c.store(ctx, revision, cfg, targets)
	return policy.Policy{File: file, Config: cfg, Store: store}, err
}

// store fetches the accepted facts of some targets.
func (c *Client) store(ctx context.Context, revision string, cfg *config.Config, targets []string) (fs.FS, error) {
	dir := path.Join(path.Dir(cfg.Path), cfg.Baseline)
	if rest, ok := strings.CutPrefix(cfg.Baseline, "git:"); ok {
		revision, dir, _ = strings.Cut(rest, ":")
		revision = strings.TrimPrefix(revision, "origin/")
	} else if baseline.Remote(cfg.Baseline) {
		return nil, fmt.Errorf("the baseline %s %w", cfg.Baseline, ErrElsewhere)
	}
	if !fs.ValidPath(dir) {
		return nil, fmt.Errorf("the baseline %s %w", cfg.Baseline, ErrElsewhere)
	}
	return c.folders(ctx, revision, dir, folders(cfg, targets))
}

// folders lists the targets that a configuration declares and those that are named, each once.
func folders(cfg *config.Config, named []string) (all []string) {
	for _, t := range cfg.Targets {
		all = append(all, t.Name)
	}
	for _, name := range named {
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

// Sides returns the revisions whose policies to compare: what GitHub would merge and the commit it would merge into. A pull request that cannot be
// merged is compared with its fork point.
func (c *Client) Sides(ctx context.Context, pr PullRequest) (base, head string, err error) {
	p, _, err := c.api.PullRequests.Get(ctx, c.owner, c.name, pr.Number)
	if err != nil {
		return "", "", c.failed(err, "ask for pull request %d", pr.Number)
	}
	if merge := p.GetMergeCommitSHA(); merge != "" && p.GetMergeable() {
		if base, err = c.firstParent(ctx, merge); err == nil {
			return base, merge, nil
		}
	}
	base, err = c.mergeBase(ctx, pr.Base.SHA, pr.Head.SHA)
	return base, pr.Head.SHA, err
}

func (c *Client) firstParent(ctx context.Context, commit string) (string, error) {
	found, _, err := c.api.Git.GetCommit(ctx, c.owner, c.name, commit)
	if err != nil {
		return "", c.failed(err, "ask for commit %s", short(commit))
	}
	if len(found.Parents) == 0 {
		return "", fmt.Errorf("commit %s has no parent", short(commit))
	}
	return found.Parents[0].GetSHA(), nil
}

func (c *Client) mergeBase(ctx context.Context, base, head string) (string, error) {
	diff, _, err := c.api.Repositories.CompareCommits(ctx, c.owner, c.name, base, head, &gh.ListOptions{PerPage: 1})
	if err != nil {
		return "", c.failed(err, "find where %s left %s", short(head), short(base))
	}
	return diff.GetMergeBaseCommit().GetSHA(), nil
}
