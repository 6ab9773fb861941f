package dump

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/wire"
)

// tarMagicEnd is the offset after the magic bytes of a tar header.
const tarMagicEnd = 262

func isTar(head []byte) bool {
	return len(head) >= tarMagicEnd && string(head[tarMagicEnd-5:tarMagicEnd]) == "ustar"
}

func isZip(head []byte) bool { return bytes.HasPrefix(head, []byte("PK\x03\x04")) }

// gatherTar lists the files in a tar archive. Of a truncated archive it lists the complete files and records a problem.
func (d *Dump) gatherTar(ctx context.Context, f *File, content io.Reader) ([]*File, error) {
	archive, err := d.unpacked(f, content)
	if archive == nil {
		return nil, fmt.Errorf("read the archive %s: %w", f.Path, err)
	}
	index := tarIndex{dump: d, archive: archive, name: f.Path, files: map[string]*File{}}
	if rerr := index.read(ctx); err == nil {
		err = rerr
	}
	if err != nil && (ctx.Err() != nil || len(index.files) == 0) {
		return nil, fmt.Errorf("read the archive %s: %w", f.Path, err)
	}
	switch tooMuch := (*LimitError)(nil); {
	case errors.As(err, &tooMuch):
		d.problem(f.Path, Reason(err), tooMuch.Fix())
	case err != nil:
		d.problem(f.Path, "the archive was cut off: "+Reason(err), "make or upload the archive again")
	}
	return index.list(), nil
}

// unpacked returns an uncompressed tar archive: the file itself, or a temporary one. With an error it holds what could be read.
func (d *Dump) unpacked(f *File, content io.Reader) (*os.File, error) {
	file, err := d.stored(f)
	if err != nil {
		return nil, err
	}
	magic := make([]byte, 6)
	if n, _ := file.ReadAt(magic, 0); compressionOf(magic[:n]) == nil {
		return file, nil
	}
	unpacked, _, err := d.store(d.limit.unpacking(content))
	return unpacked, err
}

// stored opens an archive as it is stored; standard input is already decompressed into a temporary file.
func (d *Dump) stored(f *File) (*os.File, error) {
	if s, ok := f.src.(sectionSource); ok {
		return s.archive.(*os.File), nil
	}
	file, err := os.Open(f.src.(diskSource).path)
	if err == nil {
		d.closers = append(d.closers, file.Close)
	}
	return file, err
}

// tarIndex finds the files in a tar archive.
type tarIndex struct {
	dump    *Dump
	archive *os.File
	name    string
	files   map[string]*File
	order   []string
	links   []*tar.Header
}

func (x *tarIndex) read(ctx context.Context) error {
	size, err := x.archive.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if _, err := x.archive.Seek(0, io.SeekStart); err != nil {
		return err
	}
	r := tar.NewReader(x.archive)
	for ctx.Err() == nil {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			// An empty block ends the archive. One that was cut off between two files has none.
			block := make([]byte, 512)
			if _, err := x.archive.ReadAt(block, size-512); err != nil || !bytes.Equal(block, make([]byte, 512)) {
				return errTarEnd
			}
			return nil
		}
		if err != nil {
			return err
		}
		offset, err := x.archive.Seek(0, io.SeekCurrent)
		if err != nil {
			return err
		}
		if h.Size > size-offset {
			return errTarEnd
		}
		switch h.Typeflag {
		case tar.TypeReg:
			x.put(h, h.Size, sectionSource{x.archive, offset, h.Size})
		case tar.TypeLink, tar.TypeSymlink:
			x.links = append(x.links, h)
		case tar.TypeDir, tar.TypeXGlobalHeader:
		default:
			x.dump.problem(x.name+"!"+h.Name, "this is no regular file and was not read", "remove it from the archive")
		}
	}
	return ctx.Err()
}

var errTarEnd = errors.New("its end is missing")

func (x *tarIndex) put(h *tar.Header, size int64, src source) {
	name := entryName(h.Name)
	if hidden(name) {
		return
	}
	if x.files[name] == nil {
		x.order = append(x.order, name)
	}
	x.files[name] = &File{Path: x.name + "!" + name, Size: size, ModTime: h.ModTime, src: src, Rel: name}
}

// list resolves the links and returns the files in the archive's order.
func (x *tarIndex) list() []*File {
	for _, h := range x.links {
		target := entryName(h.Linkname)
		if h.Typeflag == tar.TypeSymlink {
			target = entryName(path.Join(path.Dir(h.Name), h.Linkname))
		}
		if f := x.files[target]; f != nil {
			x.put(h, f.Size, f.src)
		} else if !slices.ContainsFunc(x.order, func(name string) bool { return strings.HasPrefix(name, target+"/") }) {
			x.dump.problem(x.name+"!"+h.Name, "the link leads to "+h.Linkname+", which is not in the archive", "make the archive again with what it points to (tar -h)")
		}
	}
	return phrase.Map(x.order, func(name string) *File { return x.files[name] })
}

// gatherZip lists the files in a zip archive.
func (d *Dump) gatherZip(f *File) ([]*File, error) {
	file, err := d.stored(f)
	if err != nil {
		return nil, fmt.Errorf("read the archive %s: %w", f.Path, err)
	}
	archive, err := zip.NewReader(file, f.Size)
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
		if e.CompressedSize64 > uint64(f.Size) || e.UncompressedSize64 > math.MaxInt64 {
			d.problem(f.Path+"!"+name, "the archive says that the file is larger than it can be", "make the archive again")
			continue
		}
		files = append(files, &File{Path: f.Path + "!" + name, Size: int64(e.UncompressedSize64), ModTime: e.Modified, src: zipSource{e}, Rel: name})
	}
	return files, nil
}

// spool copies a stream, decompressed, into a temporary file that lives as long as the dump.
func (d *Dump) spool(ctx context.Context, stream io.Reader) (*os.File, int64, error) {
	r := interruptible(ctx, stream)
	defer r.Close()
	p, err := plain(r)
	if err != nil {
		return nil, 0, err
	}
	defer p.Close()
	content := bufio.NewReader(p)
	if head, _ := content.Peek(tarMagicEnd); !isTar(head) && !isZip(head) { // reading on reports the error
		return d.store(d.limit.reading(content))
	}
	return d.store(d.limit.unpacking(content))
}

// store copies content into a temporary file, which is removed when it is closed. With an error the file holds the bytes that could be read.
func (d *Dump) store(content io.Reader) (*os.File, int64, error) {
	f, err := os.CreateTemp("", "xlagate-dump-*")
	if err != nil {
		return nil, 0, err
	}
	if os.Remove(f.Name()) == nil { // where the system can remove an open file, even a killed program leaves none behind
		d.closers = append(d.closers, f.Close)
	} else {
		d.closers = append(d.closers, func() error { return errors.Join(f.Close(), os.Remove(f.Name())) })
	}
	size, err := io.Copy(f, content)
	return f, size, err
}

// interruptible is a stream whose reads fail once the context is done: its writer may keep it open for ever.
func interruptible(ctx context.Context, stream io.Reader) io.ReadCloser {
	out, in := io.Pipe()
	stop := context.AfterFunc(ctx, func() { in.CloseWithError(ctx.Err()) })
	go func() {
		_, err := io.Copy(in, stream)
		in.CloseWithError(err)
		stop()
	}()
	return out
}

// entryName returns an archive entry's name as a clean, printable path inside the archive.
func entryName(name string) string {
	return strings.TrimPrefix(path.Clean("/"+wire.Printable(name)), "/")
}

func hidden(name string) bool { return strings.HasPrefix(name, ".") || strings.Contains(name, "/.") }
