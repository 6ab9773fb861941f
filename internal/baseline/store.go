package baseline

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// WriteFile writes a baseline file whole or not at all: to a temporary file beside it, synced, then renamed. It reports whether
// the content changed; an equal file is left alone.
func WriteFile(path string, data []byte) (changed bool, err error) {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, data) {
		return false, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return false, fmt.Errorf("make the baseline's folder: %w", err)
	}
	sweep(filepath.Dir(path))
	temp, err := os.CreateTemp(filepath.Dir(path), tempPattern)
	if err != nil {
		return false, fmt.Errorf("write the baseline: %w", err)
	}
	defer func() { err = errors.Join(err, discard(temp.Name())) }()
	_, err = temp.Write(data)
	if err == nil {
		err = temp.Sync()
	}
	if err = errors.Join(err, temp.Close()); err != nil {
		return false, fmt.Errorf("write the baseline %s: %w", path, err)
	}
	if err := os.Chmod(temp.Name(), 0o644); err != nil {
		return false, fmt.Errorf("write the baseline %s: %w", path, err)
	}
	if err := os.Rename(temp.Name(), path); err != nil {
		return false, fmt.Errorf("put the baseline in place: %w", err)
	}
	return true, nil
}

// tempPattern names what is being written.
const tempPattern = ".accept-*"

// abandoned is the age from which a temporary file belongs to a run that was killed, and to none that is still writing.
const abandoned = time.Minute

// sweep removes what killed runs left in a folder, lest it be committed. A file that cannot be removed harms nobody.
func sweep(dir string) {
	left, _ := filepath.Glob(filepath.Join(dir, tempPattern))
	for _, name := range left {
		if info, err := os.Lstat(name); err == nil && time.Since(info.ModTime()) > abandoned {
			_ = os.Remove(name)
		}
	}
}

// discard removes a temporary file that was not renamed.
func discard(name string) error {
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
