package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
)

// The modes of commenting.
const (
	Update     = "update"       // one comment, edited in place
	HideAndNew = "hide-and-new" // a new comment each time, the earlier one folded away
	Once       = "once"         // one comment, never touched again
	Off        = "off"
)

// Modes lists the modes of commenting.
var Modes = []string{Update, HideAndNew, Once, Off}

// ErrNothingToDo says why GitHub was left as it is, where that is right.
var ErrNothingToDo = errors.New("nothing was written")

// Draft is a comment that is to be made; a clean one has nothing to say but that earlier words no longer hold. Write renders it in at most so many bytes, given what the earlier comment said.
type Draft struct {
	Marker
	Mode  string
	Write func(before *Marker, most int) string
}

// Outcome says what became of a draft.
type Outcome struct {
	URL  string
	Done string // "created", "updated", "replaced"; "" when nothing was written
	Why  string // why nothing was written
}

// stick brings a pull request's comment up to date: at most one comment is written, and none when nothing changed.
func (c *Client) stick(ctx context.Context, number int, d Draft) (Outcome, error) {
	if d.Mode == Off {
		return Outcome{Why: "comments are turned off"}, nil
	}
	pr, err := c.PullRequest(ctx, number)
	if err != nil {
		return Outcome{}, err
	}
	if why := unfit(pr, d.Head); why != "" {
		return Outcome{Why: why}, nil
	}
	before, err := c.earlier(ctx, number, d.Key)
	if err != nil {
		return Outcome{}, err
	}
	if why := d.needless(before); why != "" {
		return Outcome{Why: why, URL: before.address()}, nil
	}
	return c.put(ctx, number, d, before)
}

// unfit says why a pull request is left alone.
func unfit(pr PullRequest, head string) string {
	switch {
	case pr.State != "open":
		return fmt.Sprintf("pull request %d is %s", pr.Number, pr.State)
	case head != "" && pr.Head.SHA != head:
		return fmt.Sprintf("pull request %d has moved on from %s to %s", pr.Number, short(head), short(pr.Head.SHA))
	}
	return ""
}

// needless says why a draft is not written, given the earlier comment.
func (d Draft) needless(before *comment) string {
	switch {
	case before == nil && d.Clean:
		return "there is nothing to say"
	case before == nil:
		return ""
	case before.newer(d.Marker):
		return fmt.Sprintf("a newer run (%d, attempt %d) wrote the comment", before.Run.ID, before.Run.Attempt)
	case d.Mode == Once:
		return "there is a comment already, and it is written only once"
	case d.Clean && before.Clean:
		return "the earlier comment says so already"
	case before.Print == d.Print && before.Head == d.Head:
		return "the comment says just this already"
	}
	return ""
}

func (c *comment) address() string {
	if c == nil {
		return ""
	}
	return c.url
}

// put writes the draft, shorter when GitHub says that it is too long.
func (c *Client) put(ctx context.Context, number int, d Draft, before *comment) (Outcome, error) {
	out, err := c.putWithin(ctx, number, d, before, MaxComment)
	if status(err) == http.StatusUnprocessableEntity {
		return c.putWithin(ctx, number, d, before, retryLimit)
	}
	return out, err
}

func (c *Client) putWithin(ctx context.Context, number int, d Draft, before *comment, most int) (Outcome, error) {
	text := d.Write(before.marker(), most-len(d.Marker.String())-1)
	body := d.Marker.String() + "\n" + text
	switch {
	case before == nil:
		url, err := c.create(ctx, number, d.Marker, body)
		return done("created", url, err)
	case d.Mode == HideAndNew:
		url, err := c.create(ctx, number, d.Marker, body)
		if err != nil {
			return Outcome{}, err
		}
		return Outcome{URL: url, Done: "replaced"}, c.hide(ctx, before.node)
	}
	url, err := c.edit(ctx, before.id, body)
	return done("updated", url, err)
}

// done is an outcome only when nothing went wrong.
func done(what, url string, err error) (Outcome, error) {
	if err != nil {
		return Outcome{}, err
	}
	return Outcome{URL: url, Done: what}, nil
}

func (c *comment) marker() *Marker {
	if c == nil {
		return nil
	}
	return &c.Marker
}
