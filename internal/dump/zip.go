package dump

import (
	"archive/zip"
	"bytes"
	"fmt"

	"github.com/klauspost/compress/zstd"
)

func isZip(head []byte) bool { return bytes.HasPrefix(head, []byte("PK\x03\x04")) }

// gatherZip lists the files in a zip archive.
func (d *Dump) gatherZip(f *File) ([]*File, error) {
	data, release, err := f.src.bytes()
	if err != nil {
		return nil, fmt.Errorf("read the archive %s: %w", f.Path, err)
	}
	d.closers = append(d.closers, closer(release))
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("read the archive %s: %w", f.Path, err)
	}
	archive.RegisterDecompressor(zstd.ZipMethodWinZip, zstd.ZipDecompressor())
	var files []*File
	for _, e := range archive.File {
		name := entryName(e.Name)
		if e.FileInfo().IsDir() || hidden(name) {
			continue
		}
		if e.Flags&1 != 0 {
			d.problem(f.Path+"!"+name, "the file is encrypted", "make the archive without a password")
			continue
		}
		files = append(files, &File{Path: f.Path + "!" + name, Size: int64(e.UncompressedSize64), ModTime: e.Modified, src: zipSource{e}, rel: name})
	}
	return files, nil
}

type closer func() error

// Close calls the function.
func (c closer) Close() error { return c() }
