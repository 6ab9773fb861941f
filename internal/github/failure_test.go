package github

import (
	"context"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/github/fakegithub"
	"github.com/xlagate/xlagate/internal/report"
)

// asked is one request to GitHub as the program comes to it: what it says that it was doing, and the permission that it needs.
type asked struct {
	operation, doing, permission string
	do                           func(context.Context, *Client) error
}

// requests are all that the client asks for.
func requests(t *testing.T, s *site) []asked {
	t.Helper()
	tip := s.Commit(map[string]string{"xlagate.yaml": "version: 1"}, "first")
	fork := s.Commit(map[string]string{"a": "1"}, "second", tip)
	s.Pulls[7].HeadSHA, s.Pulls[7].BaseSHA = fork, tip
	s.Branches["wider"] = fork
	pr := PullRequest{Number: 7, State: "open", Head: Branch{SHA: fork, Ref: "wider"}, Base: Branch{SHA: tip}}
	pr.Head.Repo.FullName, pr.Base.Repo.FullName = repositoryUnderTest, repositoryUnderTest
	run := WorkflowRun{ID: 50, Attempt: 1, WorkflowID: 3, Event: "pull_request", HeadSHA: "0f0f0f0f", HeadBranch: "gone"}
	run.HeadRepository.FullName, run.HeadRepository.Owner.Login = repositoryUnderTest, "acme"
	s.Runs = append(s.Runs, &fakegithub.Run{ID: 50, Attempt: 1, Workflow: 3, Event: "pull_request", Status: "completed", HeadSHA: fork, HeadRepo: repositoryUnderTest})
	s.Artifacts = append(s.Artifacts, &fakegithub.Artifact{ID: 9, Run: 50, Name: "xlagate-report", Data: archive(t, zipped{"xlagate-report.json", 0o644, []byte("{}")})})
	check := Check{Name: "xlagate", Head: fork, ID: "a", Conclusion: "failure", Annotations: make([]report.Annotation, 60)}
	for i := range check.Annotations {
		check.Annotations[i] = report.Annotation{File: "a.py", Line: 1, Level: "error", Message: "m"}
	}
	file := func(ctx context.Context, c *Client) error { _, err := c.File(ctx, tip, "xlagate.yaml"); return err }
	commit := func(ctx context.Context, c *Client) error {
		_, err := c.Commit(ctx, pr, map[string][]byte{"a": []byte("2")}, "m")
		return err
	}
	id := int64(0)
	stick := func(mode string) func(context.Context, *Client) error {
		return func(ctx context.Context, c *Client) error {
			id++
			p := publication(found(int(id)), id)
			p.Head, p.Mode = fork, mode
			_, err := c.stick(ctx, 7, p.draft())
			return err
		}
	}
	answer := func(ctx context.Context, c *Client) error { return c.Answer(ctx, 7, 77, "+1", "done") }
	sides := func(ctx context.Context, c *Client) error { _, _, err := c.Sides(ctx, pr); return err }
	of := func(ctx context.Context, c *Client) error { _, err := c.PullRequestOf(ctx, run); return err }
	latest := func(ctx context.Context, c *Client) error { return c.Latest(ctx, run) }
	artifact := func(ctx context.Context, c *Client) error {
		_, err := c.Artifact(ctx, 50, "xlagate-report")
		return err
	}
	checks := func(ctx context.Context, c *Client) error { _, err := c.check(ctx, check); return err }
	return []asked{
		{"pulls/get", "ask for pull request 7", "the permission pull-requests: read", func(ctx context.Context, c *Client) error { _, err := c.PullRequest(ctx, 7); return err }},
		{"pulls/get", "ask for pull request 7", "the permission pull-requests: read", sides},
		{"repos/compare-commits", "find where " + short(fork) + " left " + short(tip), "the permission contents: read", sides},
		{"pulls/list", "look for the pull request of run 50", "the permission pull-requests: read", of},
		{"repos/list-pull-requests-associated-with-commit", "look for the pull request of run 50", "the permission pull-requests: read", of},
		{"actions/get-workflow-run", "ask for run 50", "the permission actions: read", latest},
		{"actions/list-workflow-runs", "list the runs for 0f0f0f0", "the permission actions: read", latest},
		{"actions/list-workflow-runs-for-repo", "list the runs for " + short(fork), "the permission actions: read", func(ctx context.Context, c *Client) error {
			_, err := c.ResultsFor(ctx, pr, Wanted{Artifact: "xlagate-report"})
			return err
		}},
		{"actions/list-workflow-run-artifacts", "list the artifacts of run 50", "the permission actions: read", artifact},
		{"actions/download-artifact", "download artifact xlagate-report of run 50", "the permission actions: read", artifact},
		{"repos/get-content", "fetch xlagate.yaml at " + short(tip), "the permission contents: read", file},
		{"git/get-blob", "fetch xlagate.yaml", "the permission contents: read", file},
		{"repos/get-collaborator-permission-level", "ask what mona may do", "a token that may", func(ctx context.Context, c *Client) error { _, err := c.MayWrite(ctx, "mona"); return err }},
		{"git/get-commit", "ask for commit " + short(fork), "the permission contents: read", func(ctx context.Context, c *Client) error { _, err := c.firstParent(ctx, fork); return err }},
		{"graphql createCommitOnBranch", "commit to the branch wider", "a token that may", commit},
		{"reactions/create-for-issue-comment", "react to the comment on pull request 7", "the permission pull-requests: write", answer},
		{"issues/create-comment", "answer on pull request 7", "the permission pull-requests: write", answer},
		{"issues/list-comments", "list the comments of pull request 7", "the permission pull-requests: read", stick(Update)},
		{"issues/create-comment", "comment on pull request 7", "the permission pull-requests: write", stick(Update)},
		{"checks/create", "make the check run xlagate", "the permission checks: write", checks},
		{"checks/update", "add annotations 51 to 60 of 60 to the check run", "the permission checks: write", checks},
		{"repos/create-commit-status", "set the commit status xlagate", "the permission statuses: write", func(ctx context.Context, c *Client) error { return c.status(ctx, check) }},
		{"code-scanning/upload-sarif", "upload the SARIF log for " + short(fork), "the permission security-events: write", func(ctx context.Context, c *Client) error { return c.uploadSARIF(ctx, fork, "refs/heads/wider", "{}") }},
		{"", "", "", stick(Update)}, // writes the comment that the rest finds
		{"issues/update-comment", "edit comment", "the permission pull-requests: write", stick(Update)},
		{"graphql viewer", "ask whose token this is", "a token that may", stick(Update)},
		{"graphql minimizeComment", "hide the earlier comment", "a token that may", stick(HideAndNew)},
	}
}

// unseen are the faults that leave an operation an answer: a file may hold anything.
var unseen = map[string]string{
	"git/get-blob": "a login, no list", "actions/download-artifact": "a login, no list", "repos/get-content": "no list", "code-scanning/upload-sarif": "cut",
}

// Whatever goes wrong at GitHub, the message names what was being done to which repository, the reason, and what to do next; it shows
// neither the token nor the address of a request.
func TestFailuresSayWhatToDo(t *testing.T) {
	s := newSite(t)
	for _, r := range requests(t, s) {
		if r.operation == "" {
			if err := r.do(t.Context(), s.client("job")); err != nil {
				t.Fatal(err)
			}
			continue
		}
		for name, c := range map[string]struct {
			fault fakegithub.Fault
			says  []string
		}{
			"401":      {fakegithub.Fault{Status: 401, Message: "Bad credentials"}, []string{"does not know the token (401): Bad credentials; ", "set GITHUB_TOKEN"}},
			"403":      {fakegithub.Forbidden, []string{"the token may not do this (403): Resource not accessible by integration; ", "give the job " + r.permission}},
			"409":      {fakegithub.Fault{Status: 409, Message: "Conflict here"}, []string{"(409): Conflict here; run this again"}},
			"410":      {fakegithub.Fault{Status: 410, Message: "Artifact has expired"}, []string{"(410): Artifact has expired; run the gate again"}},
			"418":      {fakegithub.Fault{Status: 418, Message: "I am a teapot"}, []string{"GitHub answers 418: I am a teapot"}},
			"422":      {fakegithub.Fault{Status: 422, Message: "Validation Failed"}, []string{"GitHub rejects it (422): Validation Failed"}},
			"429":      {fakegithub.TooMany, []string{"rate limit is used up (429)", "run this again later"}},
			"502":      {fakegithub.Broken, []string{"GitHub itself fails (502): Server Error; run this again later"}},
			"a page":   {fakegithub.Fault{Status: 503, Raw: "<html>\n<h1>Unicorn!</h1>"}, []string{"GitHub itself fails (503); run this again later"}},
			"a login":  {fakegithub.Fault{Status: 200, Raw: "<html>log in</html>"}, []string{"is GITHUB_API_URL right"}},
			"no list":  {fakegithub.Fault{Status: 200, Raw: `"x"`}, []string{"is GITHUB_API_URL right"}},
			"cut":      {fakegithub.Fault{Status: 200, Raw: `[{"id": 1`, Cut: true}, []string{"the answer was cut off; run this again"}},
			"dropped":  {fakegithub.Fault{Drop: true}, []string{"GitHub cannot be reached (", "run this again"}},
			"nowhere":  {fakegithub.Fault{Status: 302}, []string{"is GITHUB_API_URL right"}},
			"too long": {fakegithub.Fault{Status: 400, Message: strings.Repeat("no ", 500)}, []string{"GitHub answers 400: no no", "…"}},
		} {
			s.Do(func() { s.Faults = []*fakegithub.Fault{c.fault.On(r.operation, 0)} }) // a request that was given up may still be served
			if strings.Contains(unseen[r.operation], name) {
				continue
			}
			err := r.do(t.Context(), s.client("job"))
			if err == nil {
				t.Errorf("%s, %s: no error", r.doing, name)
				continue
			}
			for _, part := range append(c.says, r.doing, " in acme/models: ") {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%s, %s: %s\ndoes not say %q", r.doing, name, err, part)
				}
			}
			if strings.Contains(err.Error(), "http://") || strings.Contains(err.Error(), "Bearer") || len(err.Error()) > 700 {
				t.Errorf("%s, %s says too much: %s", r.doing, name, err)
			}
		}
	}
}

// What the GraphQL API refuses it says in an answer that looks well.
func TestGraphQLRefusal(t *testing.T) {
	s := newSite(t)
	refusal := fakegithub.Fault{Status: 200, Raw: `{"errors": [{"message": "Resource not accessible by integration"}]}`}
	s.Faults = append(s.Faults, refusal.On("graphql minimizeComment", 0))
	for id := range int64(2) {
		p := publication(found(int(id)+1), id+1)
		p.Mode = HideAndNew
		done := Publish(t.Context(), s.client("job"), p)
		want := ""
		if id > 0 {
			want = "hide the earlier comment in acme/models: Resource not accessible by integration"
		}
		if got := strings.Join(done.Warnings, "; "); got != want || len(s.Comments) != int(id)+1 {
			t.Errorf("%d comments, warned %q, wanted %q", len(s.Comments), got, want)
		}
	}
}
