package policy

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/registry"
)

// history is a repository whose base revision is committed; the checkout holds what a pull request would.
func history(t *testing.T, configuration, facts string) string {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "xlagate.yaml"), configuration)
	writeStored(t, filepath.Join(dir, ".xlagate"), facts)
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"commit", "-q", "-m", "base"}} {
		cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.invalid", "-c", "commit.gpgsign=false"}, args...)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v %s", args, err, out)
		}
	}
	return dir
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// The base is what was committed there: a pull request cannot change what it is held against.
func TestBaseIsWhatWasCommitted(t *testing.T) {
	dir := history(t, base, accepted)
	write(t, filepath.Join(dir, "xlagate.yaml"), strings.Replace(base, "max: 19", "max: 99", 1))
	writeStored(t, filepath.Join(dir, ".xlagate"), strings.Replace(accepted, "19", "99", 1))
	p, err := FromGit(context.Background(), registry.Client{}, dir, "HEAD", config.FileName)
	if err != nil {
		t.Fatal(err)
	}
	head := Policy{File: config.FileName, Config: parse(t, strings.Replace(base, "max: 19", "max: 99", 1)), Store: os.DirFS(filepath.Join(dir, ".xlagate"))}
	changes, err := Compare(p, head)
	if err != nil || len(changes) != 2 || changes[0].Text != "max 19 → 99" || !strings.HasPrefix(changes[1].Text, "accepted anew: kernels 19 → 99") {
		t.Errorf("%+v, %v", changes, err)
	}
}

// A base without accepted facts is one with none, not one that cannot be read.
func TestBaseWithoutBaseline(t *testing.T) {
	dir := history(t, base+"baseline: elsewhere\n", accepted)
	p, err := FromGit(context.Background(), registry.Client{}, dir, "HEAD", config.FileName)
	if err != nil || p.Store != nil && hasFiles(p.Store) {
		t.Errorf("%+v, %v", p, err)
	}
}

func hasFiles(store fs.FS) bool {
	files, err := fs.ReadDir(store, ".")
	return err == nil && len(files) > 0
}

// A base whose configuration is wrong says so with its place.
func TestBaseWithAWrongConfiguration(t *testing.T) {
	dir := history(t, "version: 1\nrules: 3\n", accepted)
	_, err := FromGit(context.Background(), registry.Client{}, dir, "HEAD", config.FileName)
	if err == nil || !strings.HasPrefix(err.Error(), "xlagate.yaml:2:8: rules is ") {
		t.Errorf("%v", err)
	}
}

// A baseline at the base that is a file, where a folder is expected, is not passed over.
func TestBaseWithABaselineThatIsAFile(t *testing.T) {
	dir := history(t, base+"baseline: xlagate.yaml\n", accepted)
	if _, err := FromGit(context.Background(), registry.Client{}, dir, "HEAD", config.FileName); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}
