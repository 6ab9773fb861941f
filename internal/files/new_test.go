package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
)

func text(s string) func(*os.File) error {
	return func(f *os.File) error {
		_, err := f.WriteString(s)
		return err
	}
}

// A new file is there once all of it is, or not at all.
func TestNew(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "xlagate.yaml")
	failure := errors.New("it failed")
	err := Create(path, func(f *os.File) error {
		if err := text("a part")(f); err != nil {
			t.Error(err)
		}
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a part of the file already exists: %v", err)
		}
		return failure
	})
	if !errors.Is(err, failure) {
		t.Errorf("the error is %v", err)
	}
	alone(t, dir)
	if err := Create(path, text("whole")); err != nil {
		t.Fatal(err)
	}
	holds(t, path, "whole")
	alone(t, dir, "xlagate.yaml")
}

// What has the name already stays: a file, a link to nothing, and a file that came while this one was written.
func TestNewNeverReplaces(t *testing.T) {
	dir := t.TempDir()
	path, link, late := filepath.Join(dir, "file"), filepath.Join(dir, "link"), filepath.Join(dir, "late")
	write(t, path, "old")
	if err := os.Symlink(filepath.Join(dir, "nothing"), link); err != nil {
		t.Fatal(err)
	}
	for _, taken := range []string{path, link, dir} {
		if err := Create(taken, text("new")); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s: %v", taken, err)
		}
	}
	err := Create(late, func(f *os.File) error {
		write(t, late, "first")
		return text("second")(f)
	})
	if !errors.Is(err, fs.ErrExist) {
		t.Errorf("the error is %v", err)
	}
	holds(t, path, "old")
	holds(t, late, "first")
	alone(t, dir, "file", "late", "link")
}

// Of many that make the same file one does, and it is one of theirs, whole.
func TestNewOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	var made atomic.Int32
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			if err := Create(path, text("whole")); err == nil {
				made.Add(1)
			} else if !errors.Is(err, fs.ErrExist) {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if made.Load() != 1 {
		t.Errorf("%d made it", made.Load())
	}
	holds(t, path, "whole")
}

// Where a disk gives no file a second name, the name is taken first, and never from another.
func TestSettleWithoutLinks(t *testing.T) {
	dir := t.TempDir()
	missing, path := filepath.Join(dir, "missing"), filepath.Join(dir, "file")
	write(t, path, "old")
	if err := settle(missing, path); !errors.Is(err, fs.ErrExist) { // what is not there has no second name either
		t.Errorf("the error is %v", err)
	}
	if err := settle(missing, filepath.Join(dir, "new")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the error is %v", err)
	}
	holds(t, path, "old")
	alone(t, dir, "file")
}
