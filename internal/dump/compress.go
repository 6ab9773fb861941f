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

// zstdSays returns the size from the header of the first frame, which may record one. It returns 0 for a size above the ratio of
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
