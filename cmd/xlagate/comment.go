package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/baseline"
	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/github"
	"github.com/xlagate/xlagate/internal/report"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/webpage"
)

func commentCommand(w world) *cli.Command {
	return &cli.Command{
		Name:      "comment",
		Usage:     "post a result to GitHub: comment, check run, annotations, step summary",
		ArgsUsage: "RESULT.json",
		Category:  results,
		Description: "xlagate comment result.json                        in a job of GitHub Actions, on its pull request\n" +
			"xlagate comment result.json --repo O/N --pr 7      from anywhere, with GITHUB_TOKEN set\n" +
			"xlagate comment --workflow-run                     in a workflow_run job: the result in the run's artifact, for pull requests from forks",
		Flags: append(postFlags(),
			&cli.StringSliceFlag{Name: "config", Aliases: []string{"c"}, Value: cli.NewStringSlice(config.FileName), Usage: "the rule `FILE`, from the root of the repository; repeatable", DefaultText: "those that the result names; with --workflow-run, " + config.FileName},
			&cli.StringFlag{Name: "repo", Usage: "the repository, `OWNER/NAME` (default: the job's)"},
			&cli.IntFlag{Name: "pr", Usage: "the pull request's `NUMBER`", DefaultText: "the job's"},
			&cli.StringFlag{Name: "head", Usage: "the `COMMIT` that was checked (default: the pull request's head)"},
			&cli.BoolFlag{Name: "workflow-run", Usage: "take the pull request from a workflow_run event and the result from that run's artifact"},
			&cli.StringFlag{Name: "artifact", Value: github.DefaultArtifact, Usage: "the artifact's `NAME`; it holds NAME.json"},
			&cli.BoolFlag{Name: "dry-run", Usage: "print the comment instead of posting anything"},
		),
		Action: func(c *cli.Context) error { return comment(c, w) },
	}
}

// postFlags are the flags of comment and check that say how to post a result.
func postFlags() []cli.Flag {
	return []cli.Flag{
		keyFlag(),
		choice(&cli.StringFlag{Name: "mode", Value: github.Update, Category: githubHeading, Usage: "`HOW`: " + strings.Join(github.Modes, ", ")}),
		&cli.BoolFlag{Name: "check-run", Category: githubHeading, Usage: "post a check run with annotations (checks: write), or else a commit status"},
		&cli.BoolFlag{Name: "accept-command", Category: githubHeading, Usage: "show the line /xlagate accept in the comment; needs the workflow xlagate-accept.yml (docs/github.md)"},
		&cli.BoolFlag{Name: "upload-sarif", Category: githubHeading, Usage: "upload the findings to code scanning (security-events: write)"},
	}
}

func keyFlag() cli.Flag {
	return &cli.StringFlag{
		Name: "key", Value: github.DefaultKey, Category: githubHeading, Usage: "the gate's `NAME`: each gate has its own comment and check",
		Action: func(_ *cli.Context, key string) error {
			if !github.ValidKey(key) {
				return wrongUsage("--key is %q; expected letters, digits, '.', '_', '/' and '-', at most 64", key)
			}
			return nil
		},
	}
}

// origin is what a job of GitHub Actions judges; nil outside of one.
func origin(c *cli.Context, w world) *result.Origin {
	env, err := github.ReadEnvironment(w.getenv)
	if err != nil || !env.Actions {
		return nil
	}
	return &result.Origin{Repository: env.Repository, Key: c.String("key"), Head: cmp.Or(env.Event.PullRequest.Head.SHA, env.SHA), Run: env.Run.ID}
}

// post is one posting, as far as flags and environment describe it.
type post struct {
	env    github.Environment
	client *github.Client // nil without a token
	pr     int
	head   string
	run    github.Run
	base   github.PullRequest
	report bool // the pull request controls the run that made the result
}

func comment(c *cli.Context, w world) error {
	if c.Bool("workflow-run") == c.Args().Present() || c.NArg() > 1 {
		return wrongUsage("comment takes one result (xlagate comment RESULT.json) or --workflow-run")
	}
	p, err := newPost(c, w)
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(c.Context, postingTime)
	defer stop()
	r, err := p.result(ctx, c, w)
	if errors.Is(err, github.ErrNothingToDo) {
		w.say(err.Error())
		return nil
	}
	if err != nil {
		return incomplete(w, err)
	}
	p.complete(ctx, w)
	looked := r.Verdict != "incomplete" // otherwise the check has failed already
	p.judgeByBase(ctx, r, p.ruleFilesOf(c, r), p.remotePolicies(ctx))
	publication := p.publication(c, r)
	publication.Comment.Artifact = c.String("artifact")
	if err := c.Context.Err(); err != nil {
		return err
	}
	if c.Bool("dry-run") {
		publication.Report.MaxBytes = github.MaxComment
		_, err := fmt.Fprint(w.out, publication.Comment.Markdown(publication.Report))
		return err
	}
	p.publish(ctx, w, publication)
	if looked && r.Verdict == "incomplete" {
		return verdict(gate.ExitIncomplete)
	}
	return c.Context.Err()
}

// postingTime limits the time for posting, so that a job does not hang.
const postingTime = 5 * time.Minute

func newPost(c *cli.Context, w world) (*post, error) {
	env, client, err := onRepository(c, w)
	if err != nil {
		return nil, err
	}
	p := &post{env: env, client: client, pr: env.Event.PullRequest.Number, head: env.Event.PullRequest.Head.SHA, run: env.Run, base: env.Event.PullRequest}
	if n := c.Int("pr"); n != 0 && n != p.pr {
		p.pr, p.head, p.base = n, "", github.PullRequest{}
	}
	if head := c.String("head"); head != "" {
		if !github.ValidCommit(head) {
			return nil, wrongUsage("--head is %q; expected the full name of a commit", head)
		}
		p.head = head
	}
	return p, nil
}

// onRepository returns the environment with the repository that the flags name, and a client for it; the client is nil without a token.
func onRepository(c *cli.Context, w world) (github.Environment, *github.Client, error) {
	env, err := github.ReadEnvironment(w.getenv)
	if err != nil {
		return env, nil, gate.UsageError{Message: err.Error()}
	}
	if repo := c.String("repo"); repo != "" {
		env.Repository = repo
	}
	if env.Token == "" {
		return env, nil, nil
	}
	client, err := github.New(github.Options{API: env.API, GraphQL: env.GraphQL, Token: env.Token, Repository: env.Repository, Agent: "xlagate/" + version()})
	if err != nil {
		return env, nil, gate.UsageError{Message: err.Error()}
	}
	return env, client, nil
}

// result reads the result from its file, or from the artifact of the run in the event: then the commands that people paste are this gate's, not those that
// the pull request's run says.
func (p *post) result(ctx context.Context, c *cli.Context, w world) (*result.Result, error) {
	if !c.Bool("workflow-run") {
		return readResult(w, c.Args().First())
	}
	run := p.env.Event.WorkflowRun
	switch {
	case p.client == nil:
		return nil, wrongUsage("--workflow-run needs a token: set GITHUB_TOKEN")
	case run.ID == 0:
		return nil, wrongUsage("--workflow-run needs the event of a workflow_run; GITHUB_EVENT_PATH names none")
	case run.Event != "pull_request":
		return nil, fmt.Errorf("%w: run %d was started by %s, not by a pull request", github.ErrNothingToDo, run.ID, run.Event)
	}
	if err := p.client.Latest(ctx, run); err != nil {
		return nil, err
	}
	pr, err := p.client.PullRequestOf(ctx, run)
	if err != nil {
		return nil, err
	}
	p.pr, p.head, p.base, p.run, p.report = pr.Number, run.HeadSHA, pr, github.Run{ID: run.ID, Attempt: run.Attempt}, true
	data, err := p.client.Artifact(ctx, run.ID, c.String("artifact"))
	if err != nil {
		return nil, err
	}
	r, err := result.Read(data)
	if err == nil {
		r.SetOptions(fromTop(c.StringSlice("config")[0]))
		r.DropFixes()
	}
	return r, err
}

// complete asks GitHub for the fields of the pull request that neither flags nor the event hold.
func (p *post) complete(ctx context.Context, w world) {
	if p.client == nil || p.pr == 0 || p.base.Number == p.pr && p.head != "" {
		return
	}
	pr, err := p.client.PullRequest(ctx, p.pr)
	if err != nil {
		if ctx.Err() == nil {
			w.warn(err.Error())
		}
		return
	}
	p.base = pr
	p.head = cmp.Or(p.head, pr.Head.SHA)
}

func (p *post) publication(c *cli.Context, r *result.Result) github.Publication {
	out := github.Publication{
		Comment:     report.Comment{Result: r, Reported: p.report, Run: p.run.ID, Full: p.env.RunURL(p.run)},
		Report:      report.Options{Options: webpage.Options{Root: p.env.Workspace, Version: version()}},
		StepFiles:   p.env.StepFiles,
		PullRequest: p.pr, Head: cmp.Or(p.head, p.env.SHA), Ref: p.env.Ref, Run: p.run, At: time.Now(),
		Key: c.String("key"), Mode: c.String("mode"), Check: c.Bool("check-run"), SARIF: c.Bool("upload-sarif"),
	}
	if p.pr != 0 {
		out.Ref = fmt.Sprintf("refs/pull/%d/head", p.pr)
	}
	out.Comment.Head = out.Head
	elsewhere := func(t result.Target) bool { return baseline.Remote(t.Baseline) } // a comment can refresh only a baseline on the pull request's branch
	out.Comment.Trigger = c.Bool("accept-command") && !p.base.Fork() && !slices.ContainsFunc(r.Targets, elsewhere)
	return out
}

// fromTop returns the options with which accept finds a rule file at the top of the repository.
func fromTop(file string) []string {
	if file == "" || file == config.FileName {
		return nil
	}
	return []string{"-c", file}
}

// publish posts and prints the outcome on the error stream. It returns no error: the verdict is already decided.
func (p *post) publish(ctx context.Context, w world, publication github.Publication) {
	done := github.Publish(ctx, p.client, publication)
	for _, text := range done.Warnings {
		w.warn(text)
	}
	switch o := done.Comment; {
	case o.Done != "":
		fmt.Fprintf(w.err, "xlagate: %s the comment %s\n", o.Done, o.URL)
	case o.Why != "":
		fmt.Fprintf(w.err, "xlagate: no comment written: %s\n", o.Why)
	case p.pr == 0 && !p.env.Actions:
		w.warn("no comment written: the pull request is not known; name it: --repo OWNER/NAME --pr NUMBER, with GITHUB_TOKEN set")
	}
	if p.env.Actions {
		fmt.Fprint(w.err, done.Commands)
	}
}
