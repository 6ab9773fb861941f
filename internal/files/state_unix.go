//go:build linux || darwin

package files

import (
	"io/fs"
	"syscall"
	"time"
)

// changeOf returns the number of a file in its file system, and when its content, its name or its time stamps were changed last.
func changeOf(info fs.FileInfo) (inode uint64, changed time.Time, known bool) {
	s, known := info.Sys().(*syscall.Stat_t)
	if !known {
		return 0, time.Time{}, false
	}
	at := changeTime(s)
	return s.Ino, time.Unix(at.Unix()), true
}
