package baseline

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/xlagate/xlagate/internal/files"
)

// folder is a baseline in a directory. Each change lasts at once: a file is written whole or not at all.
type folder struct {
	fs.FS
	dir     string
	written map[string]bool // the folders in it that were written to
}

func openFolder(dir string) (fs.FS, error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		if err == nil {
			err = fmt.Errorf("%s is a file; the baseline is a directory", dir)
		}
		return nil, err
	}
	return os.DirFS(dir), nil
}

// Shown is the file's path.
func (f folder) Shown(name string) string { return filepath.Join(f.dir, filepath.FromSlash(name)) }

// Put writes a file.
func (f folder) Put(name string, data []byte) (bool, error) {
	file, write := f.Shown(name), files.ReplaceMore
	if dir := filepath.Dir(file); !f.written[dir] {
		f.written[dir], write = true, files.Replace
	}
	return writeFile(file, data, write)
}

// Remove removes a file, and the folders in which nothing else lies.
func (f folder) Remove(name string) error {
	if err := os.Remove(f.Shown(name)); err != nil {
		return fmt.Errorf("remove from the baseline: %w", err)
	}
	for dir := filepath.Dir(f.Shown(name)); dir != filepath.Clean(f.dir); dir = filepath.Dir(dir) {
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			return nil
		}
		if err := os.Remove(dir); err != nil {
			return fmt.Errorf("remove an empty folder of the baseline: %w", err)
		}
	}
	return nil
}

// Commit has nothing left to do.
func (f folder) Commit(context.Context) (string, error) { return "", nil }
