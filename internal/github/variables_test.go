package github

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// environment is what a job reads of these variables.
func environment(t *testing.T, variables map[string]string) Environment {
	t.Helper()
	e, err := ReadEnvironment(func(name string) string { return variables[name] })
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Outside of GitHub Actions everything is that of github.com, and nothing is known of a run.
func TestNoVariables(t *testing.T) {
	e := environment(t, nil)
	if e.Actions || e.API != "https://api.github.com" || e.Server != "https://github.com" || e.GraphQL != "https://api.github.com/graphql" || e.Run != (Run{}) || e.Token != "" {
		t.Errorf("%+v", e)
	}
	if got := e.RunURL(Run{ID: 3}); got != "" {
		t.Errorf("a run of no repository: %s", got)
	}
}

func TestVariables(t *testing.T) {
	e := environment(t, map[string]string{
		"GITHUB_ACTIONS": "true", "GITHUB_REPOSITORY": "acme/models", "GITHUB_API_URL": "https://git.example/api/v3/", "GITHUB_SERVER_URL": "https://git.example/", "GITHUB_RUN_ID": "12345678901", "GITHUB_RUN_ATTEMPT": "2",
		"GITHUB_SHA": "abc", "GITHUB_REF": "refs/heads/main", "GITHUB_WORKSPACE": "/w", "GITHUB_EVENT_NAME": "push", "GITHUB_STEP_SUMMARY": "s", "GITHUB_OUTPUT": "o",
	})
	want := Environment{
		Actions: true, Repository: "acme/models", API: "https://git.example/api/v3", GraphQL: "https://git.example/api/graphql", Server: "https://git.example", Run: Run{12345678901, 2},
		SHA: "abc", Ref: "refs/heads/main", Workspace: "/w", EventName: "push", StepFiles: StepFiles{Summary: "s", Output: "o"},
	}
	if e.Actions != want.Actions || e.Repository != want.Repository || e.API != want.API || e.GraphQL != want.GraphQL || e.Server != want.Server || e.Run != want.Run || e.SHA != want.SHA ||
		e.Ref != want.Ref || e.Workspace != want.Workspace || e.EventName != want.EventName || e.Summary != want.Summary || e.Output != want.Output {
		t.Errorf("%+v", e)
	}
	if got := e.RunURL(e.Run); got != "https://git.example/acme/models/actions/runs/12345678901" {
		t.Error(got)
	}
	if got := e.RunURL(Run{}); got != "" {
		t.Errorf("no run: %s", got)
	}
}

// The gate's own token goes before the job's.
func TestWhichToken(t *testing.T) {
	all := map[string]string{"XLAGATE_GITHUB_TOKEN": "own", "GITHUB_TOKEN": "job", "GH_TOKEN": "cli"}
	for _, want := range []string{"own", "job", "cli", ""} {
		if got := environment(t, all).Token; got != want {
			t.Errorf("%q, wanted %q", got, want)
		}
		for name, value := range all {
			if value == want {
				delete(all, name)
			}
		}
	}
}

func TestGraphQLAddress(t *testing.T) {
	for _, c := range [][3]string{
		{"https://api.github.com", "", "https://api.github.com/graphql"}, {"https://git.example/api/v3", "", "https://git.example/api/graphql"}, {"https://git.example/api/v3", "https://x/y", "https://x/y"},
	} {
		if got := graphQL(c[0], c[1]); got != c[2] {
			t.Errorf("%s %s: %s, wanted %s", c[0], c[1], got, c[2])
		}
	}
}

// An event says which pull request, commit and person it is about.
func TestReadEvent(t *testing.T) {
	file := filepath.Join(t.TempDir(), "event.json")
	text := `{"action":"opened","pull_request":{"number":7,"state":"open","head":{"sha":"h","ref":"r","repo":{"full_name":"fork/models"}},"base":{"sha":"b","ref":"main","repo":{"full_name":"acme/models"}}},
		"workflow_run":{"id":9,"run_attempt":2,"head_sha":"s"},"issue":{"number":8,"pull_request":{}},"comment":{"id":5,"body":"hi","user":{"login":"mona","id":17}},"unknown":[1]}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	e := environment(t, map[string]string{"GITHUB_EVENT_PATH": file})
	v := e.Event
	if v.Action != "opened" || v.PullRequest.Number != 7 || !v.PullRequest.Fork() || v.PullRequest.Base.SHA != "b" || v.WorkflowRun.ID != 9 || v.WorkflowRun.Attempt != 2 || v.Issue.Number != 8 || v.Issue.PullRequest == nil || v.Comment.ID != 5 || v.Comment.User.Login != "mona" {
		t.Errorf("%+v", v)
	}
	v.PullRequest.Head.Repo.FullName = "acme/models"
	if v.PullRequest.Fork() {
		t.Error("a branch of the repository itself is a fork")
	}
}

// An event that cannot be read is an error that names it; an empty one tells nothing.
func TestUnreadableEvent(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"cut.json": `{"action":`, "list.json": "[]", "text.json": "hello"} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := ReadEnvironment(func(v string) string { return map[string]string{"GITHUB_EVENT_PATH": file}[v] })
		if err == nil || !strings.HasPrefix(err.Error(), "read the event "+file+": ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	empty := filepath.Join(dir, "empty.json")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if e := environment(t, map[string]string{"GITHUB_EVENT_PATH": empty}); e.Event.Action != "" {
		t.Errorf("%+v", e.Event)
	}
	if _, err := ReadEnvironment(func(v string) string { return map[string]string{"GITHUB_EVENT_PATH": dir + "/gone"}[v] }); err == nil {
		t.Error("an event that is not there is passed over")
	}
}

// What a step says is appended, and kept where there was something.
func TestAppendTo(t *testing.T) {
	file := filepath.Join(t.TempDir(), "summary")
	for _, text := range []string{"one\n", "", "two\n"} {
		if err := appendTo(file, text); err != nil {
			t.Fatal(err)
		}
	}
	if data, err := os.ReadFile(file); err != nil || string(data) != "one\ntwo\n" {
		t.Errorf("%q, %v", data, err)
	}
	if err := appendTo("", "x"); err != nil {
		t.Errorf("without a file: %v", err)
	}
	if err := appendTo(filepath.Join(file, "below"), "x"); err == nil {
		t.Error("a file below a file was written")
	}
}
