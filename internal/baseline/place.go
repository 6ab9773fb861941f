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
		return nil, wrong(dir, "an accept was interrupted, and cannot be finished: "+err.Error(),
			"restore the folder from git and remove .xlagate-step from it, or run xlagate accept again where the baseline can be written")
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
	dir := p.folder()
	if link := git.CheckedInLink(ctx, dir); link != "" {
		return nil, wrong(dir, link+" is a link that is checked in, so whoever wrote the checkout chose where it leads", "give the folder that it leads to: --baseline DIR")
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil, fmt.Errorf("%s is a file; the baseline is a directory", dir)
	}
	step, err := files.Begin(dir, p.config())
	if held := (*files.Held)(nil); errors.As(err, &held) {
		return nil, wrong(dir, "the baseline is being changed: "+held.Error(), "wait until that has ended, then try again")
	}
	if err != nil {
		return nil, fmt.Errorf("open the baseline for changing: %w", err)
	}
	return &Edit{FS: os.DirFS(dir), folder: dir, step: step, changed: map[string][]byte{}, also: map[string][]byte{}}, nil
}

// Edit is a baseline that is being changed. Reading returns the content from when it was opened.
type Edit struct {
	fs.FS
	folder  string            // of the baseline: on disk, or in a repository that is not checked out
	step    *files.Step       // writes what is on disk; nil for a repository
	into    map[string][]byte // takes the changes to a repository; nil on disk
	changed map[string][]byte // the new content of files; nil removes one
	also    map[string][]byte // of files outside the baseline
}

// EditCopy opens the copy of a baseline that is in a repository's folder for changing. What is committed is put into changed, by its path in the repository.
func EditCopy(store fs.FS, folder string, changed map[string][]byte) *Edit {
	return &Edit{FS: store, folder: folder, into: changed, changed: map[string][]byte{}, also: map[string][]byte{}}
}

// Put writes a file, and reports whether the content changed.
func (e *Edit) Put(name string, data []byte) (changed bool) {
	old, again := e.changed[name]
	if !again {
		old, _ = read(e, name) // one that cannot be read is written
	}
	if old != nil && bytes.Equal(old, data) {
		return false
	}
	e.changed[name] = data
	return true
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
func (e *Edit) Shown(name string) string {
	if e.step == nil {
		return path.Join(e.folder, name)
	}
	return filepath.Join(e.folder, filepath.FromSlash(name))
}

// Also writes a file outside the baseline, last in the same step.
func (e *Edit) Also(file string, data []byte) { e.also[file] = data }

// Commit makes all changes or none.
func (e *Edit) Commit() error {
	for name, data := range e.changed {
		switch {
		case e.step == nil:
			e.into[e.Shown(name)] = data
		case data == nil:
			e.step.Remove(name)
		default:
			e.step.Write(name, data)
		}
	}
	for name, data := range e.also {
		if e.step == nil {
			e.into[name] = data
		} else {
			e.step.Also(data)
		}
	}
	if e.step != nil {
		if err := e.step.Commit(); err != nil {
			return fmt.Errorf("write the baseline: %w", err)
		}
	}
	clear(e.changed)
	clear(e.also)
	return nil
}

// Close drops uncommitted changes.
func (e *Edit) Close() error {
	if e.step == nil {
		return nil
	}
	return e.step.Close()
}
