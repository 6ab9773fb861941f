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
		".xlagate": "", "/abs/dir": "", "a b": "", "git:main:.xlagate": "", "git:origin/main:a/b": "",
		"git:main": "is not git:REF:PATH", "git::a": "is not git:REF:PATH", "git:main:": "is not git:REF:PATH", "git:-x:a": "is not git:REF:PATH",
		"oci://ghcr.io/a/b:c": "cannot hold a baseline", "https://x": "cannot hold a baseline", "file:///x": "cannot hold a baseline",
	} {
		err := CheckPlace(where)
		if (err == nil) != (wrong == "") || err != nil && !strings.Contains(err.Error(), wrong) {
			t.Errorf("%s: %v, wanted %q", where, err, wrong)
		}
	}
}

func TestRemote(t *testing.T) {
	for where, want := range map[string]bool{".xlagate": false, "git": false, "/git:x": false, "git:main:a": true, "oci://ghcr.io/a/b:c": false} {
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
