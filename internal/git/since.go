package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
	"golang.org/x/sync/errgroup"
)

const (
	maxPrinted = 64 << 20    // bytes that git may print
	maxTime    = time.Minute // that it may take
)

// EditsSince returns the lines that were edited, from where HEAD left a base revision to the work tree: what is committed, staged, unstaged,
// and Python files that git does not know yet. Without a base it is the target branch of the pull request that GitHub runs for
// (GITHUB_BASE_REF), else on a branch the default branch (origin/HEAD, main or master), else HEAD. What git does not know is no error: there is a
// sentence why, and nothing was edited then in the files of the repository, or there are none (nil).
func EditsSince(ctx context.Context, dir, base string, getenv func(string) string) (edits *Edits, unknown string) {
	ctx, stop := context.WithTimeout(ctx, maxTime)
	defer stop()
	tree, err := workTreeAround(ctx, dir)
	if err != nil {
		return nil, reason(ctx, err)
	}
	var asking errgroup.Group // a process of git takes as long to start as to answer
	var known, made []string
	asking.Go(func() (err error) {
		known, made, err = tree.python(ctx)
		return err
	})
	asking.Go(func() error {
		tree.unfiltered()
		return nil
	})
	commit, unknown := asker{ctx, tree.top, getenv}.base(base)
	err = asking.Wait()
	switch {
	case err != nil:
	case unknown == "":
		edits, err = tree.since(ctx, commit, known, made)
	default:
		edits = editsOf("", tree, nil, known) // as if none were edited
	}
	if err != nil {
		return nil, cmp.Or(unknown, reason(ctx, err))
	}
	return edits, unknown
}

// workTreeAround is the work tree that a folder is in.
func workTreeAround(ctx context.Context, dir string) (*workTree, error) {
	out, err := Run(ctx, dir, "rev-parse", "--show-toplevel", "--show-prefix", "--git-path", "index")
	if err != nil {
		return nil, err
	}
	top, rest, _ := strings.Cut(string(out), "\n")
	below, index, _ := strings.Cut(rest, "\n")
	if _, err := os.Lstat(filepath.Join(top, ".git")); err != nil && os.Getenv("GIT_WORK_TREE") == "" {
		return nil, fmt.Errorf("git's configuration says that the work tree is %s, which has no .git", shown(top)) // its lines would be quoted
	}
	t := &workTree{top: filepath.FromSlash(top), below: strings.Trim(below, "/"), index: strings.TrimSuffix(index, "\n"), known: map[string]*source{}}
	if !filepath.IsAbs(t.index) {
		t.index = filepath.Join(dir, t.index)
	}
	t.unfiltered = sync.OnceValue(func() []string { return unfiltered(t.top) })
	return t, nil
}

// since compares the work tree with a commit, given the Python files that git knows, and those that it does not.
func (t *workTree) since(ctx context.Context, commit string, known, made []string) (*Edits, error) {
	read, remove, err := t.distrustful()
	if err != nil {
		return nil, err
	}
	defer remove()
	sources, others := []string{}, []string{"."}
	for _, ending := range modelEndings {
		sources, others = append(sources, "*"+ending), append(others, ":(exclude)*"+ending)
	}
	var files, model []fileEdits
	var comparing errgroup.Group
	comparing.Go(func() (err error) {
		files, err = t.diff(ctx, nil, commit, others...)
		return err
	})
	comparing.Go(func() (err error) {
		model, err = t.diff(ctx, read, commit, sources...)
		return err
	})
	if err := comparing.Wait(); err != nil {
		return nil, err
	}
	files = append(files, model...)
	for _, name := range made {
		if lines := t.lines(name); len(lines) > 0 {
			files = append(files, fileEdits{now: name, hunks: []Hunk{{First: 1, Lines: len(lines), Code: true, Edit: 1}}, removed: make([][]string, 1)})
		}
	}
	for i := range files {
		if f := &files[i]; isPython(f.now) && isPython(f.old) {
			f.leaveOutMoved(t.lines(f.now))
		}
	}
	t.leaveOutRenames(files)
	for i := range files {
		if f := &files[i]; isPython(f.now) {
			lines := t.lines(f.now)
			placeIn(lines, f.hunks)
			relate(lines, f.hunks)
			f.noteNew(lines)
		}
	}
	edited := map[string]bool{}
	for _, f := range files {
		edited[f.now], edited[f.old] = true, true
	}
	unedited := slices.DeleteFunc(slices.Clone(known), func(name string) bool { return edited[name] })
	return editsOf(commit, t, files, unedited), nil
}

// modelEndings are the endings of the files that a run of a model may read: Python code and configurations.
var modelEndings = []string{".py", ".yaml", ".yml", ".json", ".toml", ".gin", ".cfg", ".ini", ".pbtxt", ".textproto"}

// IsModelFile reports whether a run of the model may read a file. An edit of another program is no cause.
func IsModelFile(name string) bool { return slices.Contains(modelEndings, path.Ext(name)) }

// diff compares some files of the work tree with a commit.
func (t *workTree) diff(ctx context.Context, env []string, commit string, paths ...string) ([]fileEdits, error) {
	text, err := t.print(ctx, env, diffing(append([]string{"-U0", "--inter-hunk-context=0", "--no-color", "--no-relative",
		"--find-renames", "--src-prefix=a/", "--dst-prefix=b/", commit, "--"}, paths...)...)...)
	if err != nil {
		return nil, err
	}
	return parseDiff(text)
}

// diffing returns the arguments of git diff that compares files itself, and does not look into submodules, which have a configuration of their own.
func diffing(args ...string) []string {
	return append([]string{"diff", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all"}, args...)
}

// distrustful returns an environment in which git reads files instead of trusting their time stamps: an archive, a cache or a container may give two
// versions of a file the same one. Git reads a file that is not older than its index, so this is a copy of the index that is older than any file.
func (t *workTree) distrustful() (env []string, remove func(), err error) {
	index, err := os.ReadFile(t.index)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, func() {}, nil // nothing was added yet
	} else if err != nil {
		return nil, nil, fmt.Errorf("reading git's index: %w", err)
	}
	dir, err := os.MkdirTemp("", "xlagate-index")
	if err != nil {
		return nil, nil, err
	}
	remove = func() { _ = os.RemoveAll(dir) }
	older, oldest := filepath.Join(dir, "index"), time.Unix(1, 0)
	if err = os.WriteFile(older, index, 0o600); err == nil {
		err = os.Chtimes(older, oldest, oldest)
	}
	if err != nil {
		remove()
		return nil, nil, fmt.Errorf("copying git's index: %w", err)
	}
	return []string{"GIT_INDEX_FILE=" + older}, remove, nil
}

// python lists the Python files that git knows, and those that it does not: what else is around in a work tree is data, dumps and results.
func (t *workTree) python(ctx context.Context) (known, made []string, err error) {
	text, err := t.print(ctx, nil, "ls-files", "-z", "-t", "--full-name", "--cached", "--others", "--exclude-standard", "--", "*.py")
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\x00"), "\x00") {
		switch state, name, _ := strings.Cut(line, " "); state {
		case "":
		case "?":
			made = append(made, name)
		default:
			known = append(known, name)
		}
	}
	return known, made, err
}

// print is what git prints at the top of the work tree, with an environment besides its own.
func (t *workTree) print(ctx context.Context, env []string, args ...string) (string, error) {
	out := &bounded{left: maxPrinted}
	cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "core.quotepath=off"}, args...)...)
	cmd.Stdout, cmd.Env = out, env
	var settings []string
	if args[0] == "diff" {
		settings = t.unfiltered()
	}
	err := run(cmd, t.top, args[0], settings...)
	if out.left < 0 {
		err = errTooLong
	}
	return out.out.String(), err
}

// NoRepository is why nothing is known where there is no repository.
const NoRepository = "there is no git repository"

// reason says why git does not know the edits.
func reason(ctx context.Context, err error) string {
	var failed *Failure
	switch {
	case ctx.Err() != nil:
		return "git did not answer: " + ctx.Err().Error()
	case errors.Is(err, errTooLong):
		return "the edits are too large to read"
	case !errors.As(err, &failed):
		return err.Error()
	case strings.Contains(failed.Sentence(), "not a git repository"):
		return NoRepository
	}
	return failed.Sentence()
}

// asker asks one repository.
type asker struct {
	ctx    context.Context
	dir    string
	getenv func(string) string
}

// ask is git's answer in one line, "" where it has none.
func (a asker) ask(args ...string) string {
	out, err := Run(a.ctx, a.dir, args...)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// commit is the commit that a revision means; "" where the checkout does not hold it.
func (a asker) commit(revision string) string {
	return a.ask("rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
}

// base is the commit that edits are counted from, or else why it is not known.
func (a asker) base(asked string) (commit, unknown string) {
	target := a.getenv("GITHUB_BASE_REF")
	if asked == "" && target == "" {
		var tip string
		if asked, tip = a.defaultBranch(); tip != "" {
			return tip, ""
		}
	}
	head := a.commit("HEAD")
	switch {
	case head == "":
		return a.ask("hash-object", "-t", "tree", "--stdin"), "" // nothing: there is no commit yet
	case asked != "":
		return a.fork(asked)
	case target == "":
		return head, ""
	}
	if strings.HasSuffix(a.getenv("GITHUB_REF"), "/merge") && a.getenv("GITHUB_SHA") == head {
		if first := a.commit("HEAD^1"); first != "" { // GitHub checks out a merge of the pull request and its target, which is the first parent
			return first, ""
		}
	}
	return a.fork("origin/"+target, target)
}

// defaultBranch is the branch that others are made from, "" where none is known by its name, with its commit if it is checked out.
func (a asker) defaultBranch() (branch, tip string) {
	const heads, origin = "refs/heads/", "refs/remotes/origin/"
	held := map[string]string{} // the commit of each, behind a * if it is checked out
	for line := range strings.Lines(a.ask("for-each-ref", "--format=%(refname) %(HEAD)%(objectname) %(symref:lstrip=2)",
		heads, origin+"HEAD", origin+"main", origin+"master")) {
		f := strings.Fields(line)
		if held[f[0]] = f[1]; f[0] == origin+"HEAD" && len(f) > 2 {
			branch = f[2]
		}
	}
	for _, name := range []string{"main", "master"} {
		switch {
		case branch != "":
		case held[origin+name] != "":
			branch = "origin/" + name
		case held[heads+name] != "":
			branch = name
		}
	}
	if commit, here := strings.CutPrefix(held[heads+strings.TrimPrefix(branch, "origin/")], "*"); here {
		tip = commit
	}
	return branch, tip
}

// fork is where HEAD left the first of these revisions that the checkout holds.
func (a asker) fork(revisions ...string) (commit, unknown string) {
	for _, revision := range revisions {
		tip := a.commit(revision)
		if tip == "" {
			continue
		}
		if common := a.ask("merge-base", tip, "HEAD"); common != "" {
			return common, ""
		}
		return "", fmt.Sprintf("this checkout is too shallow to find where it left %s: fetch all of it with git fetch --unshallow; with actions/checkout: fetch-depth: 0", revision)
	}
	name := revisions[len(revisions)-1]
	return "", fmt.Sprintf("this checkout does not hold %s: fetch it with git fetch origin %s; with actions/checkout: fetch-depth: 0",
		name, strings.TrimPrefix(name, "origin/"))
}

// parseDiff returns what was edited in each file, from the output of git diff with no context lines.
func parseDiff(text string) ([]fileEdits, error) {
	files, _, err := gitdiff.Parse(strings.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("read what git prints: %s", shown(err.Error()))
	}
	var edits []fileEdits
	for _, f := range files {
		edit := fileEdits{old: f.OldName, now: f.NewName}
		for _, part := range f.TextFragments {
			var removed, added []string
			for _, l := range part.Lines {
				if line := strings.TrimSuffix(l.Line, "\n"); l.Op == gitdiff.OpDelete {
					removed = append(removed, line)
				} else {
					added = append(added, line)
				}
			}
			edit.hunks = append(edit.hunks, hunkOf(int(part.OldPosition), removed, int(part.NewPosition), added, isPython(cmp.Or(f.NewName, f.OldName))))
			edit.removed = append(edit.removed, removed)
		}
		edits = append(edits, edit)
	}
	return edits, nil
}
