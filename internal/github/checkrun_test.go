package github

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/github/fakegithub"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/testfile"
)

// What could not be checked is a failure, as what fails is.
func TestIncompleteIsAFailure(t *testing.T) {
	for code, want := range map[int]string{0: "success", 1: "failure", 3: "failure"} {
		r := clean()
		r.ExitCode = code
		p := publication(r, 1)
		if got := p.check().Conclusion; got != want {
			t.Errorf("exit code %d: %s", code, got)
		}
	}
}

func TestCheckRun(t *testing.T) {
	s := newSite(t)
	p := publication(found(120), 1)
	p.Check, p.PullRequest = true, 0
	p.Comment.Result.Changes[3].Source = result.Source{}
	done := s.post(p)
	s.wantWrites("checks/create 201", "checks/update 200", "checks/update 200")
	k := s.Checks[0]
	if k.Name != "xlagate" || k.Conclusion != "failure" || k.Title != "120 errors" || k.Head != headSHA || done.Check == "" || done.Commands != "" {
		t.Errorf("%s %s %q %s %q %q", k.Name, k.Conclusion, k.Title, k.Head, done.Check, done.Commands)
	}
	if len(k.Annotations) != 120 {
		t.Fatalf("%d annotations", len(k.Annotations))
	}
	if strings.Contains(k.Summary, "left out here") {
		t.Errorf("nothing is left out, and yet: %.80s", k.Summary)
	}
	first := k.Annotations[0]
	if first["path"] != "model.py" || first["start_line"] != 1.0 || first["annotation_level"] != "failure" || !strings.Contains(first["message"].(string), "a tanh has a second user\npredicted step +900 ns (+2.0 %)\nbreaks max-kernels: 20 kernels: at most 19 allowed\n") {
		t.Errorf("%v", first)
	}
	if details := s.Requests[0].Body["details_url"]; details != "https://github.invalid/acme/models/actions/runs/1" {
		t.Errorf("details at %v", details)
	}
	if nowhere := k.Annotations[3]; nowhere["path"] != "xlagate.yaml" || nowhere["start_line"] != 1.0 {
		t.Errorf("a change without a source line: %v", nowhere)
	}
}

func TestCheckRunIsBounded(t *testing.T) {
	s := newSite(t)
	p := publication(found(10_000), 1)
	p.Check = true
	s.post(p)
	if n := s.Count("checks/create") + s.Count("checks/update"); n != maxAnnotations/perRequest {
		t.Errorf("%d requests", n)
	}
	k := s.Checks[0]
	if len(k.Annotations) != maxAnnotations || len(k.Summary) > 65_535 || !strings.HasPrefix(k.Summary, "9500 more annotations are left out here.") {
		t.Errorf("%d annotations, %d bytes: %.80s", len(k.Annotations), len(k.Summary), k.Summary)
	}
	if body := s.Comments[0].Body; len(body) > MaxComment || !strings.Contains(body, "more errors") {
		t.Errorf("the comment has %d bytes", len(body))
	}
}

// TestCheckRunOnce loses the answer to a check run that was made.
func TestCheckRunOnce(t *testing.T) {
	for name, done := range map[string]bool{"done": true, "not done": false} {
		s := newSite(t)
		lost := fakegithub.Broken
		lost.Done = done
		s.Faults = append(s.Faults, lost.On("checks/create", 1))
		p := publication(found(60), 1)
		p.Check, p.Mode = true, Off
		s.post(p)
		if len(s.Checks) != 1 || len(s.Checks[0].Annotations) != 60 {
			t.Errorf("%s: %d checks", name, len(s.Checks))
		}
	}
}

// TestStatus posts with a person's token: check runs are for apps.
func TestStatus(t *testing.T) {
	s := newSite(t)
	p := publication(found(1), 1)
	p.Check, p.Key = true, "serving"
	done := Publish(context.Background(), s.client("person"), p)
	if len(done.Warnings) > 0 || !strings.Contains(done.Commands, "::error ") {
		t.Errorf("%+v", done)
	}
	if len(s.Statuses) != 1 || *s.Statuses[0] != (fakegithub.Status{SHA: headSHA, Context: "xlagate (serving)", State: "failure", Description: "1 error"}) {
		t.Errorf("%+v", s.Statuses)
	}
	if body := s.Requests[len(s.Requests)-1].Body; body["target_url"] != "https://github.invalid/acme/models/actions/runs/1" {
		t.Errorf("%v", body)
	}
}

func TestSARIFUpload(t *testing.T) {
	s := newSite(t)
	p := publication(found(2), 1)
	p.SARIF = true
	s.post(p)
	packed, err := base64.StdEncoding.DecodeString(s.SARIF[0])
	if err != nil {
		t.Fatal(err)
	}
	var log struct {
		Version string
		Runs    []struct{ Results []any }
	}
	if err := json.Unmarshal(testfile.Gunzip(t, packed), &log); err != nil || log.Version != "2.1.0" || len(log.Runs[0].Results) != 2 {
		t.Errorf("%v %+v", err, log)
	}
}

// A log that code scanning would not take is not sent.
func TestSARIFTooLarge(t *testing.T) {
	s := newSite(t)
	noise := rand.NewChaCha8([32]byte{})
	log := make([]byte, maxSARIF+1)
	_, _ = noise.Read(log)
	err := s.client("job").uploadSARIF(t.Context(), headSHA, "refs/heads/wider", string(log))
	if err == nil || !strings.Contains(err.Error(), "bytes compressed; GitHub takes 10485760") || len(s.Requests) > 0 {
		t.Errorf("%v, %d requests", err, len(s.Requests))
	}
}

func TestWithin(t *testing.T) {
	for in, want := range map[string]string{"short": "short", "0123456789ab": "0123456…", "012345öbcdefg": "012345…", "01234层层层": "01234…"} {
		if got := within(in, 10); got != want || len(got) > 10 {
			t.Errorf("%q: %q, wanted %q", in, got, want)
		}
	}
}
