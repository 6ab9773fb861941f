package baseline

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/xlagate/xlagate/internal/git"
)

// Error is the reason why a dump or baseline could not be read, and the fix.
type Error struct {
	Where   string
	Message string
	Fix     string
}

// Error returns the message with the place.
func (e *Error) Error() string { return e.Where + ": " + e.Message }

func wrong(where, message, fix string) *Error {
	return &Error{Where: where, Message: message, Fix: fix}
}

// CutGit splits git:REF:PATH.
func CutGit(where string) (ref, below string, err error) {
	ref, below, found := strings.Cut(strings.TrimPrefix(where, gitScheme), ":")
	if !found || ref == "" || below == "" || strings.HasPrefix(ref, "-") {
		return "", "", fmt.Errorf("%q is not git:REF:PATH, as in git:origin/main:.xlagate", where)
	}
	return ref, below, nil
}

// openGit reads a folder of a revision into memory, as a zip, which archive/zip serves as a file system.
func openGit(ctx context.Context, dir, where string) (fs.FS, error) {
	ref, below, err := CutGit(where)
	if err != nil {
		return nil, err
	}
	g := repository{ctx, dir, where}
	tree, err := g.tree(ref, below)
	if err != nil {
		return nil, err
	}
	top, err := g.ask("rev-parse", "--show-cdup") // in a subfolder, git archive is limited to that folder
	if err != nil {
		return nil, err
	}
	g.dir = filepath.Join(dir, strings.TrimSpace(string(top)))
	out, err := g.ask("-c", "core.autocrlf=false", "archive", "--format=zip", tree)
	if err != nil {
		return nil, err
	}
	return zip.NewReader(bytes.NewReader(out), int64(len(out)))
}

// tree returns git's name of a folder of a revision. It returns [fs.ErrNotExist] if the folder is missing.
func (g repository) tree(ref, below string) (string, error) {
	if _, err := g.ask("rev-parse", "--verify", "--quiet", ref+"^{commit}"); errors.Is(err, errSilent) {
		return "", wrong(g.where, fmt.Sprintf("git does not know the revision %q here", ref), g.howToFetch(ref))
	} else if err != nil {
		return "", err
	}
	tree := ref + ":./" + below
	id, err := g.ask("rev-parse", "--verify", "--quiet", tree)
	if errors.Is(err, errSilent) {
		return "", fs.ErrNotExist
	} else if err != nil {
		return "", err
	}
	kind, err := g.ask("cat-file", "-t", tree)
	if err == nil && strings.TrimSpace(string(kind)) != "tree" {
		err = wrong(g.where, below+" is a file there; the baseline is a directory", "name the directory that holds it")
	}
	return strings.TrimSpace(string(id)), err
}

// howToFetch says how to get a revision that the clone lacks. A server gives branches, tags and whole ids of commits by name, and everything else with the
// history.
func (g repository) howToFetch(ref string) string {
	branch, isBranch := strings.CutPrefix(ref, "origin/")
	switch {
	case isBranch || wholeID.MatchString(ref):
		return "fetch it: git fetch origin " + branch + "; with actions/checkout: fetch-depth: 0"
	case !Fixed(ref):
		return "fetch it: git fetch origin tag " + ref + " (a branch is origin/" + ref + "); with actions/checkout: fetch-depth: 0"
	}
	if shallow, err := g.ask("rev-parse", "--is-shallow-repository"); err == nil && strings.TrimSpace(string(shallow)) == "true" {
		return "fetch all of the history: git fetch --unshallow; with actions/checkout: fetch-depth: 0"
	}
	return "git log --oneline lists the commits that this clone holds"
}

// Fixed reports whether a revision is that of one commit, which nothing is added to: an id, or a commit that is told from another.
func Fixed(ref string) bool { return shortID.MatchString(ref) || strings.ContainsAny(ref, "~^@") }

var (
	shortID = regexp.MustCompile("^[0-9a-f]{7,64}$")
	wholeID = regexp.MustCompile("^([0-9a-f]{40}|[0-9a-f]{64})$")
)

// repository is the git repository that a baseline is read from.
type repository struct {
	ctx        context.Context
	dir, where string
}

// errSilent is returned when git fails without a message: something does not exist.
var errSilent = errors.New("it does not exist")

// ask runs git and returns its output, or its message as an [Error].
func (g repository) ask(args ...string) ([]byte, error) {
	out, err := git.Run(g.ctx, g.dir, args...)
	var failed *git.Failure
	switch {
	case !errors.As(err, &failed):
		return out, err
	case g.ctx.Err() != nil:
		return nil, g.ctx.Err()
	case !failed.Ran():
		return nil, wrong(g.where, failed.Sentence(), "install it, or give the baseline as a directory")
	case failed.Said == "":
		return nil, errSilent
	}
	return nil, wrong(g.where, failed.Sentence(), "run xlagate inside the repository")
}
