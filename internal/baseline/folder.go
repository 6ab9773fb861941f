package baseline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/xlagate/xlagate/internal/files"
)

// folder is a baseline in a directory. Nothing changes there before Commit, which changes all of it or nothing.
type folder struct {
	fs.FS
	dir     string
	step    *files.Step
	written map[string][]byte
	removed []string
}

// openFolder opens a directory for reading, in which nothing is half written.
func openFolder(dir, config string) (fs.FS, error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		if err == nil {
			err = fmt.Errorf("%s is a file; the baseline is a directory", dir)
		}
		return nil, err
	}
	if _, err := files.Finish(dir, config); err != nil {
		return nil, &Error{dir, "an accept was interrupted, and cannot be finished: " + err.Error(), "run xlagate accept again where the baseline can be written"}
	}
	return os.DirFS(dir), nil
}

// editFolder opens a directory for changing. Nobody else may do so at the same time.
func editFolder(dir, config string) (*folder, error) {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil, fmt.Errorf("%s is a file; the baseline is a directory", dir)
	}
	step, err := files.Begin(dir, config)
	if held := (*files.Held)(nil); errors.As(err, &held) {
		return nil, &Error{dir, "the baseline is being changed: " + held.Error(), "wait until it has ended, then do the same again"}
	}
	if err != nil {
		return nil, fmt.Errorf("open the baseline for changing: %w", err)
	}
	return &folder{FS: os.DirFS(dir), dir: dir, step: step, written: map[string][]byte{}}, nil
}

// Shown is the file's path.
func (f *folder) Shown(name string) string { return filepath.Join(f.dir, filepath.FromSlash(name)) }

// Put writes a file.
func (f *folder) Put(name string, data []byte) (bool, error) {
	old, again := f.written[name]
	if !again {
		old, _ = fs.ReadFile(f, name) // one that cannot be read is written
	}
	if old != nil && bytes.Equal(old, data) {
		return false, nil
	}
	f.step.Write(name, data)
	f.written[name] = data
	return true, nil
}

// Also writes a file that is not of the baseline.
func (f *folder) Also(_ string, data []byte) { f.step.Also(data) }

// Remove removes a file, and the folders in which nothing else lies.
func (f *folder) Remove(name string) error {
	if _, err := fs.Stat(f, name); err != nil {
		return fmt.Errorf("remove from the baseline: %w", err)
	}
	f.step.Remove(name)
	f.removed = append(f.removed, name)
	return nil
}

// Commit makes the changes.
func (f *folder) Commit(context.Context) (string, error) {
	for _, name := range f.removed {
		at := path.Join(path.Dir(name), attributesFile)
		if left, err := fs.ReadDir(f, path.Dir(name)); err == nil && !slices.ContainsFunc(left, func(e fs.DirEntry) bool { return f.stays(path.Dir(name), e) }) {
			f.step.Remove(at)
		}
	}
	if err := f.step.Commit(); err != nil {
		return "", fmt.Errorf("write the baseline: %w", err)
	}
	return "", nil
}

// stays reports whether a folder is needed for something that lies in it.
func (f *folder) stays(dir string, e fs.DirEntry) bool {
	return e.Name() != attributesFile && !slices.Contains(f.removed, path.Join(dir, e.Name()))
}

// Close lets others change the baseline.
func (f *folder) Close() error { return f.step.Close() }
