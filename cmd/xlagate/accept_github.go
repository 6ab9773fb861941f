package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/github"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
)

// pullRequestFlags are the flags of accept on a pull request on GitHub, without a checkout.
func pullRequestFlags() []cli.Flag {
	return []cli.Flag{
		&cli.IntFlag{Name: "pull-request", Category: githubHeading, Usage: "commit the baseline to pull request `NUMBER` on GitHub, from its own run's result", DefaultText: "none"},
		&cli.BoolFlag{Name: "from-event", Category: githubHeading, Usage: "the same, for the comment that started this job: /xlagate accept ID REASON"},
		&cli.StringFlag{Name: "repo", Category: githubHeading, Usage: "the repository, `OWNER/NAME` (default: the job's)"},
		&cli.StringFlag{Name: "workflow", Category: githubHeading, Usage: "take only results of this workflow `FILE`, such as xlagate.yml"},
		&cli.StringFlag{Name: "key", Value: github.DefaultKey, Category: githubHeading, Usage: "the `NAME` of the gate whose result is accepted"},
		&cli.StringFlag{Name: "artifact", Value: github.DefaultArtifact, Category: githubHeading, Usage: "the `NAME` of the artifact that holds the result"},
	}
}

// request says what to accept on which pull request, and who asked.
type request struct {
	github.Request
	pr      int
	comment int64
	by      string
	at      time.Time // of the comment; zero where there is none
	wrong   error     // why the comment cannot be carried out
}

func acceptOnGitHub(c *cli.Context, w world) error {
	env, client, err := onRepository(c, w)
	if err != nil {
		return err
	}
	if client == nil {
		return wrongUsage("accepting on a pull request needs a token that can write: set GITHUB_TOKEN")
	}
	ctx, stop := context.WithTimeout(c.Context, postingTime)
	defer stop()
	asked, err := requestOf(ctx, c, env, client)
	if errors.Is(err, github.ErrNoRequest) || errors.Is(err, github.ErrNothingToDo) {
		w.say(err.Error())
		return nil
	}
	if err != nil {
		return err
	}
	err = acceptRequest(ctx, c, w, client, asked)
	if errors.Is(err, errOtherGate) {
		w.say(err.Error())
		return nil
	}
	if err != nil {
		answer(ctx, w, client, asked, "-1", "Nothing was accepted: "+oneLine(err.Error()))
	}
	return err
}

// requestOf reads the request from the flags, or from the comment of a user with write access. Comments of other users get no answer.
func requestOf(ctx context.Context, c *cli.Context, env github.Environment, client *github.Client) (*request, error) {
	if !c.Bool("from-event") {
		return &request{Request: github.Request{IDs: ids(c.StringSlice("only")), Reason: c.String("reason")}, pr: c.Int("pull-request"), by: env.Event.Sender.Login}, nil
	}
	e := env.Event
	if env.EventName != "issue_comment" || e.Action != "created" || e.Issue.PullRequest == nil {
		return nil, fmt.Errorf("%w: the event is not a new comment on a pull request", github.ErrNothingToDo)
	}
	asked := &request{pr: e.Issue.Number, comment: e.Comment.ID, by: e.Comment.User.Login, at: e.Comment.At}
	asked.Request, asked.wrong = github.ParseRequest(e.Comment.Body)
	if errors.Is(asked.wrong, github.ErrNoRequest) {
		return nil, asked.wrong
	}
	may, err := client.MayWrite(ctx, asked.by)
	if err != nil {
		return nil, err
	}
	if !may {
		return nil, fmt.Errorf("%s may not write to %s: nothing was accepted", asked.by, client.Repository())
	}
	return asked, nil
}

// acceptRequest carries out a request and reports the outcome. Nothing of the pull request is checked out or run.
func acceptRequest(ctx context.Context, c *cli.Context, w world, client *github.Client, asked *request) error {
	pr, err := client.PullRequest(ctx, asked.pr)
	if err != nil {
		return err
	}
	wanted := github.Wanted{Before: asked.at, Artifact: c.String("artifact"), Workflow: c.String("workflow"), Key: c.String("key")}
	found, err := client.ResultsFor(ctx, pr, wanted)
	if err != nil {
		return err
	}
	if len(found.Others) > 0 && asked.comment != 0 {
		if err := asked.divide(wanted.Key, found); err != nil {
			return err
		}
	}
	if err := cmp.Or(asked.wrong, found.Unfit(pr, wanted)); err != nil {
		return err
	}
	from := found.Own
	done, changed, err := acceptOnBranch(ctx, client, pr, cmp.Or(c.String("config"), config.FileName), from.Result, asked)
	if err != nil {
		return err
	}
	sayLeft(w, done)
	if len(changed) == 0 {
		fmt.Fprintf(w.out, "nothing to accept: the baseline is up to date (run %d)\n", from.Run)
		answer(ctx, w, client, asked, "+1", strings.TrimSpace(remaining(done)))
		return nil
	}
	commit, err := client.Commit(ctx, pr, changed, asked.message(done))
	if err != nil {
		return err
	}
	w.printf("committed %s to pull request %d from run %d: %s\n", commit, asked.pr, from.Run, strings.Join(slices.Sorted(maps.Keys(changed)), ", "))
	answer(ctx, w, client, asked, "+1", fmt.Sprintf("Accepted from run %d in %s. Commits made with a job's own token start no workflow: close and reopen the pull request to run the gate again, or give the job the token of a GitHub App.", from.Run, commit)+remaining(done))
	return nil
}

// errOtherGate says that a comment is left to another gate of the repository.
var errOtherGate = errors.New("the comment is for another gate")

// divide takes from a comment what is meant for this gate, where a pull request has several: each of them reads the comment. Ids belong to the gate
// whose result has them, "all" to the only gate that found something. It returns [errOtherGate] if the comment is for others.
func (asked *request) divide(key string, found github.Results) error {
	gates := map[string]*result.Result{}
	for _, j := range found.Others {
		gates[j.Origin.Key] = j.Result
	}
	if found.Own != nil {
		gates[key] = found.Own.Result
	}
	if len(asked.IDs) == 0 {
		return meantFor(key, gates)
	}
	unknown := slices.DeleteFunc(slices.Clone(asked.IDs), func(id string) bool {
		return slices.ContainsFunc(slices.Collect(maps.Values(gates)), func(r *result.Result) bool { return r.Holds(id) })
	})
	switch {
	case len(unknown) > 0 && found.Own == nil:
		return nil // it may have them once it ran
	case len(unknown) > 0:
		return wrongUsage("no change or finding of the gates %s is called %s", strings.Join(slices.Sorted(maps.Keys(gates)), ", "), strings.Join(unknown, ", "))
	}
	asked.IDs = slices.DeleteFunc(asked.IDs, func(id string) bool { return gates[key] == nil || !gates[key].Holds(id) })
	if len(asked.IDs) == 0 {
		return fmt.Errorf("%w than %s, which has none of these ids", errOtherGate, key)
	}
	return nil
}

// meantFor returns an error unless a request for all changes can only mean this gate: the only one that found something, or the only one of all.
func meantFor(key string, gates map[string]*result.Result) error {
	var found, lines []string
	for _, name := range slices.Sorted(maps.Keys(gates)) {
		open := phrase.Map(gates[name].Open(), func(c *result.Change) string { return c.ID })
		if len(open) > 0 {
			found, lines = append(found, name), append(lines, fmt.Sprintf("of %s: /xlagate accept %s REASON", name, strings.Join(open, ",")))
		}
	}
	switch {
	case len(found) == 1 && found[0] == key:
		return nil
	case len(found) == 1:
		return fmt.Errorf("%w than %s, which found nothing", errOtherGate, key)
	case len(found) == 0:
		return wrongUsage("none of the gates %s found anything; to record what got better, start the accept workflow of one by hand", strings.Join(slices.Sorted(maps.Keys(gates)), ", "))
	}
	return wrongUsage("%d gates found something; name the changes: %s", len(found), strings.Join(lines, "; "))
}

// acceptOnBranch accepts what a result holds into the configuration and the baseline of a pull request's head.
func acceptOnBranch(ctx context.Context, client *github.Client, pr github.PullRequest, file string, r *result.Result, asked *request) (*gate.Accepted, map[string][]byte, error) {
	p, err := gate.RepositoryPolicy(ctx, client, pr.Head.SHA, file, targetsOf(r))
	if errors.Is(err, gate.ErrElsewhere) {
		return nil, nil, fmt.Errorf("%w: accept where it can be written, with xlagate accept --from the run's artifact", err)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("fetch the pull request's baseline: %w", err)
	}
	return gate.AcceptRemote(ctx, p, version(), gate.AcceptOptions{Only: asked.IDs, Reason: asked.Reason, From: r})
}

// message is the commit's. Its trailers say what was accepted and by whom.
func (asked *request) message(done *gate.Accepted) string {
	files := phrase.Counted(float64(len(done.Written)+len(done.Removed)), "", "files") + " of the baseline"
	if n := len(done.Budgets) - len(done.Left()); n > 0 {
		files += " and " + phrase.Counted(float64(n), "", "budgets") + " of the configuration"
	}
	text := fmt.Sprintf("Accept what XLA compiles now: %s\n\n%s, from the result of the pull request's own run.\n\nXlagate-Accepted: %s\n", asked.Reason, files, cmp.Or(strings.Join(asked.IDs, ", "), "all"))
	if asked.by != "" {
		text += "Xlagate-Accepted-By: " + asked.by + "\n"
	}
	return text
}

func remaining(done *gate.Accepted) string {
	left := done.Left()
	if len(done.Unsettled)+len(left) == 0 {
		return ""
	}
	lines := phrase.Map(left, func(b *config.Budget) string {
		return oneLine(fmt.Sprintf("%s %s of %s is %s, %s is enough; %s", b.Place(), b.Key, b.Settings.Rule.ID, b.From, b.Became, b.Left))
	})
	for _, u := range done.Unsettled {
		lines = append(lines, oneLine(u.Place+" "+u.Rule+": "+u.Message))
	}
	if more := len(lines) - mostListed; more > 0 {
		lines = append(lines[:mostListed], fmt.Sprintf("and %d more", more))
	}
	return " The configuration still has other limits; change them there:\n- " + strings.Join(lines, "\n- ")
}

// answer replies to the comment that asked. A failure to reply is only a warning.
func answer(ctx context.Context, w world, client *github.Client, asked *request, reaction, text string) {
	if asked.comment == 0 {
		return
	}
	if err := client.Answer(ctx, asked.pr, asked.comment, reaction, text); err != nil {
		w.warn(err.Error())
	}
}

// A comment quotes at most so many limits, and so much of each message: GitHub takes 65,536 characters.
const (
	mostListed = 20
	mostQuoted = 500
)

// oneLine quotes a message for a comment. The message may contain text from a dump.
func oneLine(text string) string {
	harmless := strings.Map(func(r rune) rune {
		switch {
		case r == '`':
			return '\''
		case !unicode.IsPrint(r):
			return ' '
		}
		return r
	}, phrase.Cut(text, mostQuoted, mostQuoted-1))
	return "`" + harmless + "`"
}
