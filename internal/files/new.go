package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Create atomically creates a file with the output of fill. If the name exists, it changes nothing and returns
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
