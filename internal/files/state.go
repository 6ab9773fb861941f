package files

import (
	"fmt"
	"hash"
	"io/fs"
	"path/filepath"
	"time"
)

// settled is how old the last change of a file must be: file systems tell times with less than that.
const settled = 2 * time.Second

// State adds the state of a file, or of all files of a folder, to a hash, without reading them. It reports whether that identifies their content. It does not if the system
// does not say when a file was changed, in whatever way, if that is a moment ago, and if something is neither a file nor a folder.
func State(sum hash.Hash, path string) bool {
	latest := time.Now().Add(-settled)
	err := filepath.WalkDir(path, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		inode, changed, known := changeOf(info)
		if !known || !info.Mode().IsRegular() || changed.After(latest) {
			return fs.ErrInvalid
		}
		_, err = fmt.Fprintf(sum, "%q %d %d %d %d\n", name, info.Size(), info.ModTime().UnixNano(), changed.UnixNano(), inode)
		return err
	})
	return err == nil
}
