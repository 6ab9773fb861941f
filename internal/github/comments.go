package github

import (
	"context"
	"strings"

	gh "github.com/google/go-github/v60/github"
)

// comment is an earlier comment of this gate's.
type comment struct {
	Marker
	id   int64
	node string
	url  string
}

// Comment limits.
const (
	MaxComment = 60_000 // bytes that are written; GitHub refuses more than 65,536 characters
	retryLimit = MaxComment / 2
)

// earlier finds the last comment with a gate's key that the token's owner wrote, over all pages. A marker alone proves nothing:
// anybody can copy it.
func (c *Client) earlier(ctx context.Context, number int, key string) (*comment, error) {
	marked, err := c.marked(ctx, number, key)
	if err != nil || len(marked) == 0 {
		return nil, err
	}
	me, err := c.viewer(ctx)
	if err != nil {
		return nil, err
	}
	for i := len(marked) - 1; i >= 0; i-- {
		if m := marked[i]; me.is(m.GetUser()) {
			marker, _ := parseMarker(m.GetBody())
			return &comment{Marker: marker, id: m.GetID(), node: m.GetNodeID(), url: m.GetHTMLURL()}, nil
		}
	}
	return nil, nil
}

func (c *Client) marked(ctx context.Context, number int, key string) ([]*gh.IssueComment, error) {
	var marked []*gh.IssueComment
	err := pages(func(page gh.ListOptions) (*gh.Response, bool, error) {
		list, response, err := c.api.Issues.ListComments(ctx, c.owner, c.name, number, &gh.IssueListCommentsOptions{ListOptions: page})
		for _, one := range list {
			if m, ok := parseMarker(one.GetBody()); ok && m.Key == key {
				marked = append(marked, one)
			}
		}
		return response, false, err
	})
	if err != nil {
		return nil, c.failed(err, "list the comments of pull request %d", number)
	}
	return marked, nil
}

// is reports whether a comment's author is this actor. The GraphQL API leaves out the "[bot]" of some names; the numbers agree.
func (a Actor) is(user *gh.User) bool {
	if a.ID != 0 && user.GetID() != 0 {
		return a.ID == user.GetID()
	}
	return a.Login != "" && strings.TrimSuffix(a.Login, "[bot]") == strings.TrimSuffix(user.GetLogin(), "[bot]") && strings.HasSuffix(a.Login, "[bot]") == (user.GetType() == "Bot")
}

// edit replaces a comment's text.
func (c *Client) edit(ctx context.Context, id int64, body string) (string, error) {
	edited, _, err := c.api.Issues.EditComment(ctx, c.owner, c.name, id, &gh.IssueComment{Body: &body})
	if err != nil {
		return "", c.failed(err, "edit comment %d", id)
	}
	return edited.GetHTMLURL(), nil
}

// create writes a new comment. When it is not certain whether GitHub did so, it looks before it tries once more.
func (c *Client) create(ctx context.Context, number int, marker Marker, body string) (string, error) {
	created, _, err := c.api.Issues.CreateComment(ctx, c.owner, c.name, number, &gh.IssueComment{Body: &body})
	if err != nil && uncertain(err) && ctx.Err() == nil {
		if there, lookErr := c.earlier(ctx, number, marker.Key); lookErr == nil && there != nil && there.Marker == marker {
			return there.url, nil
		}
		created, _, err = c.api.Issues.CreateComment(ctx, c.owner, c.name, number, &gh.IssueComment{Body: &body})
	}
	if err != nil {
		return "", c.failed(err, "comment on pull request %d", number)
	}
	return created.GetHTMLURL(), nil
}
