package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/github"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/report"
	"github.com/xlagate/xlagate/internal/result"
)

// policies returns the policy of the base branch and that of the pull request.
type policies func(ctx context.Context, p *post, r *result.Result) (base, head gate.Policy, err error)

// judgeByBase adds to a comment how the pull request changes its policy, and the verdict of the base branch's policy on the same facts.
// When the policy is not available, the comment says why.
func (p *post) judgeByBase(ctx context.Context, w world, c *report.Comment, find policies) {
	if p.pr == 0 || p.base.Base.SHA == "" {
		return
	}
	base, head, err := find(ctx, p, c.Result)
	if err == nil {
		base.Name = fmt.Sprintf("%s@%.7s", p.base.Base.Ref, p.base.Base.SHA)
		c.Base = base.Name
		err = rejudge(c, base, head)
	}
	if err != nil {
		c.Note = unjudged(p.base.Base.Ref, err)
		w.warn("not judged by the base branch's policy: " + c.Note)
	}
}

// rejudge judges a result by the base branch's policy, unless that is the pull request's own.
func rejudge(c *report.Comment, base, head gate.Policy) (err error) {
	if c.Policy, err = gate.ComparePolicies(base, head); err != nil {
		return err
	}
	if !c.Reported && len(c.Policy) == 0 || gate.OnlyPolicyFlags(c.Policy) && !base.Accepted() {
		return nil
	}
	c.Under, err = gate.Rejudge(gate.Options{Request: gate.Request{Config: base.Config}, Environment: gate.Environment{Now: time.Now(), Version: version()}}, base.Store, c.Result)
	return err
}

// unjudged returns the reason why a policy is not available, for a comment.
func unjudged(branch string, err error) string {
	var wrong config.Errors
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return branch + " has no " + config.FileName + " yet"
	case errors.As(err, &wrong):
		return fmt.Sprintf("the %s there is not readable: %s", config.FileName, wrong[0])
	}
	return err.Error()
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

// remoteHead reads both policies from GitHub: nothing of the pull request is checked out. It does not fetch a baseline from a place that
// only the pull request names, because this job has write access; then everything that the base branch accepted counts as removed.
func remoteHead(file string) policies {
	return func(ctx context.Context, p *post, r *result.Result) (base, head gate.Policy, err error) {
		if p.client == nil {
			return base, head, errors.New("there is no token to fetch it with")
		}
		from, to, err := p.client.Sides(ctx, p.base)
		if err != nil {
			return base, head, err
		}
		if base, err = basePolicy(ctx, p.client, from, file, r); err != nil {
			return base, head, err
		}
		head, err = gate.RepositoryPolicy(ctx, p.client, to, file, targetsOf(r))
		if errors.Is(err, gate.ErrElsewhere) || errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return base, head, err
	}
}

// basePolicy reads the base branch's policy from a repository, and its baseline from the place that this policy names.
func basePolicy(ctx context.Context, from gate.Repository, revision, file string, r *result.Result) (gate.Policy, error) {
	return nearest(file, func(file string) (gate.Policy, error) {
		base, err := gate.RepositoryPolicy(ctx, from, revision, file, targetsOf(r))
		if errors.Is(err, fs.ErrNotExist) && base.Config != nil {
			err = nil // the base branch has no baseline yet
		}
		return base, err
	})
}

// localHead reads the pull request's policy from the working directory, and the base branch's from git, or from GitHub in a shallow
// checkout.
func localHead(o gate.Options) policies {
	return func(ctx context.Context, p *post, r *result.Result) (base, head gate.Policy, err error) {
		file := p.inCheckout(o.Config.Path)
		if !filepath.IsLocal(file) {
			return base, head, fmt.Errorf("%s is not in the checkout %s", o.Config.Path, p.env.Workspace)
		}
		head = gate.Policy{File: file, Config: o.Config, Flags: gate.PolicyFlags{Against: o.Against, Baseline: o.Baseline, FailOn: o.FailOn, AllowMissing: o.AllowMissing}}
		o.Baseline = "" // compared is what the configuration names
		head.Store, err = gate.OpenBaseline(ctx, o)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return base, head, err
		}
		from, err := gate.Fork(ctx, p.env.Workspace, p.base.Head.SHA, p.base.Base.SHA)
		if err == nil {
			base, err = basePolicy(ctx, gate.Checkout{Dir: p.env.Workspace}, from, file, r)
		}
		if errors.Is(err, gate.ErrUnknownRevision) && p.client != nil {
			if from, _, err = p.client.Sides(ctx, p.base); err == nil {
				base, err = basePolicy(ctx, p.client, from, file, r)
			}
		}
		return base, head, err
	}
}

// inCheckout is the path of a file from the top of the checkout, or else the path as it is.
func (p *post) inCheckout(file string) string {
	if whole, err := filepath.Abs(file); err == nil {
		if below, err := filepath.Rel(p.env.Workspace, whole); err == nil {
			return filepath.ToSlash(below)
		}
	}
	return file
}

func targetsOf(r *result.Result) []string {
	return phrase.Map(r.Targets, func(t result.Target) string { return t.Name })
}

// announce posts a check's result from within its job, with --comment auto. Its failures do not change the verdict.
func announce(c *cli.Context, w world, o gate.Options, r *result.Result) {
	if c.String("comment") != "auto" {
		return
	}
	p, err := newPost(c, w)
	if err != nil {
		w.warn("nothing was posted: " + err.Error())
		return
	}
	if !p.env.Actions {
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
	p.judgeByBase(ctx, w, &publication.Comment, localHead(o))
	p.publish(ctx, w, publication)
}
