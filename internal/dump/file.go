package dump

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/mikelolasagasti/xz"

	"github.com/xlagate/xlagate/internal/phrase"
)

// File is one file of a dump.
type File struct {
	Path    string // as the user would name it; "a.tar!x/y" inside an archive
	Size    int64  // as stored
	ModTime time.Time
	Kind    Kind

	src   source
	Rel   string // path below the dump, with slashes; files are grouped by it
	limit Limit  // bounds its size

	header *heading // see headerName; nil before it is read
	plain  bool     // its beginning was read, and is not compressed
}

// FileAt returns a file on disk that belongs to no dump, such as a log or a profile.
func FileAt(path string, limit Limit) *File {
	f := &File{Path: path, src: diskSource{path}, Rel: filepath.Base(path), limit: limit}
	if info, err := os.Stat(path); err == nil {
		f.Size, f.ModTime = info.Size(), info.ModTime()
	}
	return f
}

// InMemory returns a file with this content that belongs to no dump.
func InMemory(path string, content []byte) *File {
	return &File{Path: path, Size: int64(len(content)), src: memorySource(content), Rel: filepath.Base(path)}
}

// Read calls parse with the file's content, decompressed, and releases the content afterwards.
func (f *File) Read(parse func(data []byte) error) error {
	data, release, err := f.Bytes()
	if err != nil {
		return err
	}
	return errors.Join(Guard(func() error { return parse(data) }), release())
}

// Bytes returns the file's content, decompressed. The content must not be changed, is valid until release is called, and
// release must be called. A large file is mapped into memory rather than copied: read it under Guard.
func (f *File) Bytes() (data []byte, release func() error, err error) {
	stored, release, err := f.src.bytes(f.limit)
	if err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", f.Path, err)
	}
	c := compressionOf(stored)
	if c == nil {
		return stored, release, nil
	}
	err = Guard(func() error {
		data, err = c.decompress(stored, f.limit)
		return err
	})
	if rerr := release(); err == nil {
		err = rerr
	}
	switch tooMuch := (*LimitError)(nil); {
	case errors.As(err, &tooMuch):
		return nil, nil, fmt.Errorf("decompress %s: %w", f.Path, err)
	case err != nil:
		return nil, nil, fmt.Errorf("decompress %s: %w; the file is damaged or was cut off", f.Path, err)
	}
	return data, noRelease, nil
}

// Packed reports whether the file is compressed by its name.
func (f *File) Packed() bool { return cutCompression(f.Rel) != f.Rel }

// little is the size in bytes below which ContentSize returns a bound without decompressing.
const little = 16 << 20

// ContentSize returns the decompressed size of the file in bytes, or an upper bound. It decompresses the file, up to the limit, unless it is certainly small.
func (f *File) ContentSize() int64 {
	if f.plain {
		return f.Size
	}
	stored, err := f.src.open()
	if err != nil {
		return f.Size
	}
	defer stored.Close()
	var magic [6]byte // a buffer for each of thousands of files keeps the garbage collector busy
	n, _ := io.ReadFull(stored, magic[:])
	c := compressionOf(magic[:n])
	switch {
	case c == nil:
		return f.Size
	case c.most > 0 && f.Size <= little/c.most:
		return c.most * f.Size
	}
	r, err := c.open(io.MultiReader(bytes.NewReader(magic[:n]), stored))
	if err != nil {
		return f.Size
	}
	defer r.Close()
	size, _ := io.Copy(io.Discard, f.limit.reading(r)) // an error is reported when the file is read for its facts
	return max(size, f.Size)
}

// head returns up to n bytes from the beginning of the file's content, decompressed.
func (f *File) head(n int) ([]byte, error) {
	r, err := f.src.open()
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", f.Path, err)
	}
	defer r.Close()
	head, packed, err := readHead(r, n)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", f.Path, err)
	}
	f.plain = !packed
	return head, nil
}

// source opens the stored content of a file: on disk, in an archive or in memory.
type source interface {
	open() (io.ReadCloser, error)
	bytes(limit Limit) (data []byte, release func() error, err error)
}

func noRelease() error { return nil }

// mapFrom is the size from which a file on disk is mapped rather than read.
const mapFrom = 1 << 20

// diskSource is a file on disk.
type diskSource struct{ path string }

func (s diskSource) open() (io.ReadCloser, error) { return os.Open(s.path) }

// buffers hold the content of files that are not mapped. A new one for each of thousands of files keeps the garbage collector busy.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func (s diskSource) bytes(limit Limit) ([]byte, func() error, error) {
	f, err := os.Open(s.path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil {
		err = limit.Check(info.Size())
	}
	if err != nil {
		return nil, nil, err
	}
	if info.Size() >= mapFrom {
		if data, release, err := mapFile(f, info.Size()); err == nil {
			return data, release, nil
		}
	}
	buffer := buffers.Get().(*bytes.Buffer)
	release := func() error {
		buffers.Put(buffer)
		return nil
	}
	data, err := limit.readInto(buffer, f, info.Size())
	return data, release, err
}

// sectionSource is a byte range of an archive.
type sectionSource struct {
	archive io.ReaderAt
	offset  int64
	size    int64
}

func (s sectionSource) open() (io.ReadCloser, error) {
	return io.NopCloser(io.NewSectionReader(s.archive, s.offset, s.size)), nil
}

func (s sectionSource) bytes(limit Limit) ([]byte, func() error, error) {
	if err := limit.Check(s.size); err != nil {
		return nil, nil, err
	}
	data := make([]byte, s.size)
	_, err := io.ReadFull(io.NewSectionReader(s.archive, s.offset, s.size), data)
	return data, noRelease, err
}

// zipSource is an entry of a zip archive.
type zipSource struct{ entry *zip.File }

func (s zipSource) open() (io.ReadCloser, error) { return s.entry.Open() }

func (s zipSource) bytes(limit Limit) ([]byte, func() error, error) {
	r, err := s.entry.Open()
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	size := int64(s.entry.UncompressedSize64)
	if err := limit.Check(size); err != nil {
		return nil, nil, err
	}
	data, err := limit.readAll(io.LimitReader(r, size+1), min(size, mostDense*int64(s.entry.CompressedSize64)))
	if err == nil && int64(len(data)) > size {
		err = zip.ErrFormat
	}
	return data, noRelease, err
}

// memorySource is content in memory.
type memorySource []byte

func (s memorySource) open() (io.ReadCloser, error) {
	return io.NopCloser(bytes.NewReader(s)), nil
}

func (s memorySource) bytes(Limit) ([]byte, func() error, error) { return s, noRelease, nil }

// Files returns the module's files: those of its stages, then its companions.
func (m *Module) Files() []*File {
	var files []*File
	for i := range m.Stages {
		files = append(files, m.Stages[i].Files...)
	}
	return append(files, m.Companions...)
}

// compression is a compressed format, recognized by its first bytes.
type compression struct {
	magic string
	open  func(io.Reader) (io.ReadCloser, error)
	says  func(stored []byte) uint64 // the decompressed size in bytes that the file records, 0 if it records none; nil if the format records none
	most  int64                      // the largest compression ratio; 0 for no bound
}

var compressions = []compression{
	{"\x1f\x8b\x08", func(r io.Reader) (io.ReadCloser, error) { return gzip.NewReader(r) }, gzipSays, mostDense},
	{"\x28\xb5\x2f\xfd", openZstd, zstdSays, 0},
	{"\xfd7zXZ\x00", openXZ, nil, 0},
}

// mostDense is the largest compression ratio of gzip and zip.
const mostDense = 1032

// gzipSays returns the size from the trailer of the last member, 0 if a file of this length cannot be that large.
func gzipSays(stored []byte) uint64 {
	size := uint64(binary.LittleEndian.Uint32(stored[max(4, len(stored))-4:]))
	if size > mostDense*uint64(len(stored)) {
		return 0
	}
	return size
}

// zstdSays returns the size from the header of the first frame, which may record one. It returns 0 for a size above the ratio of gzip.
func zstdSays(stored []byte) uint64 {
	var head zstd.Header
	if head.Decode(stored) != nil || !head.HasFCS || head.FrameContentSize > mostDense*uint64(len(stored)) {
		return 0
	}
	return head.FrameContentSize
}

func openZstd(r io.Reader) (io.ReadCloser, error) {
	d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(min(4, runtime.GOMAXPROCS(0))))
	if err != nil {
		return nil, err
	}
	return d.IOReadCloser(), nil
}

// maxDictionary is the dictionary size in bytes of xz's largest preset. A malicious header may demand gigabytes.
const maxDictionary = 64 << 20

func openXZ(r io.Reader) (io.ReadCloser, error) {
	d, err := xz.NewReader(bufio.NewReaderSize(r, 1<<16), maxDictionary)
	if err != nil {
		return nil, unxz(err)
	}
	return io.NopCloser(xzReader{d}), nil
}

// xzReader translates errors into those of the other formats.
type xzReader struct{ *xz.Reader }

// Read reads decompressed bytes.
func (r xzReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	return n, unxz(err)
}

func unxz(err error) error {
	switch {
	case errors.Is(err, xz.ErrBuf):
		return io.ErrUnexpectedEOF
	case errors.Is(err, xz.ErrMemlimit):
		return fmt.Errorf("it asks for a dictionary of more than %s: pack it with xz -9 or less", phrase.Bytes(maxDictionary))
	}
	return err
}

// compressionOf returns the compression of content, nil if it is not compressed.
func compressionOf(head []byte) *compression {
	for i := range compressions {
		if bytes.HasPrefix(head, []byte(compressions[i].magic)) {
			return &compressions[i]
		}
	}
	return nil
}

func (c *compression) decompress(data []byte, limit Limit) ([]byte, error) {
	r, err := c.open(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	about := uint64(0)
	if c.says != nil {
		about = c.says(data)
	}
	return limit.readAll(r, int64(about))
}

// plain returns a reader of the decompressed content, whether or not it is compressed.
func plain(r io.Reader) (io.ReadCloser, error) {
	b := bufio.NewReader(r)
	magic, err := b.Peek(6)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if c := compressionOf(magic); c != nil {
		return c.open(b)
	}
	return io.NopCloser(b), nil
}

// readHead reads up to n bytes of content, decompressed if they are packed.
func readHead(r io.Reader, n int) (head []byte, packed bool, err error) {
	stored, err := readFirst(r, n)
	c := compressionOf(stored)
	if c == nil || err != nil {
		return stored, false, err
	}
	content, err := c.open(io.MultiReader(bytes.NewReader(stored), r))
	if err != nil {
		return nil, true, err
	}
	defer content.Close()
	head, err = readFirst(content, n)
	return head, true, err
}

// readFirst reads up to n bytes.
func readFirst(r io.Reader, n int) ([]byte, error) {
	first := bytes.NewBuffer(make([]byte, 0, n+bytes.MinRead))
	_, err := first.ReadFrom(io.LimitReader(r, int64(n)))
	return first.Bytes(), err
}
