package baseline

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/xlagate/xlagate/internal/git"
)

// Error says why a baseline could not be read where it lies, and what to do about it.
type Error struct{ Where, Message, Fix string }

// Error is the message with the place.
func (e *Error) Error() string { return e.Where + ": " + e.Message }

// cutGit splits git:REF:PATH.
func cutGit(where string) (ref, below string, err error) {
	ref, below, found := strings.Cut(strings.TrimPrefix(where, gitScheme), ":")
	if !found || ref == "" || below == "" || strings.HasPrefix(ref, "-") {
		return "", "", fmt.Errorf("%q is not git:REF:PATH, as in git:origin/main:.xlagate", where)
	}
	return ref, below, nil
}

// openGit reads a folder of a revision into memory. A zip, because a zip can be read as a file system.
func openGit(ctx context.Context, dir, where string) (fs.FS, error) {
	ref, below, err := cutGit(where)
	if err != nil {
		return nil, err
	}
	g := repository{ctx, dir, where}
	tree, err := g.tree(ref, below)
	if err != nil {
		return nil, err
	}
	top, err := g.ask("rev-parse", "--show-cdup") // from a folder below it git archives nothing but what is in that folder
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

// tree is git's name of the folder below a revision. One that is not there is [fs.ErrNotExist].
func (g repository) tree(ref, below string) (string, error) {
	if _, err := g.ask("rev-parse", "--verify", "--quiet", ref+"^{commit}"); errors.Is(err, errSilent) {
		fix := "fetch it: git fetch origin " + strings.TrimPrefix(ref, "origin/") + "; with actions/checkout: fetch-depth: 0"
		return "", &Error{g.where, fmt.Sprintf("git does not know the revision %q here", ref), fix}
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
		err = &Error{g.where, below + " is a file there; the baseline is a directory", "name the directory that it lies in"}
	}
	return strings.TrimSpace(string(id)), err
}

// repository is the git repository that a baseline is read from.
type repository struct {
	ctx        context.Context
	dir, where string
}

// errSilent is git's answer when something is not there: a failure without a word.
var errSilent = errors.New("there is no such thing")

// ask runs git. What it has to say is what went wrong.
func (g repository) ask(args ...string) ([]byte, error) {
	out, err := git.Run(g.ctx, g.dir, args...)
	var failed *git.Failure
	var ended *exec.ExitError
	switch {
	case !errors.As(err, &failed):
		return out, err
	case g.ctx.Err() != nil:
		return nil, g.ctx.Err()
	case !errors.As(failed.Err, &ended):
		return nil, &Error{g.where, "git cannot be run: " + failed.Err.Error(), "install it, or give the baseline as a directory"}
	case failed.Said == "":
		return nil, errSilent
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(failed.Said, "fatal: "), "\n")
	return nil, &Error{g.where, "git says: " + first, "run xlagate inside of the repository"}
}
