package github

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"time"

	gh "github.com/google/go-github/v60/github"

	"github.com/xlagate/xlagate/internal/files"
	"github.com/xlagate/xlagate/internal/result"
)

// Latest returns [ErrNothingToDo] if a later run, or a later attempt, exists for the same commit.
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

// Wanted says which result of a pull request's runs is wanted.
type Wanted struct {
	Before   time.Time // what came later does not count; the zero time: everything counts
	Artifact string
	Workflow string // the gate's workflow file; "": any
	Key      string // the gate's
}

// Judged is a result with the run that made it.
type Judged struct {
	*result.Result
	Run      int64
	workflow int64
}

// Results are what the gates of a repository found in a pull request.
type Results struct {
	Own    *Judged  // of the gate that is wanted; nil if it left none
	Others []Judged // of the other gates
	Head   string   // the commit that they judged: that of the newest run before the request
}

// ResultsFor finds the results that can be accepted on a pull request.
func (c *Client) ResultsFor(ctx context.Context, pr PullRequest, a Wanted) (found Results, err error) {
	switch {
	case pr.State != "open":
		return found, fmt.Errorf("pull request %d is %s", pr.Number, pr.State)
	case pr.Fork():
		return found, errors.New("the pull request comes from a fork: accept there, with xlagate accept --from the run's artifact")
	}
	head, all, err := c.newest(ctx, pr, a)
	if err != nil {
		return found, err
	}
	found.Head = head
	for i, j := range all {
		switch {
		case j.Origin.Key != a.Key:
			found.Others = append(found.Others, j)
		case found.Own != nil:
			return found, fmt.Errorf("runs %d and %d of two workflows left an artifact %s of the gate %s; name one: --workflow FILE, or give each gate its own --key",
				found.Own.Run, j.Run, a.Artifact, a.Key)
		default:
			found.Own = &all[i]
		}
	}
	return found, nil
}

// newest returns the newest result of each gate in each workflow. Those of the wanted gate are from the workflow that is named.
func (c *Client) newest(ctx context.Context, pr PullRequest, a Wanted) (head string, found []Judged, err error) {
	head, runs, err := c.runsFor(ctx, pr, "", a.Before)
	if err != nil {
		return head, nil, err
	}
	named := runs
	if a.Workflow != "" {
		if _, named, err = c.runsFor(ctx, pr, a.Workflow, a.Before); err != nil {
			return head, nil, err
		}
	}
	for _, run := range runs {
		isNamed := slices.ContainsFunc(named, func(other *gh.WorkflowRun) bool { return other.GetID() == run.GetID() })
		left, err := c.resultsOf(ctx, run, a)
		if err != nil {
			return head, nil, err
		}
		for _, j := range left {
			isOlder := func(newer Judged) bool { return newer.workflow == j.workflow && newer.Origin.Key == j.Origin.Key }
			if (isNamed || j.Origin.Key != a.Key) && !slices.ContainsFunc(found, isOlder) {
				found = append(found, j)
			}
		}
	}
	return head, found, nil
}

// Unfit says why the wanted gate's result cannot be accepted on a pull request; nil if it can.
func (r Results) Unfit(pr PullRequest, a Wanted) error {
	switch {
	case r.Head != pr.Head.SHA:
		return fmt.Errorf("the pull request is at %s, but was at %s when it was to be accepted: look at what its new run says, then accept", short(pr.Head.SHA), short(r.Head))
	case r.Own != nil:
		return nil
	}
	before := ""
	if !a.Before.IsZero() {
		before = " before " + a.Before.UTC().Format(time.RFC3339)
	}
	return fmt.Errorf("%w: no finished run for %s left an artifact %s of the gate %s%s; wait for the gate, or run it again, then accept",
		ErrNothingToDo, short(pr.Head.SHA), a.Artifact, a.Key, before)
}

// resultsOf reads the results that a run left: the wanted artifact, and the results of other gates beside it.
func (c *Client) resultsOf(ctx context.Context, run *gh.WorkflowRun, a Wanted) (left []Judged, err error) {
	list, err := c.artifacts(ctx, run.GetID(), a.Before)
	if err != nil {
		return nil, err
	}
	for _, artifact := range list {
		wanted := artifact.GetName() == a.Artifact
		if !wanted && !strings.HasPrefix(artifact.GetName(), DefaultArtifact) {
			continue
		}
		data, err := c.read(ctx, run.GetID(), artifact)
		var r *result.Result
		if err == nil {
			r, err = result.Read(data)
		}
		if err == nil {
			err = c.madeFor(r, run)
		}
		switch {
		case err == nil && (wanted || r.Origin.Key != a.Key):
			left = append(left, Judged{r, run.GetID(), run.GetWorkflowID()})
		case err != nil && wanted:
			return nil, fmt.Errorf("the artifact of run %d: %w", run.GetID(), err)
		}
	}
	return left, nil
}

// DefaultArtifact is the artifact of a gate's run, and the file in it without its extension. The artifacts of several gates in one run begin so.
const DefaultArtifact = "xlagate-report"

// madeFor returns an error if a run did not make the result for its commit.
func (c *Client) madeFor(r *result.Result, run *gh.WorkflowRun) error {
	switch o := r.Origin; {
	case o == nil:
		return errors.New("it does not say what it judged: no xlagate check in a job of GitHub Actions made it")
	case o.Repository != c.Repository():
		return fmt.Errorf("it is of %s, not of %s", o.Repository, c.Repository())
	case o.Head != run.GetHeadSHA():
		return fmt.Errorf("it judged %s, not the head %s", short(o.Head), short(run.GetHeadSHA()))
	case o.Run != run.GetID():
		return fmt.Errorf("it was made by run %d", o.Run)
	}
	return nil
}

// runsFor lists the finished runs for the head that whoever asked saw, newest first: that of the branch's newest run before the request, and of no
// request, the pull request's.
func (c *Client) runsFor(ctx context.Context, pr PullRequest, workflow string, before time.Time) (head string, runs []*gh.WorkflowRun, err error) {
	if before.IsZero() {
		head = pr.Head.SHA
	}
	o := &gh.ListWorkflowRunsOptions{Event: "pull_request", Branch: pr.Head.Ref}
	err = pages(func(page gh.ListOptions) (*gh.Response, bool, error) {
		o.ListOptions = page
		var list *gh.WorkflowRuns
		var response *gh.Response
		var err error
		if workflow != "" {
			list, response, err = c.api.Actions.ListWorkflowRunsByFileName(ctx, c.owner, c.name, workflow, o)
		} else {
			list, response, err = c.api.Actions.ListRepositoryWorkflowRuns(ctx, c.owner, c.name, o)
		}
		if err != nil {
			return response, true, c.failed(err, "list the runs for %s", short(pr.Head.SHA))
		}
		for _, run := range list.WorkflowRuns {
			if run.GetHeadRepository().GetFullName() != c.Repository() || !before.IsZero() && run.GetCreatedAt().After(before) {
				continue
			}
			head = cmp.Or(head, run.GetHeadSHA())
			if run.GetHeadSHA() != head {
				return response, true, nil
			}
			if run.GetStatus() == "completed" {
				runs = append(runs, run)
			}
		}
		return response, false, nil
	})
	return cmp.Or(head, pr.Head.SHA), runs, err
}

// Artifact downloads a run's artifact, which must hold one file, ARTIFACT.json.
func (c *Client) Artifact(ctx context.Context, run int64, name string) ([]byte, error) {
	list, err := c.artifacts(ctx, run, time.Time{})
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(list, func(a *gh.Artifact) bool { return a.GetName() == name })
	if at < 0 {
		return nil, fmt.Errorf("%w: run %d left no artifact %s", ErrNothingToDo, run, name)
	}
	return c.read(ctx, run, list[at])
}

// read downloads an artifact and returns the one file in it.
func (c *Client) read(ctx context.Context, run int64, a *gh.Artifact) ([]byte, error) {
	name := a.GetName()
	if a.GetSizeInBytes() > maxZipped {
		return nil, fmt.Errorf("artifact %s of run %d has %d bytes; at most %d are read", name, run, a.GetSizeInBytes(), maxZipped)
	}
	data, err := c.download(ctx, a.GetID())
	if err != nil {
		return nil, c.failed(err, "download artifact %s of run %d", name, run)
	}
	file, err := unzip(data, name+".json")
	if err != nil {
		return nil, fmt.Errorf("artifact %s of run %d: %w", name, run, err)
	}
	return file, nil
}

// artifacts lists what a run had left at a time, of each name the newest: every attempt of a run leaves its own. The zero time is now.
func (c *Client) artifacts(ctx context.Context, run int64, at time.Time) (newest []*gh.Artifact, err error) {
	err = pages(func(page gh.ListOptions) (*gh.Response, bool, error) {
		list, response, err := c.api.Actions.ListWorkflowRunArtifacts(ctx, c.owner, c.name, run, &page)
		if err != nil {
			return response, true, err
		}
		for _, a := range list.Artifacts {
			if a.GetExpired() || !at.IsZero() && a.GetCreatedAt().After(at) {
				continue
			}
			known := slices.IndexFunc(newest, func(other *gh.Artifact) bool { return other.GetName() == a.GetName() })
			switch {
			case known < 0:
				newest = append(newest, a)
			case a.GetID() > newest[known].GetID():
				newest[known] = a
			}
		}
		return response, false, nil
	})
	if err != nil {
		return nil, c.failed(err, "list the artifacts of run %d", run)
	}
	return newest, nil
}

// download fetches an artifact from where the API says it is, another host, which does not see the token.
func (c *Client) download(ctx context.Context, id int64) ([]byte, error) {
	r, err := c.api.NewRequest(http.MethodGet, fmt.Sprintf("repos/%s/%s/actions/artifacts/%d/zip", c.owner, c.name, id), nil)
	if err != nil {
		return nil, err
	}
	response, err := c.api.BareDo(ctx, r)
	var refusal *gh.ErrorResponse
	if errors.As(err, &refusal) && refusal.Response.Request.URL.Host != c.api.BaseURL.Host {
		return nil, fmt.Errorf("the store answered %s; run this again", refusal.Response.Status)
	}
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	return files.ReadAll(response.Body, maxZipped)
}

// Bounds on an artifact: it was made by code that nobody reviewed.
const (
	maxZipped   = 5 << 20
	maxUnzipped = 20 << 20
)

// unzip returns the one file of an artifact, from memory to memory. Nothing is written anywhere, and everything that is not a
// plain file with just this name is refused.
func unzip(data []byte, name string) ([]byte, error) {
	if len(data) > maxZipped {
		return nil, fmt.Errorf("the artifact has more than %d bytes", maxZipped)
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("the artifact is not a zip archive: %w", err)
	}
	if len(z.File) != 1 {
		return nil, fmt.Errorf("the artifact holds %d entries; expected one, %s", len(z.File), name)
	}
	entry := z.File[0]
	if entry.Name != name || !entry.Mode().IsRegular() {
		return nil, fmt.Errorf("the artifact does not hold the plain file %s alone", name)
	}
	if entry.UncompressedSize64 > maxUnzipped {
		return nil, fmt.Errorf("%s has more than %d bytes", name, maxUnzipped)
	}
	file, err := fs.ReadFile(z, name) // an entry that unpacks to more than it claims is refused
	if err != nil {
		return nil, fmt.Errorf("unzip %s: %w", name, err)
	}
	return file, nil
}
