package files

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	err := Replace(path, func(f *os.File) error {
		_, err := f.WriteString(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func holds(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s holds %q, expected %q: %v", path, got, want, err)
	}
}

func alone(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if !slices.Equal(names, want) {
		t.Errorf("the folder holds %q, expected %q", names, want)
	}
}

// A file is the old one until it is kept, and stays the old one when it is not.
func TestWhole(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "result.json")
	write(t, path, "old")
	failure := errors.New("it failed")
	err := Replace(path, func(f *os.File) error {
		if _, err := f.WriteString("a part"); err != nil {
			t.Error(err)
		}
		holds(t, path, "old")
		return failure
	})
	if !errors.Is(err, failure) {
		t.Errorf("the error is %v", err)
	}
	holds(t, path, "old")
	alone(t, dir, "result.json")
	write(t, path, "new")
	holds(t, path, "new")
	alone(t, dir, "result.json")
}

// A file that is replaced keeps its permissions, a new one has those of any other new file.
func TestPermissions(t *testing.T) {
	dir := t.TempDir()
	path, other := filepath.Join(dir, "new"), filepath.Join(dir, "other")
	write(t, path, "1")
	if err := os.WriteFile(other, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if got, want := mode(t, path), mode(t, other); got != want {
		t.Errorf("a new file has %v, expected %v", got, want)
	}
	if err := os.Chmod(path, 0o604); err != nil {
		t.Fatal(err)
	}
	write(t, path, "2")
	if got := mode(t, path); got != 0o604 {
		t.Errorf("a file that is replaced has %v, expected -rw----r--", got)
	}
}

func mode(t *testing.T, path string) os.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode()
}

// A link stays, and what it leads to is written, there already or not.
func TestLink(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	link, file := filepath.Join(dir, "link"), filepath.Join(elsewhere, "file")
	if err := os.Symlink(file, link); err != nil {
		t.Skip(err)
	}
	for _, text := range []string{"first", "second"} {
		write(t, link, text)
		holds(t, file, text)
		if to, err := os.Readlink(link); err != nil || to != file {
			t.Errorf("the link leads to %q: %v", to, err)
		}
	}
	alone(t, dir, "link")
	alone(t, elsewhere, "file")
}

// What is no file is written as it is.
func TestInPlace(t *testing.T) {
	write(t, os.DevNull, "nothing")
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Errorf("%s was replaced: %v", os.DevNull, err)
	}
}

// What killed runs left is removed; what another run may be writing stays. The folder's name is a name and no pattern.
func TestSweep(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs[1]")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	old, young := filepath.Join(dir, unfinished+"1"), filepath.Join(dir, unfinished+"2")
	for _, name := range []string{old, young} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	long, others := time.Now().Add(-time.Hour), filepath.Join(dir, "other")
	if err := errors.Join(os.WriteFile(others, nil, 0o600), os.Chtimes(old, long, long), os.Chtimes(others, long, long)); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "file"), "text")
	alone(t, dir, unfinished+"2", "file", "other")
	holds(t, young, "")
}

func TestNoFolder(t *testing.T) {
	if err := Replace(filepath.Join(t.TempDir(), "none", "file"), func(*os.File) error { return nil }); err == nil {
		t.Error("a file was made in a folder that is not there")
	}
}
