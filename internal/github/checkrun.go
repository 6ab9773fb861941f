package github

import (
	"context"
	"fmt"
	"unicode/utf8"

	gh "github.com/google/go-github/v60/github"

	"github.com/xlagate/xlagate/internal/report"
)

// GitHub's limits on check runs.
const (
	perRequest     = 50     // annotations in one request
	maxCheckText   = 65_000 // bytes of a summary; 65,535 characters are allowed
	maxAnnotations = 500    // in all; each 50 take a request
	maxStatusText  = 140
)

// Check is what a check run says.
type Check struct {
	Name        string
	Head        string // the commit that it belongs to
	ID          string // names the run and the gate, so that a check that was made is found again
	Conclusion  string // success, failure or action_required
	Title       string
	Summary     string              // Markdown
	URL         string              // where there is more
	Annotations []report.Annotation // worst first
}

var levels = map[string]string{"error": "failure", "warning": "warning", "info": "notice"}

// check makes a check run with its annotations, fifty a request.
func (c *Client) check(ctx context.Context, check Check) (string, error) {
	notes := check.Annotations[:min(len(check.Annotations), maxAnnotations)]
	if left := len(check.Annotations) - len(notes); left > 0 {
		check.Summary = fmt.Sprintf("%d more annotations are left out here.\n\n%s", left, check.Summary)
	}
	run, err := c.createCheck(ctx, check, notes[:min(len(notes), perRequest)])
	if err != nil {
		return "", err
	}
	for at := perRequest; at < len(notes); at += perRequest {
		output := check.output(notes[at:min(at+perRequest, len(notes))])
		_, _, err := c.api.Checks.UpdateCheckRun(ctx, c.owner, c.name, run.GetID(), gh.UpdateCheckRunOptions{Name: check.Name, Output: output})
		if err != nil {
			return run.GetHTMLURL(), c.failed(err, "add annotations %d to %d of %d to the check run", at+1, at+len(output.Annotations), len(notes))
		}
	}
	return run.GetHTMLURL(), nil
}

// createCheck makes the check run. If GitHub may have made it although the request failed, it looks before it tries again.
func (c *Client) createCheck(ctx context.Context, check Check, notes []report.Annotation) (*gh.CheckRun, error) {
	o := gh.CreateCheckRunOptions{
		Name: check.Name, HeadSHA: check.Head, ExternalID: gh.String(check.ID), Status: gh.String("completed"),
		Conclusion: gh.String(check.Conclusion), Output: check.output(notes),
	}
	if check.URL != "" {
		o.DetailsURL = gh.String(check.URL)
	}
	run, _, err := c.api.Checks.CreateCheckRun(ctx, c.owner, c.name, o)
	if err != nil && uncertain(err) && ctx.Err() == nil {
		if made := c.made(ctx, check); made != nil {
			return made, nil
		}
		run, _, err = c.api.Checks.CreateCheckRun(ctx, c.owner, c.name, o)
	}
	if err != nil {
		return nil, c.failed(err, "make the check run %s", check.Name)
	}
	return run, nil
}

// made finds a check run that was made although the answer was lost.
func (c *Client) made(ctx context.Context, check Check) *gh.CheckRun {
	list, _, err := c.api.Checks.ListCheckRunsForRef(ctx, c.owner, c.name, check.Head,
		&gh.ListCheckRunsOptions{CheckName: gh.String(check.Name), ListOptions: gh.ListOptions{PerPage: perPage}})
	if err != nil {
		return nil
	}
	for _, run := range list.CheckRuns {
		if run.GetExternalID() == check.ID {
			return run
		}
	}
	return nil
}

func (check Check) output(notes []report.Annotation) *gh.CheckRunOutput {
	out := &gh.CheckRunOutput{Title: gh.String(within(check.Title, 255)), Summary: gh.String(within(check.Summary, maxCheckText))}
	for _, n := range notes {
		line := max(1, n.Line)
		out.Annotations = append(out.Annotations, &gh.CheckRunAnnotation{
			Path: gh.String(n.File), StartLine: gh.Int(line), EndLine: gh.Int(line), AnnotationLevel: gh.String(levels[n.Level]),
			Title: gh.String(within(n.Title, 255)), Message: gh.String(within(n.Message, maxCheckText)),
		})
	}
	return out
}

// status sets a commit status, for tokens and servers that have no check runs.
func (c *Client) status(ctx context.Context, check Check) error {
	state := check.Conclusion
	if state == "action_required" { // a status has no such state
		state = "failure"
	}
	s := &gh.RepoStatus{State: gh.String(state), Context: gh.String(check.Name), Description: gh.String(within(check.Title, maxStatusText))}
	if check.URL != "" {
		s.TargetURL = gh.String(check.URL)
	}
	if _, _, err := c.api.Repositories.CreateStatus(ctx, c.owner, c.name, check.Head, s); err != nil {
		return c.failed(err, "set the commit status %s", check.Name)
	}
	return nil
}

// within cuts a text to so many bytes, at the end of a character.
func within(s string, most int) string {
	const mark = "…"
	if len(s) <= most {
		return s
	}
	end := most - len(mark)
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + mark
}
