package github

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"

	gh "github.com/google/go-github/v60/github"
)

// MayWrite reports whether somebody may write to the repository.
func (c *Client) MayWrite(ctx context.Context, login string) (bool, error) {
	level, _, err := c.api.Repositories.GetPermissionLevel(ctx, c.owner, c.name, login)
	if err != nil {
		return false, c.failed(err, "ask what %s may do", login)
	}
	return level.GetPermission() == "admin" || level.GetPermission() == "write", nil
}

// commit puts files on top of a pull request's branch: nil content removes one. When the branch has moved on meanwhile, GitHub
// refuses, and nothing is overwritten.
func (c *Client) commit(ctx context.Context, pr PullRequest, files map[string][]byte, message string) (string, error) {
	head, _, err := c.api.Git.GetCommit(ctx, c.owner, c.name, pr.Head.SHA)
	if err != nil {
		return "", c.failed(err, "ask for commit %s", short(pr.Head.SHA))
	}
	tree, _, err := c.api.Git.CreateTree(ctx, c.owner, c.name, head.GetTree().GetSHA(), entries(files))
	if err != nil {
		return "", c.failed(err, "write the files of the commit")
	}
	commit, _, err := c.api.Git.CreateCommit(ctx, c.owner, c.name, &gh.Commit{Message: &message, Tree: tree, Parents: []*gh.Commit{{SHA: gh.String(pr.Head.SHA)}}}, nil)
	if err != nil {
		return "", c.failed(err, "make the commit")
	}
	ref := &gh.Reference{Ref: gh.String("refs/heads/" + pr.Head.Ref), Object: &gh.GitObject{SHA: commit.SHA}}
	_, _, err = c.api.Git.UpdateRef(ctx, c.owner, c.name, ref, false)
	if err == nil {
		return commit.GetSHA(), nil
	}
	err = c.failed(err, "move the branch %s to the commit", pr.Head.Ref)
	if status(err) == http.StatusUnprocessableEntity {
		err = fmt.Errorf("%w; the branch has moved on meanwhile: wait for its own run, then accept again", err)
	}
	return "", err
}

func entries(files map[string][]byte) []*gh.TreeEntry {
	var out []*gh.TreeEntry
	for _, name := range slices.Sorted(maps.Keys(files)) {
		e := &gh.TreeEntry{Path: gh.String(name), Mode: gh.String("100644"), Type: gh.String("blob")}
		if files[name] != nil {
			e.Content = gh.String(string(files[name]))
		}
		out = append(out, e)
	}
	return out
}

// Answer replies to whoever asked: a reaction to the comment, and words where there are any.
func (c *Client) Answer(ctx context.Context, number int, comment int64, reaction, text string) error {
	if comment != 0 {
		if _, _, err := c.api.Reactions.CreateIssueCommentReaction(ctx, c.owner, c.name, comment, reaction); err != nil {
			return c.failed(err, "react to the comment on pull request %d", number)
		}
	}
	if text == "" {
		return nil
	}
	if _, _, err := c.api.Issues.CreateComment(ctx, c.owner, c.name, number, &gh.IssueComment{Body: &text}); err != nil {
		return c.failed(err, "answer on pull request %d", number)
	}
	return nil
}
