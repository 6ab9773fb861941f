package github

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/github/fakegithub"
)

// ran adds a finished run of the gate for the head of pull request 7, which left a file behind.
func (s *site) ran(id int64, file []byte) {
	s.t.Helper()
	s.Runs = append(s.Runs, &fakegithub.Run{ID: id, Attempt: 1, Workflow: 3, Event: "pull_request", Status: "completed", HeadSHA: s.Pulls[7].HeadSHA, HeadRepo: s.Pulls[7].HeadRepo})
	if file != nil {
		s.Artifacts = append(s.Artifacts, &fakegithub.Artifact{ID: id * 10, Run: id, Name: "xlagate-report", Data: archive(s.t, zipped{"xlagate-report.json", 0o644, file})})
	}
}

// Accepting on a pull request that cannot be accepted on says why, and writes nothing.
func TestAcceptRefusals(t *testing.T) {
	report, err := json.Marshal(clean())
	if err != nil {
		t.Fatal(err)
	}
	occupied := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(occupied, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	baseline := func(place string) string {
		return strings.Replace(someConfig, "extends", "baseline: "+place+"\nextends", 1)
	}
	for name, c := range map[string]struct {
		config string
		change func(*site)
		work   string
		says   string
	}{
		"closed":           {someConfig, func(s *site) { s.Pulls[7].State = "closed" }, "", "pull request 7 is closed"},
		"a fork":           {someConfig, func(s *site) { s.Pulls[7].HeadRepo = "mona/models" }, "", "comes from a fork: accept there"},
		"no run":           {someConfig, func(s *site) { s.Runs = nil }, "", "left an artifact xlagate-report; wait for the gate, or run it again"},
		"no artifact":      {someConfig, func(s *site) { s.Artifacts = nil }, "", "left an artifact xlagate-report; wait for the gate, or run it again"},
		"no result":        {someConfig, func(s *site) { s.ran(51, []byte("{}")) }, "", `the artifact of run 51: the schema is ""`},
		"no configuration": {"", nil, "", "fetch the pull request's baseline: xlagate.yaml at "},
		"a folder":         {"", func(s *site) { s.Trees[s.Commits[s.Pulls[7].HeadSHA].Tree]["xlagate.yaml/x"] = "" }, "", "is not a plain file"},
		"wrong":            {"version: 1\nnonsense: 2\n", nil, "", "xlagate.yaml:2:1: "},
		"in a registry":    {baseline("oci://ghcr.io/acme/base:main"), nil, "", "does not lie in the repository: accept where it can be written, with xlagate accept --from"},
		"of a revision":    {baseline("git:main:.xlagate"), nil, "", "the baseline git:main:.xlagate does not lie on the pull request's branch"},
		"outside":          {baseline("../base"), nil, "", "the baseline ../base does not lie in the repository"},
		"nowhere to work":  {someConfig, nil, occupied, "fetch the pull request's xlagate.yaml: mkdir"},
		"502": {someConfig, func(s *site) {
			f := fakegithub.Broken.On("repos/get-content", 0)
			f.Skip = 3
			s.Faults = append(s.Faults, f)
		}, "", "fetch the pull request's xlagate.yaml: fetch xlagate.yaml at "},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			files := map[string]string{"README.md": "hello"}
			if c.config != "" {
				files["xlagate.yaml"] = c.config
			}
			s.Pulls[7].HeadSHA = s.Commit(files, "head")
			s.Commit(files, "main")
			s.ran(50, report)
			if c.change != nil {
				c.change(s)
			}
			client := s.client("job")
			pr, err := client.PullRequest(t.Context(), 7)
			if err != nil {
				t.Fatal(err)
			}
			if c.work == "" {
				c.work = t.TempDir()
			}
			_, err = client.Accept(t.Context(), pr, Acceptance{Request: Request{Reason: "because"}, Config: "xlagate.yaml", Artifact: "xlagate-report", Work: c.work})
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, wanted %q", err, c.says)
			}
			if wrote := s.Writes(); len(wrote) > 0 {
				t.Errorf("written: %v", wrote)
			}
		})
	}
}

// The result is that of the newest run that left one, however many ran since.
func TestResultOfTheNewestRunThatLeftOne(t *testing.T) {
	s := newSite(t)
	s.ran(40, []byte(`"old"`))
	s.ran(50, []byte(`"new"`))
	for id := range int64(perPage) {
		s.ran(100+id, nil)
	}
	pr := PullRequest{Number: 7, Head: Branch{SHA: headSHA}}
	data, run, err := s.client("reader").resultFor(t.Context(), pr, "xlagate-report")
	if err != nil || run != 50 || string(data) != `"new"` {
		t.Errorf("%s of run %d, %v", data, run, err)
	}
	for id := range int64(perPage) {
		s.Artifacts = append(s.Artifacts, &fakegithub.Artifact{ID: 5000 + id, Run: 50, Name: "shard"})
	}
	s.Artifacts = append(s.Artifacts, &fakegithub.Artifact{ID: 6000, Run: 50, Name: "xlagate-report", Data: archive(t, zipped{"xlagate-report.json", 0o644, []byte(`"again"`)})})
	if data, err := s.client("reader").Artifact(t.Context(), 50, "xlagate-report"); err != nil || string(data) != `"again"` {
		t.Errorf("the newest artifact is on the second page: %s, %v", data, err)
	}
	s.Artifacts[len(s.Artifacts)-1].Data = []byte("<html>")
	if _, _, err := s.client("reader").resultFor(t.Context(), pr, "xlagate-report"); err == nil || errors.Is(err, ErrNothingToDo) {
		t.Errorf("a damaged artifact is not passed over: %v", err)
	}
}

// Only who may write to the repository may have something accepted.
func TestMayWrite(t *testing.T) {
	s := newSite(t)
	for permission, may := range map[string]bool{"admin": true, "write": true, "read": false, "none": false} {
		s.Permissions["mona"] = permission
		if got, err := s.client("job").MayWrite(t.Context(), "mona"); err != nil || got != may {
			t.Errorf("%s: %v, %v", permission, got, err)
		}
	}
}
