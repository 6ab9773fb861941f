package gate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/baseline"
	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/git"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/rules"
)

// Policy is what a model is judged by at one revision. A change that makes the gate pass by asking for less is as much a change of the model as one of
// its source, and reviewers have to see it: JudgeByBase says what it hides.
type Policy struct {
	File   string         // the path of the configuration in the repository
	Text   []byte         // of the configuration
	Config *config.Config // nil where there is none, or none that can be read
	Store  fs.FS          // the baseline; nil when there is none
	Flags  PolicyFlags
}

// PolicyFlags are what the command line of a check says in place of the configuration.
type PolicyFlags struct {
	Against, Baseline, FailOn string
	AllowMissing              []string
}

// given lists the flags as they were typed.
func (f PolicyFlags) given() (list []string) {
	for _, flag := range []struct{ name, value string }{
		{"--against", f.Against}, {"--baseline", f.Baseline}, {"--fail-on", f.FailOn}, {"--allow-missing", strings.Join(f.AllowMissing, ",")},
	} {
		if flag.value != "" {
			list = append(list, phrase.Shell([]string{flag.name, flag.value}))
		}
	}
	return list
}

// Repository reads files of a repository at a revision.
type Repository interface {
	// File returns a file of a revision; one that is not there is [fs.ErrNotExist].
	File(ctx context.Context, revision, name string) ([]byte, error)
	// Folders returns the files of some folders below a root of a revision. A root that is not there is empty, or [fs.ErrNotExist].
	Folders(ctx context.Context, revision, root string, folders []string) (fs.FS, error)
	// Names lists the paths of all files of a revision.
	Names(ctx context.Context, revision string) ([]string, error)
}

// ErrElsewhere says that a baseline is not in the repository.
var ErrElsewhere = errors.New("does not lie in the repository")

// RepositoryPolicy reads the policy of a revision: the configuration and, for its targets and those named, the accepted facts. A revision without a
// configuration is [fs.ErrNotExist]; one that cannot be read comes as its text alone. Where only the facts are elsewhere, the policy comes without them
// beside [ErrElsewhere].
func RepositoryPolicy(ctx context.Context, from Repository, revision, file string, targets []string) (Policy, error) {
	text, err := from.File(ctx, revision, file)
	if err != nil {
		return Policy{}, err
	}
	p := Policy{File: file, Text: text}
	cfg, err := config.Parse(rules.All, file, text)
	if err != nil {
		return p, err
	}
	p.Config = cfg
	dir := path.Join(path.Dir(file), cfg.Baseline)
	if baseline.Remote(cfg.Baseline) {
		revision, dir, _ = baseline.CutGit(cfg.Baseline) // checked when the configuration was read
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

// Names implements [Repository].
func (c Checkout) Names(ctx context.Context, revision string) ([]string, error) {
	list, err := git.Run(ctx, c.Dir, "ls-tree", "-r", "-z", "--name-only", "--full-tree", revision)
	return strings.Split(string(list), "\x00"), err
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
