package github

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"

	gh "github.com/google/go-github/v60/github"

	"github.com/xlagate/xlagate/internal/files"
	"github.com/xlagate/xlagate/internal/phrase"
)

// Bounds on what is fetched of a repository.
const (
	maxFiles   = 1000 // GitHub lists no more of one folder
	maxFetched = 64 << 20
)

// File returns a file of a revision. A file that is not there is [fs.ErrNotExist].
func (c *Client) File(ctx context.Context, revision, name string) ([]byte, error) {
	file, _, _, err := c.api.Repositories.GetContents(ctx, c.owner, c.name, name, &gh.RepositoryContentGetOptions{Ref: revision})
	if status(err) == http.StatusNotFound {
		return nil, fmt.Errorf("%s at %s: %w", name, short(revision), fs.ErrNotExist)
	}
	if err != nil {
		return nil, c.failed(err, "fetch %s at %s", name, short(revision))
	}
	if file.GetType() != "file" {
		return nil, fmt.Errorf("%s at %s is not a plain file", name, short(revision))
	}
	return c.blob(ctx, file)
}

// Folders returns the files of some folders below a root, at a revision, as a file system. It leaves out missing folders and links. A branch may have
// the name that it has in a checkout: origin/main.
func (c *Client) Folders(ctx context.Context, revision, root string, folders []string) (fs.FS, error) {
	revision = strings.TrimPrefix(revision, "origin/")
	f := fetcher{Client: c, revision: revision, held: map[string][]byte{}}
	for _, folder := range folders {
		if !fs.ValidPath(folder) {
			return nil, fmt.Errorf("%q is not the name of a folder below %s", folder, root)
		}
		if err := f.folder(ctx, path.Join(root, folder), folder); err != nil {
			return nil, fmt.Errorf("fetch %s at %s: %w", path.Join(root, folder), short(revision), err)
		}
	}
	return files.InMemory(f.held)
}

// Names lists the paths of all files of a revision.
func (c *Client) Names(ctx context.Context, revision string) ([]string, error) {
	tree, _, err := c.api.Git.GetTree(ctx, c.owner, c.name, revision, true)
	if err != nil {
		return nil, c.failed(err, "list the files at %s", short(revision))
	}
	if tree.GetTruncated() {
		return nil, fmt.Errorf("GitHub does not list all files at %s", short(revision))
	}
	return phrase.Map(tree.Entries, (*gh.TreeEntry).GetPath), nil
}

// fetcher collects the files of a revision.
type fetcher struct {
	*Client
	revision string
	held     map[string][]byte
	bytes    int
}

// folder fetches the files of a folder; one that is not there is empty.
func (f *fetcher) folder(ctx context.Context, from, to string) error {
	_, entries, _, err := f.api.Repositories.GetContents(ctx, f.owner, f.name, from, &gh.RepositoryContentGetOptions{Ref: f.revision})
	if status(err) == http.StatusNotFound {
		return nil
	}
	if err != nil {
		return f.failed(err, "list %s", from)
	}
	for _, e := range entries {
		if e.GetType() != "file" {
			continue
		}
		f.bytes += e.GetSize()
		if len(f.held)+1 >= maxFiles || f.bytes > maxFetched {
			return fmt.Errorf("it holds %d files or more than %d bytes", maxFiles, maxFetched)
		}
		if f.held[path.Join(to, e.GetName())], err = f.blob(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

// blob fetches by content: that has no limit of 1 MB, and takes names as they are.
func (c *Client) blob(ctx context.Context, e *gh.RepositoryContent) ([]byte, error) {
	if e.GetSize() > maxFetched {
		return nil, fmt.Errorf("%s has %d bytes; at most %d are read", e.GetPath(), e.GetSize(), maxFetched)
	}
	data, _, err := c.api.Git.GetBlobRaw(ctx, c.owner, c.name, e.GetSHA())
	if err != nil {
		return nil, c.failed(err, "fetch %s", e.GetPath())
	}
	return data, nil
}

// MayWrite reports whether somebody may write to the repository.
func (c *Client) MayWrite(ctx context.Context, login string) (bool, error) {
	level, _, err := c.api.Repositories.GetPermissionLevel(ctx, c.owner, c.name, login)
	if err != nil {
		return false, c.failed(err, "ask what %s may do", login)
	}
	return level.GetPermission() == "admin" || level.GetPermission() == "write", nil
}

// Commit adds a commit to a pull request's branch; nil content removes a file. GitHub refuses it if the branch is no longer at the commit that was
// judged.
func (c *Client) Commit(ctx context.Context, pr PullRequest, files map[string][]byte, message string) (string, error) {
	headline, body, _ := strings.Cut(message, "\n\n")
	additions, deletions := []any{}, []any{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if files[name] == nil {
			deletions = append(deletions, map[string]any{"path": name})
			continue
		}
		additions = append(additions, map[string]any{"path": name, "contents": base64.StdEncoding.EncodeToString(files[name])})
	}
	var data struct {
		CreateCommitOnBranch struct {
			Commit struct {
				OID string `json:"oid"`
			} `json:"commit"`
		} `json:"createCommitOnBranch"`
	}
	err := c.query(ctx, commitMutation, map[string]any{"input": map[string]any{
		"branch":          map[string]any{"repositoryNameWithOwner": c.Repository(), "branchName": pr.Head.Ref},
		"expectedHeadOid": pr.Head.SHA, "message": map[string]any{"headline": headline, "body": body},
		"fileChanges": map[string]any{"additions": additions, "deletions": deletions},
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

// committed returns the commit of an earlier try whose answer was lost, "" if there is none.
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

// Answer replies to a comment: with a reaction, and with text unless it is "".
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
