package github

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Environment is what GitHub Actions tells a job about itself.
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
	Summary    string // the file of the step summary
	Output     string // the file of the step's outputs
	Event      Event
}

// Run is one run of a workflow. The zero value stands for a run outside of GitHub Actions.
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
		API:        strings.TrimSuffix(first(getenv("GITHUB_API_URL"), publicAPI), "/"),
		Server:     strings.TrimSuffix(first(getenv("GITHUB_SERVER_URL"), publicServer), "/"),
		Token:      first(getenv("XLAGATE_GITHUB_TOKEN"), getenv("GITHUB_TOKEN"), getenv("GH_TOKEN")),
		SHA:        getenv("GITHUB_SHA"),
		Ref:        getenv("GITHUB_REF"),
		Workspace:  getenv("GITHUB_WORKSPACE"),
		EventName:  getenv("GITHUB_EVENT_NAME"),
		Summary:    getenv("GITHUB_STEP_SUMMARY"),
		Output:     getenv("GITHUB_OUTPUT"),
	}
	e.GraphQL = graphQL(e.API, getenv("GITHUB_GRAPHQL_URL"))
	e.Run.ID, _ = strconv.ParseInt(getenv("GITHUB_RUN_ID"), 10, 64)
	e.Run.Attempt, _ = strconv.Atoi(getenv("GITHUB_RUN_ATTEMPT"))
	path := getenv("GITHUB_EVENT_PATH")
	if path == "" {
		return e, nil
	}
	var err error
	if e.Event, err = readEvent(path); err != nil {
		return e, fmt.Errorf("read the event %s: %w", path, err)
	}
	return e, nil
}

// graphQL is where the GraphQL API lies: beside the REST API of github.com, and beside /api/v3 on an Enterprise Server.
func graphQL(api, given string) string {
	if given != "" {
		return given
	}
	if root, ok := strings.CutSuffix(api, "/api/v3"); ok {
		return root + "/api/graphql"
	}
	return api + "/graphql"
}

func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

// RunURL is the page of a workflow run; "" when there is none.
func (e Environment) RunURL(run Run) string {
	if run.ID == 0 || !validRepository(e.Repository) {
		return ""
	}
	return fmt.Sprintf("%s/%s/actions/runs/%d", e.Server, e.Repository, run.ID)
}

// appendTo appends text to one of the files through which a step speaks to GitHub Actions. No file, no harm.
func appendTo(path, text string) error {
	if path == "" || text == "" {
		return nil
	}
	f, err := os.OpenFile(filepath.Clean(path), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if _, err := f.WriteString(text); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
