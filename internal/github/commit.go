package github

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

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

// commit puts files on top of a pull request's branch: nil content removes one. Where the branch is no longer at the commit that was
// judged, moved on or set back, GitHub refuses.
func (c *Client) commit(ctx context.Context, pr PullRequest, files map[string][]byte, message string) (string, error) {
	headline, body, _ := strings.Cut(message, "\n\n")
	var data struct {
		CreateCommitOnBranch struct {
			Commit struct {
				OID string `json:"oid"`
			} `json:"commit"`
		} `json:"createCommitOnBranch"`
	}
	err := c.query(ctx, commitMutation, map[string]any{"input": map[string]any{
		"branch":          map[string]any{"repositoryNameWithOwner": c.Repository(), "branchName": pr.Head.Ref},
		"expectedHeadOid": pr.Head.SHA, "message": map[string]any{"headline": headline, "body": body}, "fileChanges": fileChanges(files),
	}}, &data)
	var refused *graphError
	switch {
	case err == nil:
		return data.CreateCommitOnBranch.Commit.OID, nil
	case errors.As(err, &refused) && refused.Type == "STALE_DATA":
		if made := c.committed(ctx, pr, message); made != "" {
			return made, nil
		}
		err = fmt.Errorf("%w; the branch is no longer at %s, which was judged: wait for its own run, then accept again", err, short(pr.Head.SHA))
	case errors.As(err, &refused) && refused.Type == "FORBIDDEN":
		err = fmt.Errorf("%w; give the job the permission contents: write", err)
	}
	return "", c.failed(err, "commit to the branch %s", pr.Head.Ref)
}

// committed finds the commit that an earlier try made although its answer was lost; "" where there is none.
func (c *Client) committed(ctx context.Context, pr PullRequest, message string) string {
	now, err := c.PullRequest(ctx, pr.Number)
	if err != nil {
		return ""
	}
	tip, _, err := c.api.Git.GetCommit(ctx, c.owner, c.name, now.Head.SHA)
	if err != nil || len(tip.Parents) != 1 || tip.Parents[0].GetSHA() != pr.Head.SHA || strings.TrimSpace(tip.GetMessage()) != strings.TrimSpace(message) {
		return ""
	}
	return now.Head.SHA
}

func fileChanges(files map[string][]byte) map[string]any {
	additions, deletions := []any{}, []any{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if files[name] == nil {
			deletions = append(deletions, map[string]any{"path": name})
			continue
		}
		additions = append(additions, map[string]any{"path": name, "contents": base64.StdEncoding.EncodeToString(files[name])})
	}
	return map[string]any{"additions": additions, "deletions": deletions}
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
