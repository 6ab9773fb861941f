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
	"strings"

	"github.com/xlagate/xlagate/internal/files"
	"github.com/xlagate/xlagate/internal/registry"
)

// Place is the location of a baseline.
type Place struct {
	Where    string // a directory, git:REF:PATH or oci://REGISTRY/REPOSITORY:TAG
	Dir      string // a relative directory starts here, and the git repository contains it
	Config   string // the configuration file, which may change in the same step as a directory; "" for none
	Registry registry.Client
}

const gitScheme = "git:"

// Remote reports whether a baseline is not in a directory.
func Remote(where string) bool { return strings.HasPrefix(where, gitScheme) || registry.Is(where) }

// CheckPlace returns an error if a baseline's place is malformed.
func CheckPlace(where string) error {
	switch {
	case strings.HasPrefix(where, gitScheme):
		_, _, err := cutGit(where)
		return err
	case registry.Is(where):
		_, err := registry.Parse(where)
		return err
	case strings.Contains(where, "://"):
		return fmt.Errorf("%q cannot hold a baseline; give a directory, git:REF:PATH or oci://REGISTRY/REPOSITORY:TAG", where)
	}
	return nil
}

// Open opens a baseline for reading. It returns [fs.ErrNotExist] if the baseline is missing.
func (p Place) Open(ctx context.Context) (fs.FS, error) {
	if err := CheckPlace(p.Where); err != nil {
		return nil, err
	}
	switch {
	case strings.HasPrefix(p.Where, gitScheme):
		return openGit(ctx, p.Dir, p.Where)
	case registry.Is(p.Where):
		a, err := openArtifact(ctx, p)
		if err == nil && a.digest == "" {
			err = fs.ErrNotExist
		}
		return a, err
	}
	return openFolder(p.folder(), p.config())
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

// Edit is a baseline that is being changed. Reading returns the content from when it was opened.
type Edit interface {
	fs.FS
	// Put writes a file, and reports whether the content changed.
	Put(name string, data []byte) (changed bool, err error)
	Remove(name string) error
	// Shown returns the name of a file for messages.
	Shown(name string) string
	// Also writes a file outside the baseline, last in the same step.
	Also(file string, data []byte)
	// Commit makes all changes or none. It returns the reference that was pushed, "" if none was.
	Commit(ctx context.Context) (pushed string, err error)
	// Close drops uncommitted changes.
	Close() error
}

// ErrFixed reports that a baseline is in a place that cannot be changed.
var ErrFixed = errors.New("cannot be written; give a directory, as in --baseline .xlagate, or a tag of a registry")

// Edit opens a baseline for reading and writing. A missing one is empty.
func (p Place) Edit(ctx context.Context) (Edit, error) {
	if err := CheckPlace(p.Where); err != nil {
		return nil, err
	}
	switch ref, _ := registry.Parse(p.Where); {
	case strings.HasPrefix(p.Where, gitScheme), registry.Is(p.Where) && ref.Fixed():
		return nil, fmt.Errorf("the baseline %s %w", p.Where, ErrFixed)
	case registry.Is(p.Where):
		return openArtifact(ctx, p)
	}
	return editFolder(p.folder(), p.config())
}

// folder is a baseline in a directory. Commit makes all changes or none.
type folder struct {
	fs.FS
	dir     string
	step    *files.Step
	written map[string][]byte
	removed []string
}

// openFolder opens a directory for reading, after it finishes an interrupted step.
func openFolder(dir, config string) (fs.FS, error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		if err == nil {
			err = fmt.Errorf("%s is a file; the baseline is a directory", dir)
		}
		return nil, err
	}
	if _, err := files.Finish(dir, config); err != nil {
		return nil, wrong(dir, "an accept was interrupted, and cannot be finished: "+err.Error(), "run xlagate accept again where the baseline can be written")
	}
	return os.DirFS(dir), nil
}

// editFolder opens a directory for changing, and locks it.
func editFolder(dir, config string) (*folder, error) {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil, fmt.Errorf("%s is a file; the baseline is a directory", dir)
	}
	step, err := files.Begin(dir, config)
	if held := (*files.Held)(nil); errors.As(err, &held) {
		return nil, wrong(dir, "the baseline is being changed: "+held.Error(), "wait until that has ended, then try again")
	}
	if err != nil {
		return nil, fmt.Errorf("open the baseline for changing: %w", err)
	}
	return &folder{FS: os.DirFS(dir), dir: dir, step: step, written: map[string][]byte{}}, nil
}

// Shown returns the file's path.
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

// Also writes a file outside the baseline.
func (f *folder) Also(_ string, data []byte) { f.step.Also(data) }

// Remove removes a file, and folders that become empty.
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

// stays reports whether a folder is not empty.
func (f *folder) stays(dir string, e fs.DirEntry) bool {
	return e.Name() != attributesFile && !slices.Contains(f.removed, path.Join(dir, e.Name()))
}

// Close releases the lock.
func (f *folder) Close() error { return f.step.Close() }
