// Package dump finds out what lies on disk: which files belong to which module, at which stage, in which format, and what
// else XLA or TensorFlow left beside them. It reads names, first lines and sizes; what stands in the files is read elsewhere.
package dump

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Dump is what one run left behind: a directory, an archive, a log with files printed into it, or a single file.
type Dump struct {
	Path      string
	Single    bool      // one module file that was named by itself, whatever its stage
	Modules   []*Module // by process, then number
	Throwaway []*Module // modules that XLA's autotuner compiled to try things out: never the user's
	Graphs    []*File   // TensorFlow graph dumps
	Logs      []*File   // logs of the framework and the compiler
	Traces    []*File   // profiles: *.trace.json.gz, *.xplane.pb
	Toolchain *File     // xlagate-toolchain.json, which `xlagate capture` writes; nil when absent
	Other     []*File   // known, but of no module
	Unknown   []*File   // of no known kind
	Problems  []Problem // what could not be looked at, or cannot be right

	closers []io.Closer
	limit   Limit
}

// Problem is a file or module that could not be looked at, or a dump that cannot be right. The gate must not pass over it.
type Problem struct {
	File    string // as the user would name it
	Module  string // the ID of the module it belongs to, where known
	Message string // a sentence: why
	Fix     string // what to do about it
	Damaged bool   // the file holds nothing that could be read

	module *Module
}

// Options says how a dump is opened.
type Options struct {
	Stdin io.Reader // what the path "-" reads: a tar stream, compressed or not, or any single file
	Limit Limit     // how much memory reading it may take
}

// Open looks at a dump: a directory, an archive, a log with files printed into it, a single file, or "-" for what stands on
// standard input. The error is for a path that cannot be looked at at all; whatever is wrong inside is in Problems. The dump
// must be closed.
func Open(ctx context.Context, path string, opts Options) (*Dump, error) {
	d := &Dump{Path: path, limit: opts.Limit}
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

// Part is a file of a dump that lies under another name than its own, such as a blob that was pulled from a registry.
type Part struct {
	Name   string // below the dump, with slashes; "" for a dump that is this one file
	Path   string // where it lies
	Unpack bool   // it is an archive that stands for the files in it
}

// OpenParts looks at a dump whose files lie anywhere. The name is what people call the dump.
func OpenParts(ctx context.Context, name string, parts []Part, limit Limit) (*Dump, error) {
	d := &Dump{Path: name, limit: limit}
	files, err := d.gatherParts(ctx, parts)
	if err == nil {
		err = d.sort(ctx, files)
	}
	if err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// stripFolder names files as they are called inside of the folder that was packed.
func stripFolder(files []*File, folder string) {
	for _, f := range files {
		f.rel = strings.TrimPrefix(f.rel, folder+"/")
	}
}

func (d *Dump) gatherParts(ctx context.Context, parts []Part) ([]*File, error) {
	var all []*File
	for _, p := range parts {
		name := entryName(p.Name)
		info, err := os.Stat(p.Path)
		switch {
		case err != nil:
			return nil, err
		case hidden(name):
			continue
		}
		f := &File{Path: d.Path + "!" + name, Size: info.Size(), src: diskSource{p.Path}, rel: name}
		if len(parts) > 1 && !p.Unpack {
			all = append(all, f)
			continue
		}
		f.Path = d.Path
		files, err := d.gatherFile(ctx, f)
		if err != nil {
			return nil, err
		}
		if len(parts) == 1 {
			stripFolder(files, name)
		}
		all = append(all, files...)
	}
	d.Single = d.Single && len(parts) == 1
	return all, nil
}
