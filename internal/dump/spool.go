package dump

import (
	"errors"
	"io"
	"os"
	"path"
	"strings"
)

// spooled is a temporary file that goes away when it is closed.
type spooled struct{ *os.File }

func (s spooled) Close() error { return errors.Join(s.File.Close(), os.Remove(s.Name())) }

// spool copies a stream, decompressed, into a temporary file that lives as long as the dump.
func (d *Dump) spool(r io.Reader) (*os.File, int64, error) {
	p, err := plain(r)
	if err != nil {
		return nil, 0, err
	}
	defer p.Close()
	f, err := os.CreateTemp("", "xlagate-dump-*")
	if err != nil {
		return nil, 0, err
	}
	d.closers = append(d.closers, spooled{f})
	size, err := io.Copy(f, p)
	return f, size, err
}

// entryName is an archive entry's name as a clean path that stays inside of the archive.
func entryName(name string) string { return strings.TrimPrefix(path.Clean("/"+name), "/") }

func hidden(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(part, ".") {
			return true
		}
	}
	return false
}
