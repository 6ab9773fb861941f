package tensorflow

import (
	"errors"
	"io/fs"

	"github.com/xlagate/xlagate/internal/dump"
)

// File is one graph dump, log or profile, wherever it lies. Its content is released before the next file is read. The method of that name
// of a *dump.File fits Bytes.
type File struct {
	Path  string
	Bytes func() (data []byte, release func() error, err error)
}

// FileAt makes a file that lies outside the dump readable, compressed or not.
func FileAt(path string, limit dump.Limit) File {
	return File{Path: path, Bytes: dump.FileAt(path, limit).Bytes}
}

// Read hands the content to parse and gives it back.
func (f File) Read(parse func(data []byte) error) error {
	data, release, err := f.Bytes()
	if err != nil {
		return err
	}
	err = dump.Guard(func() error { return parse(data) })
	if release != nil {
		err = errors.Join(err, release())
	}
	return err
}

// plainly is an error without the path of the file, which stands before it.
func plainly(err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return err.Error()
}
