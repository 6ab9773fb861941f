package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Create makes a file of what fill writes, once all of it is there. Whatever has its name already stays as it is, and the error is
// [fs.ErrExist].
func Create(path string, fill func(*os.File) error) (err error) {
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s: %w", path, fs.ErrExist)
	}
	sweep(filepath.Dir(path))
	at, err := beside(path, 0o666)
	if err != nil {
		return err
	}
	f := &file{at, path}
	defer func() { err = errors.Join(err, f.drop()) }()
	if err := fill(f.File); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return settle(f.Name(), path)
}

// settle gives a file a name that nothing has. A second name, unlike a rename, never takes one over; where a disk has no second names,
// the name is taken first.
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
