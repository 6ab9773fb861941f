package github

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/xlagate/xlagate/internal/files"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
)

// Environment is what GitHub Actions passes to a job.
type Environment struct {
	Actions    bool   // whether this runs in GitHub Actions at all
	Repository string // OWNER/NAME
	API        string // the REST API's root
	GraphQL    string
	Server     string // the root of the web pages
	Token      string
	Run        Run
	SHA        string // what was checked out
	Ref        string
	Workspace  string
	EventName  string
	StepFiles
	Event Event
}

// StepFiles are the files by which a step tells something to GitHub Actions.
type StepFiles struct {
	Summary string // what its page shows
	Output  string // what later steps read
}

// Run is one run of a workflow. The zero value is a run outside of GitHub Actions.
type Run struct {
	ID      int64
	Attempt int
}

// The addresses of github.com.
const (
	publicAPI    = "https://api.github.com"
	publicServer = "https://github.com"
)

// ReadEnvironment reads the environment variables of GitHub Actions, and the event that started the job.
func ReadEnvironment(getenv func(string) string) (Environment, error) {
	e := Environment{
		Actions:    getenv("GITHUB_ACTIONS") == "true",
		Repository: getenv("GITHUB_REPOSITORY"),
		API:        strings.TrimSuffix(cmp.Or(getenv("GITHUB_API_URL"), publicAPI), "/"),
		Server:     strings.TrimSuffix(cmp.Or(getenv("GITHUB_SERVER_URL"), publicServer), "/"),
		Token:      cmp.Or(getenv("XLAGATE_GITHUB_TOKEN"), getenv("GITHUB_TOKEN"), getenv("GH_TOKEN")),
		SHA:        getenv("GITHUB_SHA"),
		Ref:        getenv("GITHUB_REF"),
		Workspace:  getenv("GITHUB_WORKSPACE"),
		EventName:  getenv("GITHUB_EVENT_NAME"),
		StepFiles:  StepFiles{Summary: getenv("GITHUB_STEP_SUMMARY"), Output: getenv("GITHUB_OUTPUT")},
	}
	e.GraphQL = graphQL(e.API, getenv("GITHUB_GRAPHQL_URL"))
	e.Run.ID, _ = strconv.ParseInt(getenv("GITHUB_RUN_ID"), 10, 64)
	e.Run.Attempt, _ = strconv.Atoi(getenv("GITHUB_RUN_ATTEMPT"))
	path := getenv("GITHUB_EVENT_PATH")
	if path == "" {
		return e, nil
	}
	data, err := files.Read(path, maxEvent)
	if err == nil && len(data) > 0 {
		err = json.Unmarshal(data, &e.Event)
	}
	if err != nil {
		return e, fmt.Errorf("read the event %s: %w", path, err)
	}
	return e, nil
}

// graphQL is where the GraphQL API is: beside the REST API of github.com, and beside /api/v3 on an Enterprise Server.
func graphQL(api, given string) string {
	if given != "" {
		return given
	}
	if root, ok := strings.CutSuffix(api, "/api/v3"); ok {
		return root + "/api/graphql"
	}
	return api + "/graphql"
}

// RunURL is the page of a workflow run; "" when there is none.
func (e Environment) RunURL(run Run) string {
	if run.ID == 0 || !validRepository(e.Repository) {
		return ""
	}
	return fmt.Sprintf("%s/%s/actions/runs/%d", e.Server, e.Repository, run.ID)
}

// appendTo appends text to a file that GitHub Actions reads. It does nothing without a path.
func appendTo(path, text string) error {
	if path == "" || text == "" {
		return nil
	}
	f, err := os.OpenFile(filepath.Clean(path), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// Event is the part of a webhook's payload that matters here. GitHub made it: unlike an artifact it can be trusted to say which
// pull request, commit and person it is about.
type Event struct {
	Action      string      `json:"action"`
	PullRequest PullRequest `json:"pull_request"`
	WorkflowRun WorkflowRun `json:"workflow_run"`
	Issue       struct {
		Number      int `json:"number"`
		PullRequest any `json:"pull_request"` // there when the issue is a pull request
	} `json:"issue"`
	Comment struct {
		ID   int64     `json:"id"`
		Body string    `json:"body"`
		User Actor     `json:"user"`
		At   time.Time `json:"created_at"`
	} `json:"comment"`
	Sender Actor `json:"sender"`
}

// Actor is who did something.
type Actor struct {
	Login string `json:"login"`
	ID    int64  `json:"id"`
}

// PullRequest is what is known of a pull request.
type PullRequest struct {
	Number int    `json:"number"`
	State  string `json:"state"`
	Head   Branch `json:"head"`
	Base   Branch `json:"base"`
}

// Branch is one side of a pull request.
type Branch struct {
	SHA  string `json:"sha"`
	Ref  string `json:"ref"`
	Repo struct {
		FullName string `json:"full_name"`
	} `json:"repo"`
}

// Fork reports whether the pull request comes from another repository.
func (p PullRequest) Fork() bool { return p.Head.Repo.FullName != p.Base.Repo.FullName }

// WorkflowRun is the run that a workflow_run event is about.
type WorkflowRun struct {
	ID             int64  `json:"id"`
	Attempt        int    `json:"run_attempt"`
	WorkflowID     int64  `json:"workflow_id"`
	Event          string `json:"event"`
	HeadSHA        string `json:"head_sha"`
	HeadBranch     string `json:"head_branch"`
	HeadRepository struct {
		FullName string `json:"full_name"`
		Owner    Actor  `json:"owner"`
	} `json:"head_repository"`
}

// maxEvent bounds a payload; GitHub's own limit is 25 MB.
const maxEvent = 25 << 20

// maxSummary is what GitHub takes of one step: above it nothing is shown at all.
const maxSummary = 1 << 20

// writeSummary appends the whole report to the step's summary, within what is left of its size.
func (p *Publication) writeSummary() error {
	if p.Summary == "" {
		return nil
	}
	o := p.Report
	o.MaxBytes = maxSummary - 1
	if info, err := os.Stat(p.Summary); err == nil {
		o.MaxBytes -= int(info.Size())
	}
	if o.MaxBytes < 1000 {
		return fmt.Errorf("write the step's summary: it is full already")
	}
	if err := appendTo(p.Summary, p.Comment.Markdown(o)+"\n"); err != nil {
		return fmt.Errorf("write the step's summary: %w", err)
	}
	return nil
}

func (p *Publication) writeOutputs(done Posted) error {
	if p.Output == "" {
		return nil
	}
	r := p.Comment.Result
	s := r.Summary
	var b strings.Builder
	set := func(key string, value any) {
		text := strings.NewReplacer("\r", " ", "\n", " ").Replace(fmt.Sprint(value))
		fmt.Fprintf(&b, "%s=%s\n", key, text)
	}
	set("verdict", r.Verdict)
	set("exit-code", r.ExitCode)
	set("errors", s.Errors)
	set("warnings", s.Warnings)
	set("infos", s.Infos)
	set("waived", s.Waived)
	set("changes", strings.Join(phrase.Map(r.Open(), func(c *result.Change) string { return c.ID }), ","))
	set("comment-url", done.Comment.URL)
	set("check-url", done.Check)
	if err := appendTo(p.Output, b.String()); err != nil {
		return fmt.Errorf("write the step's outputs: %w", err)
	}
	return nil
}
