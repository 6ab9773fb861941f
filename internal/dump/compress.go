package dump

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/mikelolasagasti/xz"

	"github.com/xlagate/xlagate/internal/phrase"
)

// compression is a format that files are compressed with, recognized by its first bytes.
type compression struct {
	magic string
	open  func(io.Reader) (io.ReadCloser, error)
	says  func(stored []byte) uint64 // how many bytes the file says that it holds, 0 when it does not; nil when it never does
	most  int64                      // how many bytes one stored byte becomes at most; 0 for any number
}

var compressions = []compression{
	{"\x1f\x8b\x08", func(r io.Reader) (io.ReadCloser, error) { return gzip.NewReader(r) }, gzipSays, mostDense},
	{"\x28\xb5\x2f\xfd", openZstd, zstdSays, 0},
	{"\xfd7zXZ\x00", openXZ, nil, 0},
}

// mostDense is how many bytes one byte of gzip or zip becomes at most.
const mostDense = 1032

// gzipSays reads the end of the last part, which holds its size; one above what such a file can hold says nothing.
func gzipSays(stored []byte) uint64 {
	size := uint64(binary.LittleEndian.Uint32(stored[max(4, len(stored))-4:]))
	if size > mostDense*uint64(len(stored)) {
		return 0
	}
	return size
}

// zstdSays reads the header of the first frame, which may hold the frame's size. A few bytes may say anything: no more is believed than of
// gzip.
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

// maxDictionary is what the largest preset of xz asks for. A header of a few bytes may ask for gigabytes.
const maxDictionary = 64 << 20

func openXZ(r io.Reader) (io.ReadCloser, error) {
	d, err := xz.NewReader(bufio.NewReaderSize(r, 1<<16), maxDictionary)
	if err != nil {
		return nil, unxz(err)
	}
	return io.NopCloser(xzReader{d}), nil
}

// xzReader says what went wrong as the other formats do.
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

// compressionOf tells how content is compressed, nil for not at all.
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

// plain reads content decompressed, whether it is stored compressed or not.
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

// readHead reads up to n bytes of content, decompressed.
func readHead(r io.Reader, n int) ([]byte, error) {
	p, err := plain(r)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	head := bytes.NewBuffer(make([]byte, 0, n+bytes.MinRead))
	_, err = head.ReadFrom(io.LimitReader(p, int64(n)))
	return head.Bytes(), err
}
