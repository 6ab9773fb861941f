package baseline

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCheckPlace(t *testing.T) {
	for where, wrong := range map[string]string{
		".xlagate": "", "/abs/dir": "", "a b": "", "git:main:.xlagate": "", "git:origin/main:a/b": "", "oci://ghcr.io/a/b:main": "",
		"git:main": "is not git:REF:PATH", "git::a": "is not git:REF:PATH", "git:main:": "is not git:REF:PATH", "git:-x:a": "is not git:REF:PATH",
		"oci://ghcr.io/a/b": "names no tag", "https://x": "is no place for a baseline", "file:///x": "is no place for a baseline",
	} {
		err := CheckPlace(where)
		if (err == nil) != (wrong == "") || err != nil && !strings.Contains(err.Error(), wrong) {
			t.Errorf("%s: %v, wanted %q", where, err, wrong)
		}
	}
}

func TestRemote(t *testing.T) {
	for where, want := range map[string]bool{".xlagate": false, "git": false, "/git:x": false, "git:main:a": true, "oci://ghcr.io/a/b:c": true, "oci": false} {
		if Remote(where) != want {
			t.Errorf("%s: %v", where, !want)
		}
	}
}

// A path is relative to the configuration, unless it is absolute.
func TestFolderOfAPlace(t *testing.T) {
	dir := t.TempDir()
	if got := (Place{Where: "a/b", Dir: dir}).folder(); got != filepath.Join(dir, "a/b") {
		t.Error(got)
	}
	if got := (Place{Where: dir, Dir: "elsewhere"}).folder(); got != dir {
		t.Error(got)
	}
}

// A file where a directory is expected is not an empty baseline.
func TestPlaceThatIsAFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "x"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p := Place{Where: "x", Dir: dir}
	_, opened := p.Open(context.Background())
	_, edited := p.Edit(context.Background())
	for _, err := range []error{opened, edited} {
		if err == nil || errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "is a file; the baseline is a directory") {
			t.Errorf("%v", err)
		}
	}
}

func TestPlaceThatIsWrong(t *testing.T) {
	p := Place{Where: "s3://x"}
	_, opened := p.Open(context.Background())
	_, edited := p.Edit(context.Background())
	if opened == nil || edited == nil {
		t.Errorf("%v, %v", opened, edited)
	}
}

// Removing the last file of a target removes its folder, but neither a folder in use nor the baseline itself.
func TestRemoveLeavesNoEmptyFolder(t *testing.T) {
	dir := t.TempDir()
	e := edit(t, Place{Where: dir})
	put(t, e, "a/x.yaml", "1")
	put(t, e, "a/y.yaml", "2")
	put(t, e, "z.yaml", "3")
	if err := e.Remove("a/x.yaml"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "a", "y.yaml")); err != nil {
		t.Error(err)
	}
	if err := errors.Join(e.Remove("a/y.yaml"), e.Remove("z.yaml")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "a")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty folder is left: %v", err)
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		t.Errorf("the baseline itself is gone: %v", err)
	}
	if err := e.Remove("a/x.yaml"); !errors.Is(err, fs.ErrNotExist) || !strings.HasPrefix(err.Error(), "remove from the baseline: ") {
		t.Errorf("what is not there: %v", err)
	}
	if got := e.Shown("a/x.yaml"); got != filepath.Join(dir, "a", "x.yaml") {
		t.Errorf("shown as %s", got)
	}
}

// A file that is written can be read by others: it is committed and checked out elsewhere.
func TestModeOfAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a", "b", "p.yaml")
	if changed, err := WriteFile(file, []byte("x")); err != nil || !changed {
		t.Fatalf("%v, %v", changed, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if changed, err := WriteFile(file, []byte("y")); err != nil || !changed {
		t.Errorf("%v, %v", changed, err)
	}
	if data, err := os.ReadFile(file); err != nil || string(data) != "y" {
		t.Errorf("%q, %v", data, err)
	}
}

// What cannot be made says what was being done.
func TestFolderThatCannotBeMade(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "x"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := WriteFile(filepath.Join(dir, "x", "p.yaml"), nil); err == nil || !strings.HasPrefix(err.Error(), "make the baseline's folder: ") {
		t.Errorf("%v", err)
	}
}
