package github

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/xlagate/xlagate/internal/baseline"
	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
)

// Acceptance is a refresh of the baseline on a pull request's branch, from its run's result. No dump and no checkout is needed, and
// nothing of the pull request is run.
type Acceptance struct {
	Request
	By       string    // who asked; named in the commit
	At       time.Time // when they asked; the zero time: now
	Config   string    // the configuration's path in the repository
	Artifact string
	Workflow string // the gate's workflow file; "": any
	Key      string // the gate's
	Work     string // an empty folder for the baseline while it is refreshed
	Version  string
}

// Accepted says what an acceptance did.
type Accepted struct {
	Commit    string // "" when everything was accepted already
	Files     []string
	Run       int64
	Unsettled []gate.Unsettled // the limits that are still broken
	Left      []*config.Budget // numbers that are too narrow for what was accepted, and could not be changed
}

// errFork is returned for a pull request from another repository, to which nothing can be pushed.
var errFork = errors.New("the pull request comes from a fork: accept there, with xlagate accept --from the run's artifact")

// Accept refreshes the baseline on a pull request's branch.
func (c *Client) Accept(ctx context.Context, pr PullRequest, a Acceptance) (*Accepted, error) {
	switch {
	case pr.State != "open":
		return nil, fmt.Errorf("pull request %d is %s", pr.Number, pr.State)
	case pr.Fork():
		return nil, errFork
	}
	r, err := c.resultFor(ctx, pr, a)
	if err != nil {
		return nil, err
	}
	o, err := c.unpack(ctx, pr, a, r.Result)
	if err != nil {
		return nil, err
	}
	done, err := gate.Accept(ctx, o, gate.AcceptOptions{Only: a.IDs, Reason: a.Reason, From: r.Result})
	if err != nil {
		return nil, err
	}
	files, err := changedFiles(o, done)
	out := &Accepted{Files: slices.Sorted(maps.Keys(files)), Run: r.run, Unsettled: done.Unsettled, Left: left(done.Budgets)}
	if err == nil && len(files) > 0 {
		out.Commit, err = c.commit(ctx, pr, files, a.message(done))
	}
	return out, err
}

// unpack fetches the configuration and the baseline of the pull request's head into the work folder.
func (c *Client) unpack(ctx context.Context, pr PullRequest, a Acceptance, r *result.Result) (gate.Options, error) {
	var targets []string
	for i := range r.Targets {
		targets = append(targets, r.Targets[i].Name)
	}
	p, err := c.Policy(ctx, pr.Head.SHA, a.Config, targets)
	if errors.Is(err, ErrElsewhere) {
		return gate.Options{}, fmt.Errorf("%w: accept where it can be written, with xlagate accept --from the run's artifact", err)
	}
	if err != nil {
		return gate.Options{}, fmt.Errorf("fetch the pull request's baseline: %w", err)
	}
	if baseline.Remote(p.Config.Baseline) {
		return gate.Options{}, fmt.Errorf("the baseline %s does not lie on the pull request's branch", p.Config.Baseline)
	}
	dir := filepath.Join(a.Work, filepath.FromSlash(path.Join(path.Dir(a.Config), p.Config.Baseline)))
	cfg, err := inWork(p.Config, a)
	if err == nil {
		err = c.fetch(ctx, pr.Head.SHA, a.Config, cfg.Path)
	}
	if err != nil {
		return gate.Options{}, err
	}
	if err := os.CopyFS(dir, p.Store); err != nil {
		return gate.Options{}, fmt.Errorf("copy the pull request's baseline: %w", err)
	}
	return gate.Options{Request: gate.Request{Config: cfg}, Environment: gate.Environment{Dir: a.Work, Version: a.Version}}, nil
}

// inWork is the configuration as it lies in the work folder.
func inWork(cfg *config.Config, a Acceptance) (*config.Config, error) {
	if !fs.ValidPath(path.Join(path.Dir(a.Config), cfg.Baseline)) {
		return nil, fmt.Errorf("the baseline %s does not lie in the repository", cfg.Baseline)
	}
	moved := *cfg
	moved.Path = filepath.Join(a.Work, filepath.FromSlash(a.Config))
	moved.Dir = filepath.Dir(moved.Path)
	return &moved, nil
}

// fetch puts a file of a revision into a place.
func (c *Client) fetch(ctx context.Context, revision, file, place string) error {
	data, err := c.file(ctx, revision, file)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(place), 0o755)
	}
	if err == nil {
		err = os.WriteFile(place, data, 0o600)
	}
	if err != nil {
		return fmt.Errorf("fetch the pull request's %s: %w", file, err)
	}
	return nil
}

// changedFiles reads what accepting wrote, by path in the repository.
func changedFiles(o gate.Options, done *gate.Accepted) (map[string][]byte, error) {
	files := map[string][]byte{}
	written := slices.Clone(done.Written)
	if len(left(done.Budgets)) < len(done.Budgets) {
		name, err := filepath.Rel(o.Dir, o.Config.Path)
		if err != nil {
			return nil, fmt.Errorf("name the configuration: %w", err)
		}
		written = append(written, name)
	}
	for _, name := range written {
		data, err := os.ReadFile(filepath.Join(o.Dir, name))
		if err != nil {
			return nil, fmt.Errorf("read what was accepted: %w", err)
		}
		files[filepath.ToSlash(name)] = data
	}
	for _, name := range done.Removed {
		files[filepath.ToSlash(name)] = nil
	}
	return files, nil
}

// left are the budgets that were not changed.
func left(budgets []*config.Budget) []*config.Budget {
	return slices.DeleteFunc(slices.Clone(budgets), func(b *config.Budget) bool { return b.Left == "" })
}

// message is the commit's. Its trailers say what was accepted and by whom.
func (a Acceptance) message(done *gate.Accepted) string {
	ids := strings.Join(a.IDs, ", ")
	if ids == "" {
		ids = "all"
	}
	files := phrase.Counted(float64(len(done.Written)+len(done.Removed)), "", "files") + " of the baseline"
	if n := len(done.Budgets) - len(left(done.Budgets)); n > 0 {
		files += " and " + phrase.Counted(float64(n), "", "budgets") + " of the configuration"
	}
	text := fmt.Sprintf("Accept what XLA compiles now: %s\n\n%s, from the result of the pull request's own run.\n\nXlagate-Accepted: %s\n", a.Reason, files, ids)
	if a.By != "" {
		text += "Xlagate-Accepted-By: " + a.By + "\n"
	}
	return text
}

// Request is what somebody asked for in a comment: accept these changes, or all of them.
type Request struct {
	IDs    []string // empty: all
	Reason string
}

// trigger is the exact beginning of a comment that asks for something: a comment that mentions the words must do nothing.
const trigger = "/xlagate accept "

// maxReason bounds a reason: it goes into the baseline and the commit's message.
const maxReason = 500

// ErrNoRequest says that a comment asks for nothing.
var ErrNoRequest = errors.New("the comment does not begin with " + strings.TrimSpace(trigger))

// ParseRequest reads "/xlagate accept ID[,ID…] REASON" or "/xlagate accept all REASON" from the first line of a comment.
func ParseRequest(body string) (Request, error) {
	line, _, _ := strings.Cut(strings.ReplaceAll(body, "\r\n", "\n"), "\n")
	rest, ok := strings.CutPrefix(line, trigger)
	if !ok {
		return Request{}, ErrNoRequest
	}
	which, reason, _ := strings.Cut(strings.TrimSpace(rest), " ")
	reason = strings.TrimSpace(reason)
	switch {
	case which != "all" && !validIDs(which):
		return Request{}, errors.New("name what to accept: changes by id, with commas between them, or all: /xlagate accept a3f8c21b9d04 REASON")
	case reason == "":
		return Request{}, errors.New("give a reason: /xlagate accept " + which + " REASON")
	case len(reason) > maxReason:
		return Request{}, errors.New("the reason is too long; tell it in a line")
	}
	r := Request{Reason: reason}
	if which != "all" {
		r.IDs = strings.Split(which, ",")
	}
	return r, nil
}
