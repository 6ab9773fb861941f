// Package files reads and writes files: single files atomically, sets of files as one step.
package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// Replace atomically replaces a file with the output of fill. It writes in place what cannot be replaced: a pipe, a terminal,
// a file in a folder without write permission.
func Replace(path string, fill func(*os.File) error) error {
	f, err := create(path)
	if err != nil {
		return err
	}
	return f.put(fill, os.Rename)
}

// file is a file that is being written, until it is renamed or dropped.
type file struct {
	*os.File
	place string // its final path; "" if it is written in place
}

func create(path string) (*file, error) {
	place, err := target(path)
	if err != nil {
		return nil, err
	}
	mode := fs.FileMode(0o666)
	switch info, err := os.Stat(place); {
	case err == nil && (!info.Mode().IsRegular() || isDevice(place)):
		return inPlace(path)
	case err == nil:
		f, err := os.OpenFile(place, os.O_WRONLY, 0) // a protected file must not be replaced either
		if err == nil {
			err = f.Close()
		}
		if err != nil {
			return nil, err
		}
		mode = info.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	sweep(filepath.Dir(place))
	f, err := beside(place, mode)
	if errors.Is(err, fs.ErrPermission) {
		return inPlace(path)
	}
	if err != nil {
		return nil, err
	}
	return &file{f, place}, nil
}

// put writes the file and moves it to its final path.
func (f *file) put(fill func(*os.File) error, move func(name, place string) error) (err error) {
	defer func() { err = errors.Join(err, f.drop()) }()
	if err := fill(f.File); err != nil {
		return err
	}
	if err := f.Close(); err != nil || f.place == "" {
		return err
	}
	return move(f.Name(), f.place)
}

// drop closes and removes the file. It does nothing once the file has its final path.
func (f *file) drop() error {
	if err := f.Close(); err != nil && !errors.Is(err, fs.ErrClosed) {
		return err
	}
	if f.place == "" {
		return nil
	}
	if err := os.Remove(f.Name()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func inPlace(path string) (*file, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	return &file{f, ""}, nil
}

// unfinished is the prefix of the names of unfinished files.
const unfinished = ".xlagate-new-"

// beside creates a temporary file in the folder of place, so that it can be renamed. A new file has the permissions of the user's
// umask; one that replaces another has the permissions of the other.
func beside(place string, mode fs.FileMode) (*os.File, error) {
	for n := time.Now().UnixNano(); ; n++ {
		name := filepath.Join(filepath.Dir(place), fmt.Sprintf("%s%d", unfinished, n))
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil || mode == 0o666 {
			return f, err
		}
		if err := f.Chmod(mode); err != nil {
			return nil, errors.Join(err, f.Close(), os.Remove(name))
		}
		return f, nil
	}
}

// sweep removes the temporary files of killed runs from a folder, so that nobody commits them. It ignores errors.
func sweep(dir string) {
	const abandoned = time.Minute // an unfinished file of this age belongs to a killed run
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), unfinished) || !e.Type().IsRegular() {
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > abandoned {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// Create atomically creates a file with the output of fill. If the name exists, it changes nothing and returns
// [fs.ErrExist].
func Create(path string, fill func(*os.File) error) error {
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s: %w", path, fs.ErrExist)
	}
	sweep(filepath.Dir(path))
	f, err := beside(path, 0o666)
	if err != nil {
		return err
	}
	return (&file{f, path}).put(fill, settle)
}

// settle renames a file to an unused name. It uses a hard link, which unlike a rename never replaces a file; on a file system without hard links
// it first creates the name.
func settle(name, place string) error {
	err := os.Link(name, place)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	taken, err := os.OpenFile(place, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	if err := errors.Join(taken.Close(), os.Rename(name, place)); err != nil {
		return errors.Join(err, os.Remove(place))
	}
	return nil
}

// target follows symbolic links and returns the path of the target, which may be missing. Writing there keeps the links. It does not follow a stream of a process
// (/dev/stdout, /proc/self/fd/1), which may be a file that others write to as well.
func target(path string) (string, error) {
	const mostLinks = 40 // as the system follows
	at := path
	for range mostLinks {
		if isDevice(at) {
			return at, nil
		}
		next, err := os.Readlink(at)
		if err != nil {
			return at, nil // it is no link
		}
		if !filepath.IsAbs(next) {
			next = filepath.Join(filepath.Dir(at), next)
		}
		at = next
	}
	return "", fmt.Errorf("%s: too many symbolic links", path)
}

func isDevice(path string) bool {
	return strings.HasPrefix(path, "/dev/") || strings.HasPrefix(path, "/proc/")
}

// devices are the names that Windows reserves, whatever follows after a dot.
var devices = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)`)

// Device reports whether Windows reserves a file's name for a device: git cannot check out such a file there.
func Device(name string) bool { return devices.MatchString(name) }
