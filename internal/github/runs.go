package github

import (
	"context"
	"errors"
	"fmt"

	gh "github.com/google/go-github/v60/github"
)

// Latest fails with [ErrNothingToDo] when a run is not the last attempt of its workflow's last run for the same commit: a later
// one speaks, or will.
func (c *Client) Latest(ctx context.Context, run WorkflowRun) error {
	now, _, err := c.api.Actions.GetWorkflowRunByID(ctx, c.owner, c.name, run.ID)
	if err != nil {
		return c.failed(err, "ask for run %d", run.ID)
	}
	if now.GetRunAttempt() > run.Attempt {
		return fmt.Errorf("%w: run %d was started again (attempt %d)", ErrNothingToDo, run.ID, now.GetRunAttempt())
	}
	return pages(func(page gh.ListOptions) (*gh.Response, bool, error) {
		o := &gh.ListWorkflowRunsOptions{Event: run.Event, HeadSHA: run.HeadSHA, ListOptions: page}
		list, response, err := c.api.Actions.ListWorkflowRunsByID(ctx, c.owner, c.name, run.WorkflowID, o)
		if err != nil {
			return response, true, c.failed(err, "list the runs for %s", short(run.HeadSHA))
		}
		for _, other := range list.WorkflowRuns {
			if other.GetID() > run.ID && other.GetHeadRepository().GetFullName() == run.HeadRepository.FullName {
				return response, true, fmt.Errorf("%w: run %d is newer than %d", ErrNothingToDo, other.GetID(), run.ID)
			}
		}
		return response, false, nil
	})
}

// resultFor downloads the artifact of the newest finished run for a pull request's head that has one.
func (c *Client) resultFor(ctx context.Context, pr PullRequest, artifact string) ([]byte, int64, error) {
	var data []byte
	var from int64
	err := pages(func(page gh.ListOptions) (*gh.Response, bool, error) {
		o := &gh.ListWorkflowRunsOptions{Event: "pull_request", Status: "completed", HeadSHA: pr.Head.SHA, ListOptions: page}
		list, response, err := c.api.Actions.ListRepositoryWorkflowRuns(ctx, c.owner, c.name, o)
		if err != nil {
			return response, true, c.failed(err, "list the runs for %s", short(pr.Head.SHA))
		}
		for _, run := range list.WorkflowRuns { // newest first
			found, err := c.Artifact(ctx, run.GetID(), artifact)
			if errors.Is(err, ErrNothingToDo) {
				continue
			}
			data, from = found, run.GetID()
			return response, true, err
		}
		return response, false, nil
	})
	if err == nil && from == 0 {
		err = fmt.Errorf("%w: no finished run for %s left an artifact %s; wait for the gate, or run it again", ErrNothingToDo, short(pr.Head.SHA), artifact)
	}
	return data, from, err
}
