package github

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/files"
	"github.com/xlagate/xlagate/internal/result"
)

func TestStepFiles(t *testing.T) {
	dir := t.TempDir()
	p := publication(found(2), 1)
	p.Summary, p.Output = filepath.Join(dir, "summary"), filepath.Join(dir, "output")
	p.Comment.Result.Verdict = "fail\nverdict=pass"
	r := p.Comment.Result
	r.Changes = append(r.Changes, result.Change{ID: "aaaaaaaaaaaa", Level: "better"}, result.Change{ID: "bbbbbbbbbbbb", Level: "error", Findings: []string{"cccccccccccc"}, Decision: result.Decision{Waived: true}})
	if done := Publish(context.Background(), nil, p); len(done.Warnings) > 0 || !strings.Contains(done.Commands, "::error file=model.py,line=1,") {
		t.Errorf("%+v", done)
	}
	summary, _ := os.ReadFile(p.Summary)
	if !strings.HasPrefix(string(summary), "### ⛔ xlagate: 2 errors in 1 target") {
		t.Errorf("%.200s", summary)
	}
	output, _ := os.ReadFile(p.Output)
	want := "verdict=fail verdict=pass\nexit-code=1\nerrors=2\nwarnings=0\ninfos=0\nwaived=0\nchanges=000000000000,000000000001\ncomment-url=\ncheck-url=\n"
	if string(output) != want {
		t.Errorf("%s", output)
	}
}

func TestSummaryHasRoom(t *testing.T) {
	p := publication(found(10_000), 1)
	p.Summary = filepath.Join(t.TempDir(), "summary")
	for _, before := range []int{0, 600_000, 1_040_000, 1_048_000} {
		if err := os.WriteFile(p.Summary, make([]byte, before), 0o600); err != nil {
			t.Fatal(err)
		}
		done := Publish(context.Background(), nil, p)
		info, err := os.Stat(p.Summary)
		if err != nil || info.Size() > maxSummary {
			t.Errorf("%v: %d bytes", err, info.Size())
		}
		if full := before == 1_048_000; full != (len(done.Warnings) == 1) || full != (info.Size() == int64(before)) {
			t.Errorf("with %d bytes there already: %q, %d bytes", before, done.Warnings, info.Size())
		}
	}
}

func TestEnvironment(t *testing.T) {
	event := filepath.Join(t.TempDir(), "event.json")
	if err := os.WriteFile(event, []byte(`{"pull_request":{"number":7,"state":"open","head":{"sha":"`+headSHA+`","ref":"wider","repo":{"full_name":"mona/models"}},"base":{"sha":"`+baseSHA+`","ref":"main","repo":{"full_name":"acme/models"}}},"unknown":{"a":[1]}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	vars := map[string]string{"GITHUB_ACTIONS": "true", "GITHUB_REPOSITORY": "acme/models", "GITHUB_API_URL": "https://ghe.example.com/api/v3/", "GITHUB_SERVER_URL": "https://ghe.example.com",
		"GITHUB_TOKEN": "job", "GITHUB_RUN_ID": "9821", "GITHUB_RUN_ATTEMPT": "2", "GITHUB_EVENT_PATH": event}
	e, err := ReadEnvironment(func(key string) string { return vars[key] })
	if err != nil {
		t.Fatal(err)
	}
	if e.API != "https://ghe.example.com/api/v3" || e.GraphQL != "https://ghe.example.com/api/graphql" || e.Run != (Run{9821, 2}) || e.Event.PullRequest.Number != 7 || !e.Event.PullRequest.Fork() {
		t.Errorf("%+v", e)
	}
	if url := e.RunURL(e.Run); url != "https://ghe.example.com/acme/models/actions/runs/9821" {
		t.Error(url)
	}
	if err := os.Truncate(event, maxEvent+1); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadEnvironment(func(key string) string { return vars[key] }); !errors.Is(err, files.ErrTooLarge) {
		t.Errorf("an event that is too large: %v", err)
	}
	none, err := ReadEnvironment(func(string) string { return "" })
	if err != nil || none.Actions || none.API != "https://api.github.com" || none.RunURL(none.Run) != "" {
		t.Errorf("%v %+v", err, none)
	}
}
