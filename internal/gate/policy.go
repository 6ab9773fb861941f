package gate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/xlagate/xlagate/internal/baseline"
	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/git"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/rules"
)

// Policy is what a model is judged by at one revision. A change that makes the gate pass by asking for less is as much a change of the model as one of
// its source, and reviewers have to see it: ComparePolicies lists what a pull request changes.
type Policy struct {
	Name   string         // of the revision, as people know it: "main@91ab03d"
	File   string         // the path of the configuration in the repository
	Text   []byte         // of the configuration; nil where it is in the checkout
	Config *config.Config // nil where the revision has none
	Store  fs.FS          // the baseline; nil when there is none
	Flags  PolicyFlags
}

// PolicyFlags are what the command line of a check says in place of the configuration.
type PolicyFlags struct {
	Against, Baseline, FailOn string
	AllowMissing              []string
}

// Accepted reports whether the policy has a baseline.
func (p Policy) Accepted() bool {
	names, err := storedTargets(p.Store)
	return err != nil || len(names) > 0
}

// PolicyChange is one thing that differs between two policies.
type PolicyChange = result.PolicyChange

// The effects of a change.
const (
	Looser   = "looser"
	Stricter = "stricter"
	Other    = "changed"
)

// ComparePolicies lists what a pull request changes, looser things first. The base's configuration must be there.
func ComparePolicies(base, head Policy) ([]PolicyChange, error) {
	if head.Config == nil {
		return []PolicyChange{{File: base.File, Effect: Looser, Subject: base.File, Text: "removed"}}, nil
	}
	out := slices.Concat(
		settings(base.Config, head.Config), targetChanges(base.Config, head.Config), ruleChanges(base.Config.Rules, head.Config.Rules),
		waivers(base.Config.Waivers, head.Config.Waivers),
	)
	for i := range out {
		out[i].File = cmp.Or(head.File, config.FileName)
	}
	if head.File != base.File {
		out = append(out, PolicyChange{File: head.File, Effect: Looser, Subject: base.File, Text: head.File + " takes its place"})
	}
	out = append(out, flags(base, head)...)
	accepted, err := baselines(base, head)
	if err != nil {
		return nil, err
	}
	out = append(out, accepted...)
	sort.SliceStable(out, func(i, j int) bool { return out[i].Effect == Looser && out[j].Effect != Looser })
	return out, nil
}

// flags lists what the command line sets in place of the base branch's configuration.
func flags(base, head Policy) (out []PolicyChange) {
	add := func(effect, flag, value, text string) {
		out = append(out, PolicyChange{File: commandLine, Effect: effect, Subject: flag, Scope: value, Text: text})
	}
	if f := head.Flags.Against; f != "" {
		add(Other, "--against", f, "the facts are compared with this dump, not with the accepted ones")
	}
	if f := head.Flags.Baseline; f != "" && f != base.Config.Baseline {
		add(Other, "--baseline", f, "the facts are compared with these, not with those of "+base.Config.Baseline)
	}
	if f := head.Flags.FailOn; f != "" && f != base.Config.FailOn {
		add(stricterIf(strictness[f] > strictness[base.Config.FailOn]), "--fail-on", f, fmt.Sprintf("%s says %s", base.File, base.Config.FailOn))
	}
	if list := head.Flags.AllowMissing; len(list) > 0 {
		add(Looser, "--allow-missing", strings.Join(list, ", "), "the dump may lack what the accepted facts come from")
	}
	return out
}

// commandLine is the File of a change by a flag.
const commandLine = "the command line"

// OnlyPolicyFlags reports whether nothing but flags differs.
func OnlyPolicyFlags(changes []PolicyChange) bool {
	return len(changes) > 0 && !slices.ContainsFunc(changes, func(c PolicyChange) bool { return c.File != commandLine || !strings.HasPrefix(c.Subject, "--") })
}

// strictness orders the values of fail_on.
var strictness = map[string]int{"never": 0, "error": 1, "warning": 2}

func settings(base, head *config.Config) []PolicyChange {
	var out []PolicyChange
	if base.FailOn != head.FailOn {
		out = append(out, PolicyChange{Effect: stricterIf(strictness[head.FailOn] > strictness[base.FailOn]), Subject: "fail_on", Text: base.FailOn + " → " + head.FailOn})
	}
	if base.Baseline != head.Baseline {
		out = append(out, PolicyChange{Effect: Other, Subject: "baseline", Text: base.Baseline + " → " + head.Baseline})
	}
	return out
}

// stricterIf is the effect of a change that is stricter or looser.
func stricterIf(stricter bool) string {
	if stricter {
		return Stricter
	}
	return Looser
}

// Repository reads files of a repository at a revision.
type Repository interface {
	// File returns a file of a revision; one that is not there is [fs.ErrNotExist].
	File(ctx context.Context, revision, name string) ([]byte, error)
	// Folders returns the files of some folders below a root of a revision. A root that is not there is empty, or [fs.ErrNotExist].
	Folders(ctx context.Context, revision, root string, folders []string) (fs.FS, error)
}

// ErrElsewhere says that a baseline is not in the repository.
var ErrElsewhere = errors.New("does not lie in the repository")

// RepositoryPolicy reads the policy of a revision: the configuration and, for its targets and those named, the accepted facts. A revision without a
// configuration is [fs.ErrNotExist]; where only the facts are elsewhere, the policy comes without them beside [ErrElsewhere].
func RepositoryPolicy(ctx context.Context, from Repository, revision, file string, targets []string) (Policy, error) {
	text, err := from.File(ctx, revision, file)
	if err != nil {
		return Policy{}, err
	}
	cfg, err := config.Parse(rules.All, file, text)
	if err != nil {
		return Policy{}, err
	}
	p := Policy{File: file, Text: text, Config: cfg}
	dir := path.Join(path.Dir(file), cfg.Baseline)
	if rest, ok := strings.CutPrefix(cfg.Baseline, "git:"); ok {
		revision, dir, _ = strings.Cut(rest, ":")
	}
	if !fs.ValidPath(dir) {
		return p, fmt.Errorf("the baseline %s %w", cfg.Baseline, ErrElsewhere)
	}
	for _, t := range cfg.Targets {
		if !slices.Contains(targets, t.Name) {
			targets = append(targets[:len(targets):len(targets)], t.Name)
		}
	}
	p.Store, err = from.Folders(ctx, revision, dir, targets)
	return p, err
}

// Checkout is the [Repository] around a folder.
type Checkout struct{ Dir string }

// ErrUnknownRevision says that a checkout does not hold a revision; shallow ones rarely do.
var ErrUnknownRevision = errors.New("the checkout does not hold the revision")

// File implements [Repository].
func (c Checkout) File(ctx context.Context, revision, name string) ([]byte, error) {
	if _, err := git.Run(ctx, c.Dir, "rev-parse", "--verify", "--quiet", revision+"^{commit}"); err != nil {
		return nil, fmt.Errorf("%w %s", ErrUnknownRevision, revision)
	}
	object := revision + ":./" + name
	if _, err := git.Run(ctx, c.Dir, "rev-parse", "--verify", "--quiet", object); err != nil {
		return nil, fmt.Errorf("%s at %s: %w", name, revision, fs.ErrNotExist)
	}
	return git.Run(ctx, c.Dir, "show", object)
}

// Folders implements [Repository]: it returns all that is below the root.
func (c Checkout) Folders(ctx context.Context, revision, root string, _ []string) (fs.FS, error) {
	return baseline.Place{Where: "git:" + revision + ":" + root, Dir: c.Dir}.Open(ctx)
}

// Fork is the commit where the checkout in dir left the base branch: the first parent of the merge that code hosts make of a pull
// request with this head, or else where the two histories part. It is [ErrUnknown] where the checkout is too shallow.
func Fork(ctx context.Context, dir, head, base string) (string, error) {
	line, err := git.Run(ctx, dir, "rev-list", "--parents", "--max-count=1", "HEAD")
	if names := strings.Fields(string(line)); err == nil && len(names) == 3 && names[2] == head {
		return names[1], nil
	}
	common, err := git.Run(ctx, dir, "merge-base", base, "HEAD")
	if err != nil {
		return "", fmt.Errorf("%w %s", ErrUnknownRevision, base)
	}
	return strings.TrimSpace(string(common)), nil
}
