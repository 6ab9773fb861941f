package files

import (
	"encoding/binary"
	"hash"
	"io/fs"
	"path/filepath"
	"time"
)

// settled is how long before a file is looked at it must have been changed last: the times of a file system are that coarse.
const settled = 2 * time.Second

// State adds the state of a file, or of all files of a folder, to a hash, without reading them. It reports whether that identifies the content that they
// have had from begun on: not if the system does not say when a file was changed, in whatever way, if that was later than a moment before begun, and
// if something is neither a file nor a folder.
func State(sum hash.Hash, path string, begun time.Time) bool {
	latest, line := begun.Add(-settled), []byte(nil)
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
		line = append(append(line[:0], name...), 0)
		for _, n := range []uint64{inode, uint64(info.Size()), uint64(info.ModTime().UnixNano()), uint64(changed.UnixNano())} {
			line = binary.BigEndian.AppendUint64(line, n)
		}
		_, err = sum.Write(line)
		return err
	})
	return err == nil
}
