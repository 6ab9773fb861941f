package github

import (
	"context"
	"fmt"
	"net/http"

	gh "github.com/google/go-github/v60/github"

	"github.com/xlagate/xlagate/internal/report"
)

// pictureBranch holds the pictures that comments show. It shares no commit with any other branch.
const pictureBranch = "xlagate-pictures"

// pictureTries is how often pictures are put on top of the branch, which other pull requests move as well.
const pictureTries = 4

// upload commits pictures to their branch and returns where they can be seen. An address names the commit: what it shows never changes.
func (c *Client) upload(ctx context.Context, server, folder string, pictures []report.Picture) ([]report.Shown, error) {
	var entries []*gh.TreeEntry
	for _, p := range pictures {
		entries = append(entries, &gh.TreeEntry{Path: gh.String(folder + "/" + p.Name), Mode: gh.String("100644"), Type: gh.String("blob"), Content: gh.String(string(p.SVG))})
	}
	var commit string
	var err error
	for range pictureTries {
		if commit, err = c.commitPictures(ctx, folder, entries); status(err) != http.StatusUnprocessableEntity {
			break
		}
	}
	if err != nil {
		return nil, c.failed(err, "commit pictures to the branch %s", pictureBranch)
	}
	var shown []report.Shown
	for _, p := range pictures {
		shown = append(shown, report.Shown{Alt: p.Alt, URL: fmt.Sprintf("%s/%s/raw/%s/%s/%s", server, c.Repository(), commit, folder, p.Name)})
	}
	return shown, nil
}

// commitPictures puts files on top of the branch, or begins it. Where they are there already, the tip is the commit.
func (c *Client) commitPictures(ctx context.Context, folder string, entries []*gh.TreeEntry) (string, error) {
	var base string
	var parents []*gh.Commit
	ref, _, err := c.api.Git.GetRef(ctx, c.owner, c.name, "heads/"+pictureBranch)
	begun := err == nil
	if begun {
		tip, _, err := c.api.Git.GetCommit(ctx, c.owner, c.name, ref.GetObject().GetSHA())
		if err != nil {
			return "", err
		}
		base, parents = tip.GetTree().GetSHA(), []*gh.Commit{{SHA: tip.SHA}}
	} else if status(err) != http.StatusNotFound {
		return "", err
	}
	tree, _, err := c.api.Git.CreateTree(ctx, c.owner, c.name, base, entries)
	if err != nil {
		return "", err
	}
	if tree.GetSHA() == base {
		return parents[0].GetSHA(), nil
	}
	commit, _, err := c.api.Git.CreateCommit(ctx, c.owner, c.name, &gh.Commit{Message: gh.String("Pictures for " + folder), Tree: tree, Parents: parents}, nil)
	if err != nil {
		return "", err
	}
	to := &gh.Reference{Ref: gh.String("refs/heads/" + pictureBranch), Object: &gh.GitObject{SHA: commit.SHA}}
	if begun {
		_, _, err = c.api.Git.UpdateRef(ctx, c.owner, c.name, to, false)
	} else {
		_, _, err = c.api.Git.CreateRef(ctx, c.owner, c.name, to)
	}
	return commit.GetSHA(), err
}
