package github

import (
	"context"
	"fmt"

	gh "github.com/google/go-github/v60/github"
)

// PullRequest fetches a pull request.
func (c *Client) PullRequest(ctx context.Context, number int) (PullRequest, error) {
	p, _, err := c.api.PullRequests.Get(ctx, c.owner, c.name, number)
	if err != nil {
		return PullRequest{}, c.failed(err, "ask for pull request %d", number)
	}
	return pullRequest(p), nil
}

func pullRequest(p *gh.PullRequest) PullRequest {
	return PullRequest{Number: p.GetNumber(), State: p.GetState(), Head: branch(p.GetHead()), Base: branch(p.GetBase())}
}

func branch(b *gh.PullRequestBranch) Branch {
	out := Branch{SHA: b.GetSHA(), Ref: b.GetRef()}
	out.Repo.FullName = b.GetRepo().GetFullName()
	return out
}

// PullRequestOf finds the open pull request of a workflow run by the head that GitHub knows. It does not trust the run's own data, which could name
// another pull request.
func (c *Client) PullRequestOf(ctx context.Context, run WorkflowRun) (PullRequest, error) {
	var found []PullRequest
	var err error
	if owner := run.HeadRepository.Owner.Login; owner != "" && run.HeadBranch != "" {
		found, err = c.matching(run, func(page gh.ListOptions) ([]*gh.PullRequest, *gh.Response, error) {
			o := &gh.PullRequestListOptions{State: "open", Head: owner + ":" + run.HeadBranch, ListOptions: page}
			return c.api.PullRequests.List(ctx, c.owner, c.name, o)
		})
	}
	if err == nil && len(found) == 0 {
		found, err = c.matching(run, func(page gh.ListOptions) ([]*gh.PullRequest, *gh.Response, error) {
			return c.api.PullRequests.ListPullRequestsWithCommit(ctx, c.owner, c.name, run.HeadSHA, &page)
		})
	}
	switch {
	case err != nil:
		return PullRequest{}, c.failed(err, "look for the pull request of run %d", run.ID)
	case len(found) == 0:
		return PullRequest{}, fmt.Errorf("%w: no open pull request has the head %s of run %d", ErrNothingToDo, short(run.HeadSHA), run.ID)
	case len(found) > 1:
		return PullRequest{}, fmt.Errorf("%w: %d open pull requests have the head %s of run %d", ErrNothingToDo, len(found), short(run.HeadSHA), run.ID)
	}
	return found[0], nil
}

// matching lists the open pull requests to this repository whose head is just the run's.
func (c *Client) matching(run WorkflowRun, fetch func(gh.ListOptions) ([]*gh.PullRequest, *gh.Response, error)) (found []PullRequest, err error) {
	err = pages(func(page gh.ListOptions) (*gh.Response, bool, error) {
		list, response, err := fetch(page)
		for _, p := range list {
			pr := pullRequest(p)
			if pr.State == "open" && pr.Head.SHA == run.HeadSHA && pr.Head.Repo.FullName == run.HeadRepository.FullName && pr.Base.Repo.FullName == c.Repository() {
				found = append(found, pr)
			}
		}
		return response, false, err
	})
	return found, err
}

func short(sha string) string { return sha[:min(7, len(sha))] }

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
	diff, _, err := c.api.Repositories.CompareCommits(ctx, c.owner, c.name, pr.Base.SHA, pr.Head.SHA, &gh.ListOptions{PerPage: 1})
	if err != nil {
		return "", pr.Head.SHA, c.failed(err, "find where %s left %s", short(pr.Head.SHA), short(pr.Base.SHA))
	}
	return diff.GetMergeBaseCommit().GetSHA(), pr.Head.SHA, nil
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
