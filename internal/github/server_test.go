package github

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/github/fakegithub"
	"github.com/xlagate/xlagate/internal/report"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/webpage"
)

const repositoryUnderTest = "acme/models"

var (
	headSHA = strings.Repeat("a1", 20)
	baseSHA = strings.Repeat("b2", 20)
)

// site is a fake GitHub with one open pull request, number 7, from a branch of the repository itself.
type site struct {
	*fakegithub.Server
	t     *testing.T
	waits []time.Duration // what the client waited for
}

func newSite(t *testing.T) *site {
	t.Helper()
	return newSiteAt(t, "/api/v3")
}

func newSiteAt(t *testing.T, prefix string) *site {
	t.Helper()
	s := &site{Server: fakegithub.New(repositoryUnderTest, prefix), t: t}
	s.Tokens["job"] = fakegithub.Token{Login: "github-actions[bot]", ID: 41898282, Bot: true, Rights: []string{"*"}}
	s.Tokens["reader"] = fakegithub.Token{Login: "github-actions[bot]", ID: 41898282, Bot: true}
	s.Tokens["person"] = fakegithub.Token{Login: "mona", ID: 17, Rights: []string{"issues", "statuses", "contents"}}
	s.Pulls[7] = &fakegithub.Pull{Number: 7, State: "open", HeadSHA: headSHA, HeadRef: "wider", HeadRepo: repositoryUnderTest, BaseSHA: baseSHA, BaseRef: "main"}
	t.Cleanup(func() {
		s.Close()
		for _, v := range s.Violations {
			t.Errorf("not as GitHub describes it: %s", v)
		}
	})
	return s
}

// client is a client that does not really wait.
func (s *site) client(token string) *Client {
	s.t.Helper()
	c, err := New(Options{API: s.API(), GraphQL: s.GraphQL(), Token: token, Repository: repositoryUnderTest, Agent: "xlagate/test",
		Wait: func(_ context.Context, d time.Duration) error { s.waits = append(s.waits, d); return nil }})
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

// found is a result with so many changes, each of which breaks a rule; clean is one in which nothing differs.
func found(n int) *result.Result {
	r := clean()
	r.Verdict, r.ExitCode, r.Summary.Changes, r.Summary.Errors = "fail", 1, n, n
	for i := range n {
		id, finding := fmt.Sprintf("%012x", i), fmt.Sprintf("f%011x", i)
		r.Changes = append(r.Changes, result.Change{
			ID: id, Level: "error", Target: "mlp", Program: "train_step", Edit: result.Edit{Kind: changes.KindCode, Title: "a tanh has a second user", Source: result.Source{File: "/w/model.py", Line: i + 1}},
			Price: result.Price{StepNS: 900, StepWasNS: 45_000}, Findings: []string{finding}, Decision: result.Decision{Accept: result.AcceptCommand(nil, id)},
		})
		r.Findings = append(r.Findings, result.Finding{
			ID: finding, Change: id, Rule: "max-kernels", Level: "error", Target: "mlp", Program: "train_step", Subject: "kernels.total",
			Message: fmt.Sprintf("%d kernels: at most 19 allowed", 20+i), Actual: float64(20 + i), Limit: 19.0, Baseline: 19.0,
		})
	}
	return r
}

func clean() *result.Result {
	return &result.Result{Schema: result.Schema, Verdict: "pass", Summary: result.Summary{Checks: 12, Targets: 1, Programs: 1}, Changes: []result.Change{}, Findings: []result.Finding{},
		Targets: []result.Target{{Name: "mlp", Dump: "build/xla", NotCovered: []string{}, Programs: []result.Program{}}}}
}

// publication is what run number id says of a result.
func publication(r *result.Result, id int64) Publication {
	return Publication{
		Comment:     report.Comment{Result: r, Run: id, Full: fmt.Sprintf("https://github.invalid/acme/models/actions/runs/%d", id)},
		Report:      report.Options{Options: webpage.Options{Root: "/w"}},
		PullRequest: 7, Head: headSHA, Ref: "refs/pull/7/head", Run: Run{id, 1}, At: time.Unix(1_790_000_000+id, 0), Key: DefaultKey, Mode: Update,
	}
}

// post publishes and fails the test on a warning.
func (s *site) post(p Publication) Posted {
	s.t.Helper()
	done := Publish(context.Background(), s.client("job"), p)
	for _, w := range done.Warnings {
		s.t.Errorf("warning: %s", w)
	}
	return done
}

func (s *site) wantWrites(want ...string) {
	s.t.Helper()
	if got := s.Writes(); strings.Join(got, "\n") != strings.Join(want, "\n") {
		s.t.Errorf("written:\n%s\nwanted:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
