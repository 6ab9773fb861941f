package baseline

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/xlagate/xlagate/internal/files"
	"github.com/xlagate/xlagate/internal/registry"
)

// Place is where a baseline lies.
type Place struct {
	Where    string // a directory, git:REF:PATH or oci://REGISTRY/REPOSITORY:TAG
	Dir      string // where the path of a directory starts, and the git repository lies around
	Config   string // the configuration's file, which is changed in the same step as a directory; "" for none
	Registry registry.Client
}

const gitScheme = "git:"

// Remote reports whether a baseline lies elsewhere than in a directory.
func Remote(where string) bool { return strings.HasPrefix(where, gitScheme) || registry.Is(where) }

// CheckPlace finds what is wrong with how a baseline's place is written.
func CheckPlace(where string) error {
	switch {
	case strings.HasPrefix(where, gitScheme):
		_, _, err := cutGit(where)
		return err
	case registry.Is(where):
		_, err := registry.Parse(where)
		return err
	case strings.Contains(where, "://"):
		return fmt.Errorf("%q is no place for a baseline; give a directory, git:REF:PATH or oci://REGISTRY/REPOSITORY:TAG", where)
	}
	return nil
}

// Open opens a baseline for reading. One that is not there is [fs.ErrNotExist].
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

// Finish finishes what an accept that was killed left of a directory, and reports whether there was anything: the configuration may be another.
func (p Place) Finish() (bool, error) {
	if Remote(p.Where) {
		return false, nil
	}
	return files.Finish(p.folder(), p.config())
}

// config is the configuration's file by its full name, which a step that is finished later goes by.
func (p Place) config() string {
	name, err := filepath.Abs(p.Config)
	if p.Config == "" || err != nil {
		return p.Config
	}
	return name
}

// folder is the directory of a baseline that lies in one.
func (p Place) folder() string {
	if filepath.IsAbs(p.Where) {
		return p.Where
	}
	return filepath.Join(p.Dir, p.Where)
}

// Edit is a baseline that is being changed. What is read from it is what it held when it was opened.
type Edit interface {
	fs.FS
	// Put writes a file, and reports whether that changed it.
	Put(name string, data []byte) (changed bool, err error)
	Remove(name string) error
	// Shown is what people call a file of the baseline.
	Shown(name string) string
	// Also writes a file that is not of the baseline, as the last part of the same step.
	Also(file string, data []byte)
	// Commit makes the changes last, all of them or none. It names what they were pushed as, where they were.
	Commit(ctx context.Context) (pushed string, err error)
	// Close ends the change. What was not committed is forgotten.
	Close() error
}

// ErrFixed says that a baseline cannot be changed where it lies.
var ErrFixed = errors.New("cannot be written; give a directory, as in --baseline .xlagate, or a tag of a registry")

// Edit opens a baseline for reading and writing. One that is not there yet is empty.
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
