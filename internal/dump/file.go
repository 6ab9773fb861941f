package dump

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// File is one file of a dump.
type File struct {
	Path    string // as the user would name it; "a.tar!x/y" inside an archive
	Size    int64  // as stored
	ModTime time.Time
	Kind    Kind

	src source
	rel string // path below the dump, with slashes: what it is grouped by
}

// FileAt is a file that lies by itself on disk: a log or a profile beside a dump.
func FileAt(path string) *File {
	f := &File{Path: path, src: diskSource{path}, rel: filepath.Base(path)}
	if info, err := os.Stat(path); err == nil {
		f.Size, f.ModTime = info.Size(), info.ModTime()
	}
	return f
}

// Bytes returns the file's content, decompressed. The content must not be changed, is valid until release is called, and
// release must be called. A large file is mapped into memory rather than copied: read it under Guard.
func (f *File) Bytes() (data []byte, release func() error, err error) {
	stored, release, err := f.src.bytes()
	if err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", f.Path, err)
	}
	c := compressionOf(stored)
	if c == nil {
		return stored, release, nil
	}
	err = Guard(func() error {
		data, err = c.decompress(stored)
		return err
	})
	if rerr := release(); err == nil {
		err = rerr
	}
	if err != nil {
		return nil, nil, fmt.Errorf("decompress %s: %w; the file is damaged or was cut off", f.Path, err)
	}
	return data, noRelease, nil
}

// content opens the file for who looks at its beginning before reading on: decompressed, until the context is done.
func (f *File) content(ctx context.Context) (content *bufio.Reader, closeAll func() error, err error) {
	stored, err := f.src.open()
	if err != nil {
		return nil, nil, fmt.Errorf("open %s: %w", f.Path, err)
	}
	r := interruptible(ctx, stored)
	p, err := plain(r)
	if err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", f.Path, errors.Join(err, r.Close(), stored.Close()))
	}
	return bufio.NewReader(p), func() error { return errors.Join(p.Close(), r.Close(), stored.Close()) }, nil
}

// head returns up to n bytes from the beginning of the file's content, decompressed.
func (f *File) head(n int) ([]byte, error) {
	r, err := f.src.open()
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", f.Path, err)
	}
	defer r.Close()
	head, err := readHead(r, n)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", f.Path, err)
	}
	return head, nil
}
