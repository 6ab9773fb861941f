package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/files"
	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/github"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/report"
	"github.com/xlagate/xlagate/internal/result"
)

// policies reads the policies of the base branch and of the pull request that a rule file is part of. If only the pull request's cannot be read, the base
// branch's comes with the error.
type policies func(ctx context.Context, file string, targets []string) (base, head gate.Policy, err error)

// Bounds on what a result makes this job fetch. Each target costs a request for the base branch and one for the pull request, each rule file at least two, and
// one for each folder above it.
const (
	mostTargets   = 200 // of a run that the pull request controls
	mostRuleFiles = 50
	mostFolders   = 32
)

// judgeByBase adds to a result what the base branch's policy says of its facts, by each of the rule files. A result that cannot be judged so is incomplete.
func (p *post) judgeByBase(ctx context.Context, r *result.Result, ruleFiles []string, read policies) {
	r.Policy = nil
	if p.pr == 0 || p.base.Base.SHA == "" && p.client == nil {
		return
	}
	r.Policy = &result.Policy{Base: fmt.Sprintf("%s@%.7s", p.base.Base.Ref, p.base.Base.SHA), Own: true}
	for i, file := range ruleFiles {
		judged, err := (*result.Policy)(nil), p.tooMuch(r, ruleFiles)
		if err == nil {
			judged, err = p.judgeBy(ctx, file, r, read)
		} else if i > 0 {
			break // it is said once
		}
		if judged != nil {
			r.Policy.Add(judged)
		}
		if err == nil {
			continue
		}
		why := err.Error()
		if wrong := (config.Errors)(nil); errors.As(err, &wrong) { // of a rule file with many errors the first
			why = strings.Replace(why, wrong.Error(), wrong[0].Error(), 1)
		}
		problem := result.Problem{File: file, Message: "not judged by the base branch's policy: " + why, Fix: howToJudge(err)}
		if !slices.Contains(r.Problems, problem) {
			r.Problems = append(r.Problems, problem)
		}
		r.Verdict, r.ExitCode = "incomplete", gate.ExitIncomplete
	}
}

// tooMuch says which bound a result exceeds; nil if none.
func (p *post) tooMuch(r *result.Result, ruleFiles []string) error {
	if n := len(r.Targets); p.report && n > mostTargets {
		return fmt.Errorf("the result has %d targets; at most %d are judged here", n, mostTargets)
	}
	if n := len(ruleFiles); n > mostRuleFiles {
		return fmt.Errorf("the result names %d rule files; at most %d are read", n, mostRuleFiles)
	}
	for _, file := range ruleFiles {
		if n := strings.Count(file, "/"); n > mostFolders {
			return fmt.Errorf("a rule file is in %d folders; at most %d are looked through", n, mostFolders)
		}
	}
	return nil
}

// judgeBy returns what the base branch says by one rule file. An error does not mean that it says nothing.
func (p *post) judgeBy(ctx context.Context, file string, r *result.Result, read policies) (*result.Policy, error) {
	own := r
	if !p.report { // a stranger's run could name a file that judges nothing
		part := *r
		part.Targets = slices.DeleteFunc(slices.Clone(r.Targets), func(t result.Target) bool { return t.RuleFile != file })
		if len(part.Targets) > 0 {
			own = &part
		}
	}
	base, head, err := read(ctx, file, targetsOf(own))
	switch {
	case base.Config == nil && errors.Is(err, fs.ErrNotExist) && !p.report:
		return &result.Policy{Files: []result.PolicyFile{{Name: file}}, First: errors.Is(err, errFirst)}, nil
	case base.Config == nil:
		return nil, err
	case err != nil:
		head.Store = base.Store // the pull request accepts nothing that could be read
	}
	o := gate.Options{Environment: gate.Environment{Now: time.Now(), Version: version()}}
	judged, failed := gate.JudgeByBase(o, base, head, own, !p.report)
	if failed != nil {
		return nil, errors.Join(err, failed)
	}
	if base.File != head.File || string(base.Text) != string(head.Text) {
		judged.Files = []result.PolicyFile{{Name: head.File, Was: base.File, Diff: report.FileDiff(string(base.Text), string(head.Text))}}
	}
	return judged, err
}

// howToJudge says what makes the base branch's policy available.
func howToJudge(err error) string {
	var wrong config.Errors
	switch {
	case errors.Is(err, gate.ErrUnknownRevision):
		return "check out the base branch too: actions/checkout with fetch-depth: 0; or give the job a token"
	case errors.Is(err, fs.ErrNotExist):
		return "name the rule file by its path from the top of the repository: xlagate comment --config FILE"
	case errors.As(err, &wrong):
		return "correct the rule file"
	}
	return ""
}

// nearest reads the configuration that a check at a file's place finds in a revision: that file, or else the nearest xlagate.yaml above it.
func nearest(file string, read func(file string) (gate.Policy, error)) (gate.Policy, error) {
	p, err := read(file)
	for dir := path.Dir(file); errors.Is(err, fs.ErrNotExist) && p.Config == nil; dir = path.Dir(dir) {
		p, err = read(path.Join(dir, config.FileName))
		if dir == "." {
			break
		}
	}
	return p, err
}

// remotePolicies reads both policies from GitHub: nothing of the pull request is checked out. It does not fetch a baseline from a place that
// only the pull request names, because this job has write access; then the pull request accepts nothing.
func (p *post) remotePolicies(ctx context.Context) policies {
	from, to, unknown := "", "", errors.New("there is no token to fetch it with")
	if p.client != nil && p.pr != 0 {
		from, to, unknown = p.client.Sides(ctx, p.base)
	}
	return func(ctx context.Context, file string, targets []string) (base, head gate.Policy, err error) {
		if unknown != nil {
			return base, head, unknown
		}
		if base, err = basePolicy(ctx, p.client, from, file, targets); err != nil {
			return gate.Policy{}, head, err
		}
		head, err = gate.RepositoryPolicy(ctx, p.client, to, file, targets)
		switch {
		case errors.Is(err, fs.ErrNotExist) && head.Text == nil:
			return base, head, fmt.Errorf("the pull request has no %s: nothing would be checked any more", file)
		case errors.Is(err, gate.ErrElsewhere) && head.Config.Baseline == base.Config.Baseline:
			head.Store, err = base.Store, nil
		case errors.Is(err, gate.ErrElsewhere), errors.Is(err, fs.ErrNotExist):
			err = nil
		}
		return base, head, ofPullRequest(err)
	}
}

// ofPullRequest says of an error that the pull request is to blame.
func ofPullRequest(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("the pull request's own cannot be read: %w", err)
}

// errFirst says that a pull request brings the first rule file.
var errFirst = errors.New("the base branch has no rule file")

// basePolicy reads the base branch's policy from a repository, and its baseline from the place that this policy names.
func basePolicy(ctx context.Context, from gate.Repository, revision, file string, targets []string) (gate.Policy, error) {
	p, err := nearest(file, func(file string) (gate.Policy, error) {
		base, err := gate.RepositoryPolicy(ctx, from, revision, file, targets)
		if errors.Is(err, fs.ErrNotExist) && base.Config != nil {
			err = nil // the base branch has no baseline yet
		}
		return base, err
	})
	if p.Config != nil || !errors.Is(err, fs.ErrNotExist) {
		return p, err
	}
	ofGate := func(name string) bool { return config.OfGate(name) || path.Base(name) == path.Base(file) }
	if names, failed := from.Names(ctx, revision); failed == nil && !slices.ContainsFunc(names, ofGate) {
		err = fmt.Errorf("%w: %w", errFirst, err)
	}
	return p, err
}

// localPolicies reads the pull request's policy from the working directory, and the base branch's from git, or from GitHub in a shallow
// checkout.
func (p *post) localPolicies(o gate.Options) policies {
	return func(ctx context.Context, file string, targets []string) (base, head gate.Policy, err error) {
		if !fs.ValidPath(file) {
			return base, head, fmt.Errorf("%s is not in the checkout %s", file, p.env.Workspace)
		}
		from, err := gate.Fork(ctx, p.env.Workspace, p.base.Head.SHA, p.base.Base.SHA)
		if err == nil {
			base, err = basePolicy(ctx, gate.Checkout{Dir: p.env.Workspace}, from, file, targets)
		}
		if errors.Is(err, gate.ErrUnknownRevision) && p.client != nil {
			if from, _, err = p.client.Sides(ctx, p.base); err == nil {
				base, err = basePolicy(ctx, p.client, from, file, targets)
			}
		}
		if err != nil {
			return gate.Policy{}, head, err
		}
		head = gate.Policy{File: file, Config: o.Config, Flags: gate.PolicyFlags{Against: o.Against, Baseline: o.Baseline, FailOn: o.FailOn, AllowMissing: o.AllowMissing}}
		if head.Text, err = os.ReadFile(o.Config.Path); err != nil {
			return base, head, ofPullRequest(err)
		}
		o.Baseline = "" // compared is what the configuration names
		if head.Store, err = gate.OpenBaseline(ctx, o); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return base, head, ofPullRequest(err)
	}
}

// ruleFilesOf lists the rule files that judge a result. These are the files of the flag if it is given, or if the pull request's own run reports; otherwise the
// files that the result names.
func (p *post) ruleFilesOf(c *cli.Context, r *result.Result) []string {
	said := c.StringSlice("config")
	if p.report || c.IsSet("config") || len(r.Targets) == 0 {
		return said
	}
	var list []string
	for _, t := range r.Targets {
		if t.RuleFile == "" {
			return said
		}
		if !slices.Contains(list, t.RuleFile) {
			list = append(list, t.RuleFile)
		}
	}
	return list
}

// inCheckout is the path of a file from the top of the checkout, or else the path as it is.
func (p *post) inCheckout(file string) string {
	if below, ok := files.Below(p.env.Workspace, absoluteOr(file)); ok {
		return below
	}
	return file
}

func targetsOf(r *result.Result) []string {
	return phrase.Map(r.Targets, func(t result.Target) string { return t.Name })
}

// postOfCheck is the post of a check that comments from within its job, with --comment auto; nil elsewhere.
func postOfCheck(c *cli.Context, w world) *post {
	if c.String("comment") != "auto" {
		return nil
	}
	p, err := newPost(c, w)
	if err != nil {
		w.warn("nothing was posted: " + err.Error())
		return nil
	}
	if !p.env.Actions {
		return nil
	}
	return p
}

// judge judges a check's result by the base branch as well.
func (p *post) judge(c *cli.Context, o gate.Options, r *result.Result) {
	if p == nil {
		return
	}
	ctx, stop := context.WithTimeout(c.Context, postingTime)
	defer stop()
	p.judgeByBase(ctx, r, []string{p.inCheckout(o.Config.Path)}, p.localPolicies(o))
}

// announce posts a check's result. Its failures do not change the verdict.
func (p *post) announce(c *cli.Context, w world, o gate.Options, r *result.Result) {
	if p == nil {
		return
	}
	ctx, stop := context.WithTimeout(c.Context, postingTime)
	defer stop()
	file := p.inCheckout(o.Config.Path)
	if o.Baseline == "" {
		r.SetOptions(fromTop(file))
	}
	publication := p.publication(c, r)
	publication.Report.Config = file
	publication.Comment.Artifact = github.DefaultArtifact
	p.publish(ctx, w, publication)
}
