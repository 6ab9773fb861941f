package github

import (
	"context"
	"fmt"

	gh "github.com/google/go-github/v60/github"
)

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
