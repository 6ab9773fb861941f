package baseline

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// checkout is a git repository with one real program's baseline under base/m, committed.
func checkout(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	runGit(t, dir, "init", "-q", "-b", "main")
	r := measured(t, realDumps[0])
	p := &Program{Program: *r.Programs[0]}
	e := edit(t, Place{Where: "base", Dir: dir})
	Save(e, "m", "", p)
	if err := errors.Join(e.Commit(), e.Close()); err != nil {
		t.Fatal(err)
	}
	runGit(t, dir, "add", ".")
	runGit(t, dir, "commit", "-q", "-m", "one")
	return dir
}

func runGit(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"}, args...)...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func TestOpenGit(t *testing.T) {
	dir := checkout(t)
	store, err := Place{Where: "git:main:base", Dir: dir}.Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if set, err := Load(store, "m"); err != nil || len(set.Programs) != 1 {
		t.Errorf("%v, %v", set, err)
	}
	if _, err := (Place{Where: "git:main:base", Dir: dir}).Edit(context.Background()); !errors.Is(err, ErrFixed) {
		t.Errorf("editing: %v", err)
	}
}

// What is read of a revision is what was committed, whatever the checkout and its settings make of it.
func TestGitReadsWhatWasCommitted(t *testing.T) {
	dir := checkout(t)
	name := filepath.Join(dir, "base/m", FileName(measured(t, realDumps[0]).Programs[0].Name))
	committed, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	runGit(t, dir, "config", "core.autocrlf", "true")
	if err := os.WriteFile(name, []byte("edited"), 0o600); err != nil {
		t.Fatal(err)
	}
	store, err := Place{Where: "git:HEAD:base", Dir: dir}.Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if data, err := fs.ReadFile(store, "m/"+filepath.Base(name)); err != nil || string(data) != string(committed) {
		t.Errorf("%v\n%.200q", err, data)
	}
}

func TestGitSaysWhy(t *testing.T) {
	dir := checkout(t)
	file := FileName(measured(t, realDumps[0]).Programs[0].Name)
	for _, c := range []struct{ where, dir, says, fix string }{
		{"git:main", dir, "is not git:REF:PATH", ""},
		{"git::base", dir, "is not git:REF:PATH", ""},
		{"git:--help:base", dir, "is not git:REF:PATH", ""},
		{"ftp://x", dir, "cannot hold a baseline", ""},
		{"git:origin/main:base", dir, `git does not know the revision "origin/main" here`, "git fetch origin main"},
		{"git:v1.2:base", dir, `git does not know the revision "v1.2" here`, "git fetch origin tag v1.2"},
		{"git:" + strings.Repeat("1234", 10) + ":base", dir, "does not know the revision", "git fetch origin 1234"},
		{"git:12345678:base", dir, "does not know the revision", "git log --oneline lists the commits"},
		{"git:main~9:base", dir, "does not know the revision", "git log --oneline lists the commits"},
		{"git:main:base/m/" + file, dir, "is a file there", "name the directory"},
		{"git:main:../elsewhere", dir, "is outside repository", "inside the repository"},
		{"git:main:base", t.TempDir(), "not a git repository", "inside the repository"},
		{"git:main:base", filepath.Join(dir, "nowhere"), "git cannot be run", ""},
	} {
		_, err := Place{Where: c.where, Dir: c.dir}.Open(context.Background())
		var said *Error
		if err == nil || !strings.Contains(err.Error(), c.says) || errors.As(err, &said) && !strings.Contains(said.Fix, c.fix) {
			t.Errorf("%s: %v, wanted %q and %q", c.where, err, c.says, c.fix)
		}
	}
	if _, err := (Place{Where: "git:main:elsewhere", Dir: dir}).Open(context.Background()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder that is not there: %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := (Place{Where: "git:main:base", Dir: dir}).Open(context.Background()); err == nil || !strings.Contains(err.Error(), "git cannot be run") {
		t.Errorf("without git: %v", err)
	}
}

// A baseline is not written through a link that a checkout brought.
func TestFolderThatIsACheckedInLink(t *testing.T) {
	dir, outside := checkout(t), t.TempDir()
	for _, name := range []string{"link", "base/linked"} {
		if err := os.Symlink(outside, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	runGit(t, dir, "add", ".")
	if _, err := (Place{Where: "link", Dir: dir}).Edit(context.Background()); err == nil || !strings.Contains(err.Error(), "link is a link that is checked in") {
		t.Errorf("%v", err)
	}
	e := edit(t, Place{Where: "base", Dir: dir})
	Save(e, "linked", "", &Program{Program: *measured(t, realDumps[0]).Programs[0]})
	err := e.Commit()
	left, readErr := os.ReadDir(outside)
	if err == nil || len(left) > 0 || errors.Join(readErr, e.Close()) != nil {
		t.Errorf("%v; it wrote %v", err, left)
	}
}
