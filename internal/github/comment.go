package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	gh "github.com/google/go-github/v60/github"
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

// ErrNothingToDo is returned when nothing has to be written.
var ErrNothingToDo = errors.New("nothing was written")

// Draft is a comment to write. A clean one only says that earlier findings no longer hold. Write renders it in at most so many bytes, given the
// marker of the earlier comment.
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
		outcome := Outcome{Why: why}
		if before != nil {
			outcome.URL = before.url
		}
		return outcome, nil
	}
	out, err := c.put(ctx, number, d, before, MaxComment)
	if status(err) == http.StatusUnprocessableEntity { // it is too long
		return c.put(ctx, number, d, before, retryLimit)
	}
	return out, err
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

// needless returns why a draft need not be written, given the earlier comment.
func (d Draft) needless(before *comment) string {
	switch {
	case before == nil && d.Clean:
		return "there is nothing to report"
	case before == nil:
		return ""
	case before.newer(d.Marker):
		return fmt.Sprintf("a newer run (%d, attempt %d) wrote the comment", before.Run.ID, before.Run.Attempt)
	case d.Mode == Once:
		return "there already is a comment, and it is written only once"
	case d.Clean && before.Clean:
		return "the earlier comment already says so"
	case before.Print == d.Print && before.Head == d.Head:
		return "the comment already says this"
	}
	return ""
}

// put writes the draft in at most so many bytes.
func (c *Client) put(ctx context.Context, number int, d Draft, before *comment, most int) (Outcome, error) {
	var marker *Marker
	if before != nil {
		marker = &before.Marker
	}
	body := d.Marker.String() + "\n" + d.Write(marker, most-len(d.Marker.String())-1)
	if before != nil && d.Mode != HideAndNew {
		edited, _, err := c.api.Issues.EditComment(ctx, c.owner, c.name, before.id, &gh.IssueComment{Body: &body})
		if err != nil {
			return Outcome{}, c.failed(err, "edit comment %d", before.id)
		}
		return Outcome{Done: "updated", URL: edited.GetHTMLURL()}, nil
	}
	url, err := c.create(ctx, number, d.Marker, body)
	if err != nil {
		return Outcome{}, err
	}
	if before == nil {
		return Outcome{Done: "created", URL: url}, nil
	}
	if err = c.query(ctx, hideMutation, map[string]any{"id": before.node}, nil); err != nil {
		err = c.failed(err, "hide the earlier comment")
	}
	return Outcome{Done: "replaced", URL: url}, err
}

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
	if len(marked) == 0 {
		return nil, nil
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

// is reports whether a comment's author is this actor. The GraphQL API leaves out the "[bot]" of some names; the numbers agree.
func (a Actor) is(user *gh.User) bool {
	if a.ID != 0 && user.GetID() != 0 {
		return a.ID == user.GetID()
	}
	return a.Login != "" && strings.TrimSuffix(a.Login, "[bot]") == strings.TrimSuffix(user.GetLogin(), "[bot]") &&
		strings.HasSuffix(a.Login, "[bot]") == (user.GetType() == "Bot")
}

// create writes a new comment. If GitHub may have written it although the request failed, it looks before it tries again.
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

// Marker is the hidden first line of a comment. It says to which gate the comment belongs and which run it is about, so that an
// older run never overwrites what a newer one wrote.
type Marker struct {
	Key      string // the gate, where one pull request has several
	Run      Run
	Head     string // the commit that was checked
	At       int64  // when, in seconds
	Print    string // of what was said, but for where the run is to be found
	Clean    bool   // nothing was said but that all is well
	Problems int
	Errors   int
	Warnings int
}

const markerStart = "<!-- xlagate:v1 "

// String is the marker's line.
func (m Marker) String() string {
	return fmt.Sprintf("%skey=%s run=%d attempt=%d head=%s at=%d print=%s clean=%t problems=%d errors=%d warnings=%d -->",
		markerStart, m.Key, m.Run.ID, m.Run.Attempt, m.Head, m.At, m.Print, m.Clean, m.Problems, m.Errors, m.Warnings)
}

func parseMarker(body string) (Marker, bool) {
	rest, ok := strings.CutPrefix(body, markerStart)
	fields, _, ended := strings.Cut(rest, " -->")
	if !ok || !ended {
		return Marker{}, false
	}
	var m Marker
	into := map[string]any{
		"key": &m.Key, "run": &m.Run.ID, "attempt": &m.Run.Attempt, "head": &m.Head, "at": &m.At, "print": &m.Print, "clean": &m.Clean,
		"problems": &m.Problems, "errors": &m.Errors, "warnings": &m.Warnings,
	}
	for field := range strings.FieldsSeq(fields) {
		if key, value, _ := strings.Cut(field, "="); into[key] != nil {
			_, _ = fmt.Sscan(value, into[key]) // what is no value of its kind is as good as none
		}
	}
	return m, ValidKey(m.Key)
}

// newer reports whether m is about a later run than other. Run numbers ascend; if one of the runs was elsewhere, the clock decides.
func (m Marker) newer(other Marker) bool {
	if m.Run.ID == 0 || other.Run.ID == 0 || m.Run == other.Run {
		return m.At > other.At
	}
	if m.Run.ID != other.Run.ID {
		return m.Run.ID > other.Run.ID
	}
	return m.Run.Attempt > other.Run.Attempt
}
