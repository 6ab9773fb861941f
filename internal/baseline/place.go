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
)

// Place is the location of a baseline.
type Place struct {
	Where  string // a directory or git:REF:PATH
	Dir    string // a relative directory starts here, and the git repository contains it
	Config string // the configuration file, which may change in the same step as a directory; "" for none
}

const gitScheme = "git:"

// Remote reports whether a baseline is not in a directory.
func Remote(where string) bool { return strings.HasPrefix(where, gitScheme) }

// CheckPlace returns an error if a baseline's place is malformed.
func CheckPlace(where string) error {
	switch {
	case strings.HasPrefix(where, gitScheme):
		_, _, err := CutGit(where)
		return err
	case strings.Contains(where, "://"):
		return fmt.Errorf("%q cannot hold a baseline; give a directory or git:REF:PATH", where)
	}
	return nil
}

// Open opens a baseline for reading. It returns [fs.ErrNotExist] if the baseline is missing.
func (p Place) Open(ctx context.Context) (fs.FS, error) {
	if err := CheckPlace(p.Where); err != nil {
		return nil, err
	}
	if Remote(p.Where) {
		return openGit(ctx, p.Dir, p.Where)
	}
	dir := p.folder()
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		if err == nil {
			err = fmt.Errorf("%s is a file; the baseline is a directory", dir)
		}
		return nil, err
	}
	if _, err := files.Finish(dir, p.config()); err != nil {
		return nil, wrong(dir, "an accept was interrupted, and cannot be finished: "+err.Error(), "restore the folder from git and remove .xlagate-step from it, or run xlagate accept again where the baseline can be written")
	}
	return os.DirFS(dir), nil
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
var ErrFixed = errors.New("cannot be written; give a directory, as in --baseline .xlagate")

// Edit opens a baseline for reading and writing. A missing one is empty.
func (p Place) Edit(ctx context.Context) (*Edit, error) {
	if err := CheckPlace(p.Where); err != nil {
		return nil, err
	}
	if Remote(p.Where) {
		return nil, fmt.Errorf("the baseline %s %w", p.Where, ErrFixed)
	}
	store, err := editFolder(ctx, p.folder(), p.config())
	if err != nil {
		return nil, err
	}
	return &Edit{FS: os.DirFS(p.folder()), store: store, changed: map[string][]byte{}, also: map[string][]byte{}}, nil
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

func (c *copyStore) commit(e *Edit) error {
	for name, data := range e.changed {
		c.changed[c.shown(name)] = data
	}
	maps.Copy(c.changed, e.also)
	return nil
}

func (c *copyStore) close() error { return nil }

// editStore is where a baseline is changed.
type editStore interface {
	shown(name string) string
	commit(e *Edit) error // makes all changes or none
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

// Commit makes all changes or none.
func (e *Edit) Commit() error {
	err := e.store.commit(e)
	if err == nil {
		clear(e.changed)
		clear(e.also)
	}
	return err
}

// Close drops uncommitted changes.
func (e *Edit) Close() error { return e.store.close() }

// folder is a directory that holds a baseline.
type folder struct {
	dir  string
	step *files.Step
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

func (f *folder) commit(e *Edit) error {
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
		return fmt.Errorf("write the baseline: %w", err)
	}
	return nil
}

func (f *folder) close() error { return f.step.Close() }
