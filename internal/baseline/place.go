package baseline

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/xlagate/xlagate/internal/files"
	"github.com/xlagate/xlagate/internal/git"
)

// Place is the location of a baseline.
type Place struct {
	Where  string // a directory or git:REF:PATH
	Dir    string // a relative directory starts here, and the git repository contains it
	Config string // the configuration file, which may change in the same step as a directory; "" for none
}

const gitScheme = "git:"

// Remote reports whether a baseline is not in a directory.
func Remote(where string) bool { return strings.HasPrefix(where, gitScheme) }

// CheckPlace returns an error if a baseline's place is malformed.
func CheckPlace(where string) error {
	switch {
	case strings.HasPrefix(where, gitScheme):
		_, _, err := CutGit(where)
		return err
	case strings.Contains(where, "://"):
		return fmt.Errorf("%q cannot hold a baseline; give a directory or git:REF:PATH", where)
	}
	return nil
}

// Open opens a baseline for reading. It returns [fs.ErrNotExist] if the baseline is missing.
func (p Place) Open(ctx context.Context) (fs.FS, error) {
	if err := CheckPlace(p.Where); err != nil {
		return nil, err
	}
	if Remote(p.Where) {
		return openGit(ctx, p.Dir, p.Where)
	}
	dir := p.folder()
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		if err == nil {
			err = fmt.Errorf("%s is a file; the baseline is a directory", dir)
		}
		return nil, err
	}
	if _, err := files.Finish(dir, p.config()); err != nil {
		return nil, wrong(dir, "an accept was interrupted, and cannot be finished: "+err.Error(),
			"restore the folder from git and remove .xlagate-step from it, or run xlagate accept again where the baseline can be written")
	}
	return os.DirFS(dir), nil
}

// Finish completes an interrupted accept in a directory, and reports whether there was one: the configuration may have changed.
func (p Place) Finish() (bool, error) {
	if Remote(p.Where) {
		return false, nil
	}
	return files.Finish(p.folder(), p.config())
}

// config returns the absolute path of the configuration file, which the journal of a step records.
func (p Place) config() string {
	name, err := filepath.Abs(p.Config)
	if p.Config == "" || err != nil {
		return p.Config
	}
	return name
}

// folder returns the directory of a baseline in a directory.
func (p Place) folder() string {
	if filepath.IsAbs(p.Where) {
		return p.Where
	}
	return filepath.Join(p.Dir, p.Where)
}

// ErrFixed reports that a baseline is in a place that cannot be changed.
var ErrFixed = errors.New("cannot be written; give a directory, as in --baseline .xlagate")

// Edit opens a baseline for reading and writing. A missing one is empty.
func (p Place) Edit(ctx context.Context) (*Edit, error) {
	if err := CheckPlace(p.Where); err != nil {
		return nil, err
	}
	if Remote(p.Where) {
		return nil, fmt.Errorf("the baseline %s %w", p.Where, ErrFixed)
	}
	dir := p.folder()
	if link := git.CheckedInLink(ctx, dir); link != "" {
		return nil, wrong(dir, link+" is a link that is checked in, so whoever wrote the checkout chose where it leads", "give the folder that it leads to: --baseline DIR")
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil, fmt.Errorf("%s is a file; the baseline is a directory", dir)
	}
	step, err := files.Begin(dir, p.config())
	if held := (*files.Held)(nil); errors.As(err, &held) {
		return nil, wrong(dir, "the baseline is being changed: "+held.Error(), "wait until that has ended, then try again")
	}
	if err != nil {
		return nil, fmt.Errorf("open the baseline for changing: %w", err)
	}
	return &Edit{FS: os.DirFS(dir), folder: dir, step: step, changed: map[string][]byte{}, also: map[string][]byte{}}, nil
}

// Edit is a baseline that is being changed. Reading returns the content from when it was opened.
type Edit struct {
	fs.FS
	folder  string            // of the baseline: on disk, or in a repository that is not checked out
	step    *files.Step       // writes what is on disk; nil for a repository
	into    map[string][]byte // takes the changes to a repository; nil on disk
	changed map[string][]byte // the new content of files; nil removes one
	also    map[string][]byte // of files outside the baseline
}

// EditCopy opens the copy of a baseline that is in a repository's folder for changing. What is committed is put into changed, by its path in the repository.
func EditCopy(store fs.FS, folder string, changed map[string][]byte) *Edit {
	return &Edit{FS: store, folder: folder, into: changed, changed: map[string][]byte{}, also: map[string][]byte{}}
}

// Put writes a file, and reports whether the content changed.
func (e *Edit) Put(name string, data []byte) (changed bool) {
	old, again := e.changed[name]
	if !again {
		old, _ = read(e, name) // one that cannot be read is written
	}
	if old != nil && bytes.Equal(old, data) {
		return false
	}
	e.changed[name] = data
	return true
}

// Remove removes a file.
func (e *Edit) Remove(name string) error {
	if _, err := fs.Stat(e, name); err != nil && e.changed[name] == nil {
		return fmt.Errorf("remove from the baseline: %w", err)
	}
	e.changed[name] = nil
	return nil
}

// Shown returns the name of a file for messages.
func (e *Edit) Shown(name string) string {
	if e.step == nil {
		return path.Join(e.folder, name)
	}
	return filepath.Join(e.folder, filepath.FromSlash(name))
}

// Also writes a file outside the baseline, last in the same step.
func (e *Edit) Also(file string, data []byte) { e.also[file] = data }

// Commit makes all changes or none.
func (e *Edit) Commit() error {
	for name, data := range e.changed {
		switch {
		case e.step == nil:
			e.into[e.Shown(name)] = data
		case data == nil:
			e.step.Remove(name)
		default:
			e.step.Write(name, data)
		}
	}
	for name, data := range e.also {
		if e.step == nil {
			e.into[name] = data
		} else {
			e.step.Also(data)
		}
	}
	if e.step != nil {
		if err := e.step.Commit(); err != nil {
			return fmt.Errorf("write the baseline: %w", err)
		}
	}
	clear(e.changed)
	clear(e.also)
	return nil
}

// Close drops uncommitted changes.
func (e *Edit) Close() error {
	if e.step == nil {
		return nil
	}
	return e.step.Close()
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

// howToFetch says how to get a revision that the clone lacks. A server gives branches, tags and whole ids by name, and everything else with the history.
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
