package baseline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/xlagate/xlagate/internal/files"
	"github.com/xlagate/xlagate/internal/git"
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
		_, _, err := CutGit(where)
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
		store, a, err := openArtifact(ctx, p)
		if err == nil && a.digest == "" {
			err = fs.ErrNotExist
		}
		return store, err
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

// ErrFixed reports that a baseline is in a place that cannot be changed.
var ErrFixed = errors.New("cannot be written; give a directory, as in --baseline .xlagate, or a tag of a registry")

// Edit opens a baseline for reading and writing. A missing one is empty.
func (p Place) Edit(ctx context.Context) (*Edit, error) {
	if err := CheckPlace(p.Where); err != nil {
		return nil, err
	}
	e := &Edit{changed: map[string][]byte{}, also: map[string][]byte{}}
	var err error
	switch ref, _ := registry.Parse(p.Where); {
	case strings.HasPrefix(p.Where, gitScheme), registry.Is(p.Where) && ref.Fixed():
		return nil, fmt.Errorf("the baseline %s %w", p.Where, ErrFixed)
	case registry.Is(p.Where):
		e.FS, e.store, err = openArtifact(ctx, p)
	default:
		e.FS = os.DirFS(p.folder())
		e.store, err = editFolder(ctx, p.folder(), p.config())
	}
	if err != nil {
		return nil, err
	}
	return e, nil
}

// Edit is a baseline that is being changed. Reading returns the content from when it was opened.
type Edit struct {
	fs.FS
	store   editStore
	changed map[string][]byte // the new content of files; nil removes one
	also    map[string][]byte // of files outside the baseline
}

// EditCopy opens the copy of a baseline that is in a repository's folder for changing. What is committed is put into changed, by its path in the repository.
func EditCopy(store fs.FS, folder string, changed map[string][]byte) *Edit {
	return &Edit{FS: store, store: &copyStore{folder, changed}, changed: map[string][]byte{}, also: map[string][]byte{}}
}

// copyStore is a baseline that is somewhere else.
type copyStore struct {
	folder  string
	changed map[string][]byte
}

func (c *copyStore) shown(name string) string { return path.Join(c.folder, name) }

func (c *copyStore) commit(_ context.Context, e *Edit) (string, error) {
	for name, data := range e.changed {
		c.changed[c.shown(name)] = data
	}
	maps.Copy(c.changed, e.also)
	return "", nil
}

func (c *copyStore) close() error { return nil }

// editStore is where a baseline is changed.
type editStore interface {
	shown(name string) string
	// commit makes all changes or none. It returns the reference that was pushed, "" if none was.
	commit(ctx context.Context, e *Edit) (pushed string, err error)
	close() error
}

// Put writes a file, and reports whether the content changed.
func (e *Edit) Put(name string, data []byte) (changed bool, err error) {
	old, again := e.changed[name]
	if !again {
		old, _ = read(e, name) // one that cannot be read is written
	}
	if old != nil && bytes.Equal(old, data) {
		return false, nil
	}
	e.changed[name] = data
	return true, nil
}

// Remove removes a file.
func (e *Edit) Remove(name string) error {
	if _, err := fs.Stat(e, name); err != nil && e.changed[name] == nil {
		return fmt.Errorf("remove from the baseline: %w", err)
	}
	e.changed[name] = nil
	return nil
}

// Shown returns the name of a file for messages.
func (e *Edit) Shown(name string) string { return e.store.shown(name) }

// Also writes a file outside the baseline, last in the same step.
func (e *Edit) Also(file string, data []byte) { e.also[file] = data }

// Commit makes all changes or none. It returns the reference that was pushed, "" if none was.
func (e *Edit) Commit(ctx context.Context) (pushed string, err error) {
	if pushed, err = e.store.commit(ctx, e); err == nil {
		clear(e.changed)
		clear(e.also)
	}
	return pushed, err
}

// Close drops uncommitted changes.
func (e *Edit) Close() error { return e.store.close() }

// folder is a directory that holds a baseline.
type folder struct {
	dir  string
	step *files.Step
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
		return nil, wrong(dir, "an accept was interrupted, and cannot be finished: "+err.Error(), "restore the folder from git and remove .xlagate-step from it, or run xlagate accept again where the baseline can be written")
	}
	return os.DirFS(dir), nil
}

// editFolder opens a directory for changing, and locks it.
func editFolder(ctx context.Context, dir, config string) (editStore, error) {
	if link := git.CheckedInLink(ctx, dir); link != "" {
		return nil, wrong(dir, link+" is a link that is checked in, so whoever wrote the checkout chose where it leads", "give the folder that it leads to: --baseline DIR")
	}
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
	return &folder{dir, step}, nil
}

func (f *folder) shown(name string) string { return filepath.Join(f.dir, filepath.FromSlash(name)) }

func (f *folder) commit(_ context.Context, e *Edit) (string, error) {
	for name, data := range e.changed {
		if data != nil {
			f.step.Write(name, data)
			continue
		}
		f.step.Remove(name)
	}
	for _, data := range e.also {
		f.step.Also(data)
	}
	if err := f.step.Commit(); err != nil {
		return "", fmt.Errorf("write the baseline: %w", err)
	}
	return "", nil
}

func (f *folder) close() error { return f.step.Close() }
