// Package git asks git: what a revision holds, and which lines were edited since.
package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// Failure is a failed git command, with what git printed about it: nothing if something does not exist.
type Failure struct {
	Command string
	Said    string
	Err     error // an [exec.ExitError] where git ran
}

// Error names the command and what git said.
func (f *Failure) Error() string {
	return fmt.Sprintf("git %s: %v: %s", f.Command, f.Err, strings.TrimSpace(f.Said))
}

// Unwrap is how the process ended.
func (f *Failure) Unwrap() error { return f.Err }

// Ran says whether git could be started.
func (f *Failure) Ran() bool {
	var ended *exec.ExitError
	return errors.As(f.Err, &ended)
}

// Sentence is the first line that git printed, with the command that it advises, or why it could not be started.
func (f *Failure) Sentence() string {
	switch {
	case !f.Ran():
		return "git cannot be run: " + f.Err.Error()
	case strings.Contains(f.Said, "promisor remote"):
		return "this clone is partial and does not hold that: fetch all of it with git fetch --refetch --no-filter; with actions/checkout: no filter"
	}
	first, more, _ := strings.Cut(strings.TrimSpace(f.Said), "\n")
	sentence := "git says: " + strings.TrimPrefix(first, "fatal: ")
	if _, advised, ok := strings.Cut(more, "\n\tgit "); ok { // where a container's user is not the owner of the repository
		command, _, _ := strings.Cut(advised, "\n")
		sentence += "; run: git " + command
	}
	return sentence
}

// Run runs git in a directory and returns what it prints. What goes wrong is a [Failure].
func Run(ctx context.Context, dir string, args ...string) ([]byte, error) {
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Stdout = &out
	if err := run(cmd, dir, args[0]); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// quiet are settings under which git starts no program that a repository's own configuration names, takes no folder of a checkout for a repository,
// and shows every object as it was committed.
var quiet = []string{
	"core.fsmonitor=false", "core.hooksPath=" + os.DevNull, "core.pager=cat", "log.showSignature=false", "safe.bareRepository=explicit", "submodule.recurse=false",
}

// run runs git so that it neither asks nor writes nor fetches.
func run(cmd *exec.Cmd, dir, name string, settings ...string) error {
	var said bytes.Buffer
	for _, setting := range slices.Concat(settings, quiet) {
		cmd.Args = slices.Insert(cmd.Args, 1, "-c", setting)
	}
	cmd.Dir, cmd.Stderr = dir, &said
	cmd.Env = append(append(os.Environ(), "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_NO_REPLACE_OBJECTS=1", "LC_ALL=C"), cmd.Env...)
	if err := cmd.Run(); err != nil {
		return &Failure{name, said.String(), err}
	}
	return nil
}

// unfiltered returns settings that turn off the filters of a repository's own configuration.
func unfiltered(dir string) (settings []string) {
	cmd := exec.Command("git", "config", "-z", "--show-scope", "--name-only", "--get-regexp", `^filter\.`)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return nil // there are none
	}
	list := strings.Split(string(out), "\x00")
	for i := 0; i+1 < len(list); i += 2 {
		if scope, key := list[i], list[i+1]; scope == "local" || scope == "worktree" {
			settings = append(settings, key+"=") // no program, and not required
		}
	}
	return settings
}

// CheckedInLink returns the part of a path that is a symbolic link under git's control; "" if there is none. Whoever wrote the checkout chose where such a
// link leads.
func CheckedInLink(ctx context.Context, path string) string {
	for at := filepath.Clean(path); at != filepath.Dir(at); at = filepath.Dir(at) {
		if info, err := os.Lstat(at); err != nil || info.Mode().Type() != os.ModeSymlink {
			continue
		}
		if _, err := Run(ctx, filepath.Dir(at), "ls-files", "--error-unmatch", "--", filepath.Base(at)); err == nil {
			return at
		}
	}
	return ""
}

// errTooLong ends a command that prints more than is wanted.
var errTooLong = errors.New("git prints too much")

// bounded takes so many bytes and no more.
type bounded struct {
	out  bytes.Buffer
	left int
}

// Write fails when too much was written.
func (b *bounded) Write(p []byte) (int, error) {
	if b.left -= len(p); b.left < 0 {
		return 0, errTooLong
	}
	return b.out.Write(p)
}

const (
	maxSource = 1 << 20 // bytes of a file: no source of a model is larger
	maxText   = 200     // letters of a line
)

// workTree reads the files of a repository as they are now.
type workTree struct {
	top        string
	below      string // the folder in it that was asked about, with slashes; "" for the top
	index      string
	unfiltered func() []string // see unfiltered
	held       sync.Mutex
	known      map[string]*source // the files that were read
}

// source is a file of the model.
type source struct {
	lines  []string
	scopes []*scope     // of each line, the first in place 1; nil if the file is not Python
	code   map[int]bool // the lines of Python that are part of a statement; nil before they are asked for
}

// lines are the lines of a file. A link that leads out of the repository is not followed. There are none where it cannot be read.
func (t *workTree) lines(name string) []string {
	root, err := os.OpenRoot(t.top)
	if err != nil {
		return nil
	}
	defer root.Close()
	if info, err := root.Stat(filepath.FromSlash(name)); err != nil || !info.Mode().IsRegular() || info.Size() > maxSource {
		return nil
	}
	f, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSource))
	if err != nil || len(data) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

// text returns one line of a function, fit to be shown.
func (t *workTree) text(name string, line int, function string) string {
	t.held.Lock()
	defer t.held.Unlock()
	s := t.read(name)
	if line < 1 || line > len(s.lines) || s.scopes != nil && !s.scopes[line].named(function) {
		return ""
	}
	return shown(s.lines[line-1])
}

// isCode reports whether a line is part of a statement that says something: in Python no comment, no text of a function, and no check.
func (t *workTree) isCode(name string, line int) bool {
	t.held.Lock()
	defer t.held.Unlock()
	s := t.read(name)
	if line < 1 || line > len(s.lines) || s.scopes == nil {
		return line >= 1 && line <= len(s.lines) && hasCode(s.lines[line-1], false)
	}
	if s.code == nil {
		s.code = map[int]bool{}
		for _, statement := range statementsOf(s.lines) {
			for _, t := range statement {
				s.code[t.line] = true
			}
		}
	}
	return s.code[line] && hasCode(s.lines[line-1], true)
}

// read returns a file, which is read once.
func (t *workTree) read(name string) *source {
	s := t.known[name]
	if s == nil {
		s = &source{lines: t.lines(name)}
		if isPython(name) {
			s.scopes = scopesOf(s.lines)
		}
		t.known[name] = s
	}
	return s
}

func shown(line string) string {
	letters := []rune(strings.TrimSpace(strings.ToValidUTF8(line, "\uFFFD")))
	if len(letters) > maxText {
		letters = append(letters[:maxText-1], '…')
	}
	for i, r := range letters {
		if !unicode.IsPrint(r) {
			letters[i] = ' '
		}
	}
	return string(letters)
}
