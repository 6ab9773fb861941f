package dump

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
)

// source gives the stored content of a file, wherever it lies.
type source interface {
	open() (io.ReadCloser, error)
	bytes() (data []byte, release func() error, err error)
}

func noRelease() error { return nil }

// mapFrom is the size from which a file on disk is mapped rather than read.
const mapFrom = 1 << 20

// diskSource is a file of its own.
type diskSource struct{ path string }

func (s diskSource) open() (io.ReadCloser, error) { return os.Open(s.path) }

func (s diskSource) bytes() ([]byte, func() error, error) {
	f, err := os.Open(s.path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if info.Size() >= mapFrom {
		if data, release, err := mapFile(f, info.Size()); err == nil {
			return data, release, nil
		}
	}
	data := bytes.NewBuffer(make([]byte, 0, info.Size()+bytes.MinRead)) // room to see that the file ends there
	_, err = data.ReadFrom(f)
	return data.Bytes(), noRelease, err
}

// sectionSource is a stretch of an archive.
type sectionSource struct {
	archive io.ReaderAt
	offset  int64
	size    int64
}

func (s sectionSource) open() (io.ReadCloser, error) {
	return io.NopCloser(io.NewSectionReader(s.archive, s.offset, s.size)), nil
}

func (s sectionSource) bytes() ([]byte, func() error, error) {
	data := make([]byte, s.size)
	_, err := io.ReadFull(io.NewSectionReader(s.archive, s.offset, s.size), data)
	return data, noRelease, err
}

// zipSource is an entry of a zip archive.
type zipSource struct{ entry *zip.File }

func (s zipSource) open() (io.ReadCloser, error) { return s.entry.Open() }

func (s zipSource) bytes() ([]byte, func() error, error) {
	r, err := s.entry.Open()
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	return data, noRelease, err
}

// memorySource is content that is in memory already.
type memorySource []byte

func (s memorySource) open() (io.ReadCloser, error) {
	return io.NopCloser(bytes.NewReader(s)), nil
}

func (s memorySource) bytes() ([]byte, func() error, error) { return s, noRelease, nil }
