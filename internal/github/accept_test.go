package github

import (
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/xlagate/xlagate/internal/github/fakegithub"
	"github.com/xlagate/xlagate/internal/result"
)

// ran adds a finished run of the gate for the head of pull request 7, which left a file behind.
func (s *site) ran(id int64, file []byte) {
	s.t.Helper()
	s.Runs = append(s.Runs, &fakegithub.Run{ID: id, Attempt: 1, Workflow: 3, File: "xlagate.yml", Event: "pull_request", Status: "completed", HeadSHA: s.Pulls[7].HeadSHA, HeadRef: "wider", HeadRepo: s.Pulls[7].HeadRepo})
	if file != nil {
		s.Artifacts = append(s.Artifacts, &fakegithub.Artifact{ID: id * 10, Run: id, Name: "xlagate-report", Data: archive(s.t, zipped{"xlagate-report.json", 0o644, file})})
	}
}

// Where there is nothing to accept on a pull request, the reason says so.
func TestNoResultToAccept(t *testing.T) {
	const none = "left an artifact xlagate-report of the gate default; wait for the gate, or run it again"
	for name, c := range map[string]struct {
		change func(*site)
		says   string
	}{
		"closed":      {func(s *site) { s.Pulls[7].State = "closed" }, "pull request 7 is closed"},
		"a fork":      {func(s *site) { s.Pulls[7].HeadRepo = "mona/models" }, "comes from a fork: accept there"},
		"no run":      {func(s *site) { s.Runs = nil }, none},
		"no artifact": {func(s *site) { s.Artifacts = nil }, none},
		"no result":   {func(s *site) { s.ran(51, []byte("{}")) }, `the artifact of run 51: the schema is ""`},
	} {
		s := newSite(t)
		s.ran(50, s.report(50, nil))
		c.change(s)
		if _, err := s.asked(time.Time{}); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, wanted %q", name, err, c.says)
		}
	}
}

// report is what the gate's run leaves behind for the head of pull request 7, with a change.
func (s *site) report(run int64, change func(*result.Result)) []byte {
	s.t.Helper()
	r := clean()
	r.Origin = &result.Origin{Repository: repositoryUnderTest, Key: DefaultKey, Head: s.Pulls[7].HeadSHA, Run: run}
	if change != nil {
		change(r)
	}
	data, err := json.Marshal(r)
	if err != nil {
		s.t.Fatal(err)
	}
	return data
}

// asked is a request to accept on pull request 7, made at a time.
func (s *site) asked(at time.Time) (Judged, error) {
	s.t.Helper()
	pr, err := s.client("reader").PullRequest(s.t.Context(), 7)
	if err != nil {
		s.t.Fatal(err)
	}
	want := Wanted{Artifact: DefaultArtifact, Key: DefaultKey, Before: at}
	r, err := s.client("reader").ResultsFor(s.t.Context(), pr, want)
	if err == nil {
		err = r.Unfit(pr, want)
	}
	if err != nil {
		return Judged{}, err
	}
	return *r.Own, nil
}

// The result is that of the newest run that left one, however many ran since.
func TestResultOfTheNewestRunThatLeftOne(t *testing.T) {
	s := newSite(t)
	s.ran(40, s.report(40, nil))
	s.ran(50, s.report(50, nil))
	for id := range int64(perPage) {
		s.ran(100+id, nil)
	}
	if r, err := s.asked(time.Time{}); err != nil || r.Run != 50 {
		t.Errorf("of run %d, %v", r.Run, err)
	}
	for id := range int64(perPage) {
		s.Artifacts = append(s.Artifacts, &fakegithub.Artifact{ID: 5000 + id, Run: 50, Name: "shard"})
	}
	s.Artifacts = append(s.Artifacts, &fakegithub.Artifact{ID: 6000, Run: 50, Name: "xlagate-report", Data: archive(t, zipped{"xlagate-report.json", 0o644, []byte(`"again"`)})})
	if data, err := s.client("reader").Artifact(t.Context(), 50, "xlagate-report"); err != nil || string(data) != `"again"` {
		t.Errorf("the newest artifact is on the second page: %s, %v", data, err)
	}
	s.Artifacts[len(s.Artifacts)-1].Data = []byte("<html>")
	if _, err := s.asked(time.Time{}); err == nil || errors.Is(err, ErrNothingToDo) {
		t.Errorf("a damaged artifact is not passed over: %v", err)
	}
}

// A result is accepted when it is this gate's, of this repository and head, and there when it was asked for. Nothing else is.
func TestResultIsBoundToWhatWasJudged(t *testing.T) {
	comment := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	later := comment.Add(time.Minute)
	for name, c := range map[string]struct {
		change func(*site)
		says   string // "": it is accepted
	}{
		"as it was": {func(*site) {}, ""},
		"made elsewhere": {func(s *site) {
			s.ran(60, s.report(60, func(r *result.Result) { r.Origin = nil }))
		}, "the artifact of run 60: it does not say what it judged"},
		"another repository's": {func(s *site) {
			s.ran(60, s.report(60, func(r *result.Result) { r.Origin.Repository = "eve/models" }))
		}, "the artifact of run 60: it is of eve/models, not of acme/models"},
		"another head's": {func(s *site) {
			s.ran(60, s.report(60, func(r *result.Result) { r.Origin.Head = baseSHA }))
		}, "the artifact of run 60: it judged b2b2b2b, not the head a1a1a1a"},
		"another run's": {func(s *site) { s.ran(60, s.report(50, nil)) }, "the artifact of run 60: it was made by run 50"},
		"another gate's beside it": {func(s *site) {
			s.ran(60, s.report(60, func(r *result.Result) { r.Origin.Key = "tpu" }))
			s.Runs[1].Workflow = 4
		}, ""},
		"another gate's alone": {func(s *site) {
			s.Runs = nil
			s.ran(60, s.report(60, func(r *result.Result) { r.Origin.Key = "tpu" }))
		}, "left an artifact xlagate-report of the gate default before 2026-06-01T12:00:00Z"},
		"another gate's in the same run": {func(s *site) {
			other := s.report(50, func(r *result.Result) { r.Origin.Key = "tpu" })
			s.Artifacts = append(s.Artifacts, &fakegithub.Artifact{ID: 510, Run: 50, Name: "xlagate-report-tpu", Data: archive(s.t, zipped{"xlagate-report-tpu.json", 0o644, other})})
		}, ""},
		"two workflows'": {func(s *site) {
			s.ran(60, s.report(60, nil))
			s.Runs[1].Workflow = 4
		}, "runs 60 and 50 of two workflows left an artifact xlagate-report of the gate default; name one: --workflow FILE"},
		"a fork's branch of the same name": {func(s *site) {
			s.ran(60, s.report(60, nil))
			s.Runs[1].HeadRepo = "eve/models"
		}, ""},
		"not finished": {func(s *site) {
			s.ran(60, s.report(60, nil))
			s.Runs[1].Status = "in_progress"
		}, ""},
		"of a later run": {func(s *site) {
			s.ran(60, s.report(60, nil))
			s.Runs[1].Created = later
		}, ""},
		"of a later run alone": {func(s *site) { s.Runs[0].Created = later }, "before 2026-06-01T12:00:00Z; wait for the gate"},
		"a later attempt's":    {func(s *site) { s.Artifacts[0].Created = later }, "before 2026-06-01T12:00:00Z; wait for the gate"},
		"a push since": {func(s *site) {
			s.Pulls[7].HeadSHA = baseSHA
			s.ran(60, s.report(60, nil))
			s.Runs[1].Created = later
		}, "the pull request is at b2b2b2b, but was at a1a1a1a when it was to be accepted: look at what its new run says"},
		"set back since to what was judged earlier": {func(s *site) {
			s.ran(60, s.report(60, func(r *result.Result) { r.Origin.Head = baseSHA }))
			s.Runs[1].HeadSHA = baseSHA
		}, "the pull request is at a1a1a1a, but was at b2b2b2b when it was to be accepted"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			s.ran(50, s.report(50, nil))
			c.change(s)
			r, err := s.asked(comment)
			if c.says == "" && (err != nil || r.Run != 50) || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
				t.Errorf("run %d, %v; wanted %q", r.Run, err, c.says)
			}
		})
	}
	s := newSite(t)
	s.ran(50, s.report(50, nil))
	s.ran(60, s.report(60, nil))
	s.Runs[1].Workflow, s.Runs[1].File = 4, "other.yml"
	pr, err := s.client("reader").PullRequest(t.Context(), 7)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := s.client("reader").ResultsFor(t.Context(), pr, Wanted{Artifact: DefaultArtifact, Key: DefaultKey, Workflow: "xlagate.yml"}); err != nil || r.Own.Run != 50 {
		t.Errorf("of the workflow that is named: %+v, %v", r, err)
	}
}

// A commit goes on top of just what was judged: not onto a branch that moved on, and not onto one that was set back meanwhile.
func TestCommitOntoWhatWasJudged(t *testing.T) {
	files := map[string]string{"old": "1", "model.py": "1"}
	for name, c := range map[string]struct {
		change func(s *site, first, second string)
		says   string // "": it is committed
	}{
		"as it was": {func(*site, string, string) {}, ""},
		"the answer is lost": {func(s *site, _, _ string) {
			f := fakegithub.Broken
			f.Done = true
			s.Faults = append(s.Faults, f.On("graphql createCommitOnBranch", 1))
		}, ""},
		"it moved on":     {func(s *site, _, second string) { s.Branches["wider"] = s.Commit(files, "third", second) }, "the branch is no longer at "},
		"it was set back": {func(s *site, first, _ string) { s.Branches["wider"] = first }, "the branch is no longer at "},
		"another's of the same text": {func(s *site, first, _ string) {
			s.Branches["wider"] = s.Commit(files, "Accept\n\nBecause\n", first)
			s.Pulls[7].HeadSHA = s.Branches["wider"]
		}, "the branch is no longer at "},
		"it is gone": {func(s *site, _, _ string) { delete(s.Branches, "wider") }, "the branch is no longer at "},
		"no right":   {func(s *site, _, _ string) { s.Tokens["job"] = s.Tokens["reader"] }, "give the job the permission contents: write"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			first := s.Commit(files, "first")
			second := s.Commit(files, "second", first)
			s.Branches["wider"], s.Pulls[7].HeadSHA = second, second
			c.change(s, first, second)
			was := s.Branches["wider"]
			made, err := s.client("job").Commit(t.Context(), PullRequest{Number: 7, Head: Branch{SHA: second, Ref: "wider"}}, map[string][]byte{"new": []byte("ä"), "old": nil}, "Accept\n\nBecause\n")
			tip := s.Branches["wider"]
			if c.says != "" {
				if err == nil || !strings.Contains(err.Error(), c.says) || tip != was {
					t.Errorf("%v, wanted %q; the branch is at %s, was at %s", err, c.says, tip, was)
				}
				return
			}
			if err != nil || made != tip || s.Commits[tip].Parents[0] != second || s.Commits[tip].Message != "Accept\n\nBecause\n" || !maps.Equal(s.Files(tip), map[string]string{"model.py": "1", "new": "ä"}) {
				t.Errorf("%v: %s %+v %v", err, made, s.Commits[tip], s.Files(tip))
			}
		})
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
