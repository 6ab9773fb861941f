package github

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
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

// errFork is returned for a pull request from another repository, to which nothing can be pushed.
var errFork = errors.New("the pull request comes from a fork: accept there, with xlagate accept --from the run's artifact")

// ResultFor finds the result that can be accepted on a pull request: that of a gate in the newest finished run of each workflow for the head.
func (c *Client) ResultFor(ctx context.Context, pr PullRequest, a Wanted) (Judged, error) {
	switch {
	case pr.State != "open":
		return Judged{}, fmt.Errorf("pull request %d is %s", pr.Number, pr.State)
	case pr.Fork():
		return Judged{}, errFork
	}
	runs, err := c.runsFor(ctx, pr, a)
	if err != nil {
		return Judged{}, err
	}
	var found []Judged
	for _, run := range runs {
		if slices.ContainsFunc(found, func(j Judged) bool { return j.workflow == run.GetWorkflowID() }) {
			continue
		}
		data, err := c.artifactBefore(ctx, run.GetID(), a.Artifact, a.Before)
		if errors.Is(err, ErrNothingToDo) {
			continue
		}
		var r *result.Result
		if err == nil {
			r, err = result.Read(data)
		}
		if err == nil {
			err = c.madeFor(r, pr, run.GetID())
		}
		if err != nil {
			return Judged{}, fmt.Errorf("the artifact of run %d: %w", run.GetID(), err)
		}
		if r.Origin.Key == a.Key {
			found = append(found, Judged{r, run.GetID(), run.GetWorkflowID()})
		}
	}
	switch {
	case len(found) == 0:
		return Judged{}, fmt.Errorf("%w: no finished run for %s left an artifact %s of the gate %s%s; wait for the gate, or run it again, then accept", ErrNothingToDo, short(pr.Head.SHA), a.Artifact, a.Key, a.before())
	case len(found) > 1:
		return Judged{}, fmt.Errorf("runs %d and %d of two workflows left an artifact %s of the gate %s; name one: --workflow FILE, or give each gate its own --key", found[0].Run, found[1].Run, a.Artifact, a.Key)
	}
	return found[0], nil
}

// madeFor returns an error if this gate did not make the result for the pull request's head.
func (c *Client) madeFor(r *result.Result, pr PullRequest, run int64) error {
	switch o := r.Origin; {
	case o == nil:
		return errors.New("it does not say what it judged: no xlagate check in a job of GitHub Actions made it")
	case o.Repository != c.Repository():
		return fmt.Errorf("it is of %s, not of %s", o.Repository, c.Repository())
	case o.Head != pr.Head.SHA:
		return fmt.Errorf("it judged %s, not the head %s", short(o.Head), short(pr.Head.SHA))
	case o.Run != run:
		return fmt.Errorf("it was made by run %d", o.Run)
	}
	return nil
}

func (a Wanted) before() string {
	if a.Before.IsZero() {
		return ""
	}
	return " before " + a.Before.UTC().Format(time.RFC3339)
}

// runsFor lists the finished runs for a pull request's head, newest first. The branch's newest run before the request shows which head the asker saw.
func (c *Client) runsFor(ctx context.Context, pr PullRequest, a Wanted) (runs []*gh.WorkflowRun, err error) {
	o := &gh.ListWorkflowRunsOptions{Event: "pull_request", Branch: pr.Head.Ref}
	err = pages(func(page gh.ListOptions) (*gh.Response, bool, error) {
		o.ListOptions = page
		list, response, err := c.listRuns(ctx, a.Workflow, o)
		if err != nil {
			return response, true, c.failed(err, "list the runs for %s", short(pr.Head.SHA))
		}
		for _, run := range list.WorkflowRuns {
			switch {
			case run.GetHeadRepository().GetFullName() != c.Repository(), !a.Before.IsZero() && run.GetCreatedAt().After(a.Before):
			case run.GetHeadSHA() == pr.Head.SHA && run.GetStatus() == "completed":
				runs = append(runs, run)
			case run.GetHeadSHA() == pr.Head.SHA:
			case len(runs) == 0 && !a.Before.IsZero():
				return response, true, fmt.Errorf("the pull request is at %s, but was at %s when it was to be accepted: look at what its new run says, then accept", short(pr.Head.SHA), short(run.GetHeadSHA()))
			default:
				return response, true, nil
			}
		}
		return response, false, nil
	})
	return runs, err
}

func (c *Client) listRuns(ctx context.Context, workflow string, o *gh.ListWorkflowRunsOptions) (*gh.WorkflowRuns, *gh.Response, error) {
	if workflow != "" {
		return c.api.Actions.ListWorkflowRunsByFileName(ctx, c.owner, c.name, workflow, o)
	}
	return c.api.Actions.ListRepositoryWorkflowRuns(ctx, c.owner, c.name, o)
}

// Artifact downloads a run's artifact, which must hold one file, ARTIFACT.json.
func (c *Client) Artifact(ctx context.Context, run int64, name string) ([]byte, error) {
	return c.artifactBefore(ctx, run, name, time.Time{})
}

// artifactBefore downloads the artifact that a run had left at a time; the zero time is now.
func (c *Client) artifactBefore(ctx context.Context, run int64, name string, at time.Time) ([]byte, error) {
	a, err := c.findArtifact(ctx, run, name, at)
	if err != nil {
		return nil, err
	}
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

// findArtifact finds the newest artifact of a name: every attempt of a run leaves its own.
func (c *Client) findArtifact(ctx context.Context, run int64, name string, at time.Time) (*gh.Artifact, error) {
	var newest *gh.Artifact
	err := pages(func(page gh.ListOptions) (*gh.Response, bool, error) {
		list, response, err := c.api.Actions.ListWorkflowRunArtifacts(ctx, c.owner, c.name, run, &page)
		if err != nil {
			return response, true, err
		}
		for _, a := range list.Artifacts {
			late := !at.IsZero() && a.GetCreatedAt().After(at)
			if a.GetName() == name && !a.GetExpired() && !late && (newest == nil || a.GetID() > newest.GetID()) {
				newest = a
			}
		}
		return response, false, nil
	})
	if err != nil {
		return nil, c.failed(err, "list the artifacts of run %d", run)
	}
	if newest == nil {
		return nil, fmt.Errorf("%w: run %d left no artifact %s", ErrNothingToDo, run, name)
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
	return inflate(entry)
}

// inflate does not trust the size that the entry claims.
func inflate(entry *zip.File) (data []byte, err error) {
	r, err := entry.Open()
	if err != nil {
		return nil, fmt.Errorf("unzip %s: %w", entry.Name, err)
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	if data, err = files.ReadAll(r, maxUnzipped); err != nil {
		return nil, fmt.Errorf("unzip %s: %w", entry.Name, err)
	}
	return data, nil
}
