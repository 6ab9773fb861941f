package dump

import (
	"context"
	"errors"
	"io"
	"os"
	"path"
	"strings"
)

// temporary opens a temporary file that is gone when it is closed. Where an open file can be removed it loses its name at once: even a
// program that is killed leaves none behind.
func (d *Dump) temporary() (*os.File, error) {
	f, err := os.CreateTemp("", "xlagate-dump-*")
	if err != nil {
		return nil, err
	}
	if os.Remove(f.Name()) == nil {
		d.closers = append(d.closers, f)
		return f, nil
	}
	d.closers = append(d.closers, closer(func() error { return errors.Join(f.Close(), os.Remove(f.Name())) }))
	return f, nil
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
	return d.store(p)
}

// store copies content into a temporary file. With an error the file holds what could be read.
func (d *Dump) store(content io.Reader) (*os.File, int64, error) {
	f, err := d.temporary()
	if err != nil {
		return nil, 0, err
	}
	size, err := io.Copy(f, content)
	return f, size, err
}

// interruptible passes a stream on until the context is done: its writer may keep it open for ever.
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
