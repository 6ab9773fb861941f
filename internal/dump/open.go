package dump

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Open looks at a dump: a directory, an archive, a log with files printed into it, a single file, or "-" for what stands on
// standard input. The error is for a path that cannot be looked at at all; whatever is wrong inside is in Problems. The dump
// must be closed.
func Open(ctx context.Context, path string, opts Options) (*Dump, error) {
	d := &Dump{Path: path}
	files, err := d.gather(ctx, path, opts)
	if err == nil {
		err = d.sort(ctx, files)
	}
	if err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// Close gives up what the dump holds open; its files cannot be read afterwards.
func (d *Dump) Close() error {
	var errs []error
	for _, c := range d.closers {
		errs = append(errs, c.Close())
	}
	d.closers = nil
	return errors.Join(errs...)
}

// gather lists the files that lie at a path, whatever it is.
func (d *Dump) gather(ctx context.Context, path string, opts Options) ([]*File, error) {
	if path == "-" {
		return d.gatherStream(ctx, opts.Stdin)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("open the dump: %w", err)
	}
	if info.IsDir() {
		return d.walk(ctx, path)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("open the dump: %s is neither a directory nor a file", path)
	}
	f := &File{Path: path, Size: info.Size(), ModTime: info.ModTime(), src: diskSource{path}, rel: filepath.Base(path)}
	return d.gatherFile(ctx, f)
}

// gatherStream keeps what is read from a stream in a temporary file, and looks at that.
func (d *Dump) gatherStream(ctx context.Context, stream io.Reader) ([]*File, error) {
	if stream == nil {
		return nil, errors.New(`open the dump: "-" stands for standard input, and there is none`)
	}
	spooled, size, err := d.spool(ctx, stream)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, errors.New("read the dump from standard input: it was cut off")
	case err != nil:
		return nil, fmt.Errorf("read the dump from standard input: %w", err)
	case size == 0:
		return nil, errors.New("read the dump from standard input: it is empty")
	}
	f := &File{Path: "-", Size: size, src: sectionSource{spooled, 0, size}, rel: "stdin"}
	return d.gatherFile(ctx, f)
}

// gatherFile lists what an archive holds; any other file is listed itself.
func (d *Dump) gatherFile(ctx context.Context, f *File) ([]*File, error) {
	if f.Size == 0 {
		return nil, fmt.Errorf("open the dump: %s is empty", f.Path)
	}
	content, closeAll, err := f.content(ctx)
	if err != nil {
		return nil, fmt.Errorf("open the dump: %w; the file is damaged or was cut off", err)
	}
	defer func() { _ = closeAll() }()
	head, err := content.Peek(tarMagicEnd)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("open the dump: read %s: %w; the file is damaged or was cut off", f.Path, err)
	}
	switch {
	case isTar(head):
		return d.gatherTar(ctx, f, content)
	case isZip(head):
		return d.gatherZip(f)
	}
	d.Single = true
	return []*File{f}, nil
}
