package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// ErrInCheckout reports a cache directory that is not used because it is inside of a checkout.
var ErrInCheckout = errors.New("whoever wrote that could have filled it, so it is not used: set XDG_CACHE_HOME to a folder elsewhere")

// UserDir returns xlagate's directory in the user's cache directory. It fails with [ErrInCheckout] if that is inside of a
// checkout, where XDG_CACHE_HOME may put it in CI: whoever wrote the checkout could have written its content.
func UserDir() (string, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	home, _ := os.UserHomeDir() // a person may keep it under git
	for at := filepath.Clean(base); ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil && (at != home || os.Getenv("CI") != "") {
			return "", fmt.Errorf("the cache directory %s is inside of the checkout %s; %w", base, at, ErrInCheckout)
		}
		if at == filepath.Dir(at) {
			return filepath.Join(base, "xlagate"), nil
		}
	}
}

// Prune removes the least recently used of the files in a folder whose names end in a suffix, until the others hold at most so many bytes. It
// spares files that were used within a time, and ignores errors.
func Prune(dir, suffix string, most int64, spared time.Duration) {
	var found []fs.FileInfo
	var total int64
	list, _ := os.ReadDir(dir)
	for _, e := range list {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && strings.HasSuffix(info.Name(), suffix) {
			found, total = append(found, info), total+info.Size()
		}
	}
	slices.SortFunc(found, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, f := range found {
		if total <= most || time.Since(f.ModTime()) < spared {
			return
		}
		if os.Remove(filepath.Join(dir, f.Name())) == nil {
			total -= f.Size()
		}
	}
}

// Below returns the path of a file from a folder, with slashes, and whether the file is below the folder. Links are followed where the names alone say
// that it is not: a workspace may be behind one.
func Below(folder, file string) (string, bool) {
	dir, name := filepath.Split(file)
	for range 2 {
		below, err := filepath.Rel(folder, filepath.Join(dir, name))
		if err == nil && filepath.IsLocal(below) {
			return filepath.ToSlash(below), true
		}
		if folder, err = filepath.EvalSymlinks(folder); err != nil {
			return "", false
		}
		if dir, err = filepath.EvalSymlinks(filepath.Clean(dir)); err != nil {
			return "", false
		}
	}
	return "", false
}
