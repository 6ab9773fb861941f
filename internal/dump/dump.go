// Package dump lists the files of a dump: which belong to which module, at which stage, in which format, and what
// else XLA or TensorFlow wrote beside them. It reads names, first lines and sizes; other packages read the content.
package dump

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/wire"
)

// Dump is the output of one run: a directory, an archive, a log with files printed into it, or a single file.
type Dump struct {
	Path      string
	Single    bool      // the dump is one module file, of any stage
	Modules   []*Module // by process, then number
	Throwaway []*Module // candidates that XLA's autotuner compiled
	Graphs    []*File   // TensorFlow graph dumps
	Logs      []*File   // logs of the framework and the compiler
	Traces    []*File   // profiles: *.trace.json.gz, *.xplane.pb
	Toolchain *File     // xlagate-toolchain.json, which `xlagate capture` writes; nil when absent
	Other     []*File   // of a known kind, but of no module
	Unknown   []*File   // of no known kind
	Problems  []Problem // what could not be read, or is inconsistent

	loose   map[[2]string]*Module // the modules of files that a user named, by directory and name
	closers []func() error
	limit   Limit
}

// Problem is a file or module that could not be read, or an inconsistency of the dump. The gate must not ignore it.
type Problem struct {
	File    string `json:"file,omitempty"`    // as the user would name it, with line and column where known
	Program string `json:"program,omitempty"` // that it belongs to, where known
	Message string `json:"message"`           // the reason, a sentence
	Fix     string `json:"fix,omitempty"`     // how to fix it
	Module  string `json:"-"`                 // the ID of the module that it belongs to, where known
	Damaged bool   `json:"-"`                 // nothing in the file could be read

	module *Module
}

// Options says how a dump is opened.
type Options struct {
	Stdin io.Reader // what the path "-" reads: a tar stream, compressed or not, or any single file
	Limit Limit     // bounds the memory for reading it
}

// Open lists a dump: a directory, an archive, a log with files printed into it, a single file, or "-" for standard input. It returns an error if the path
// cannot be read at all; errors inside the dump are in Problems. The dump must be closed.
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

// Close closes the dump's files; they cannot be read afterwards.
func (d *Dump) Close() error {
	errs := phrase.Map(d.closers, func(closeOne func() error) error { return closeOne() })
	d.closers = nil
	return errors.Join(errs...)
}

// gather lists the files at a path: a directory, an archive, a file or standard input.
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
	f := &File{Path: path, Size: info.Size(), ModTime: info.ModTime(), src: diskSource{path}, Rel: filepath.Base(path)}
	return d.gatherFile(ctx, f)
}

// gatherStream copies a stream into a temporary file, and lists that.
func (d *Dump) gatherStream(ctx context.Context, stream io.Reader) ([]*File, error) {
	if stream == nil {
		return nil, errors.New(`open the dump: "-" stands for standard input, and there is none`)
	}
	spooled, size, err := d.spool(ctx, stream)
	switch tooMuch := (*LimitError)(nil); {
	case errors.As(err, &tooMuch):
		return nil, fmt.Errorf("read the dump from standard input: %w; %s", err, tooMuch.Fix())
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, errors.New("read the dump from standard input: it was cut off")
	case err != nil:
		return nil, fmt.Errorf("read the dump from standard input: %w", err)
	case size == 0:
		return nil, errors.New("read the dump from standard input: it is empty")
	}
	f := &File{Path: "-", Size: size, src: sectionSource{spooled, 0, size}, Rel: "stdin"}
	return d.gatherFile(ctx, f)
}

// gatherFile lists the entries of an archive, or the file itself if it is none.
func (d *Dump) gatherFile(ctx context.Context, f *File) ([]*File, error) {
	if f.Size == 0 {
		return nil, fmt.Errorf("open the dump: %s is empty", f.Path)
	}
	stored, err := f.src.open()
	if err != nil {
		return nil, fmt.Errorf("open the dump: open %s: %w; the file is damaged or was cut off", f.Path, err)
	}
	defer stored.Close()
	r := interruptible(ctx, stored)
	defer r.Close()
	p, err := plain(r)
	if err != nil {
		return nil, fmt.Errorf("open the dump: read %s: %w; the file is damaged or was cut off", f.Path, err)
	}
	defer p.Close()
	content := bufio.NewReader(p)
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

// walk lists the files below a directory. It skips hidden ones.
func (d *Dump) walk(ctx context.Context, dir string) ([]*File, error) {
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	var files []*File
	err = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		rel, _ := filepath.Rel(root, path)
		shown := filepath.Join(dir, rel)
		if err != nil {
			if rel == "." {
				return err
			}
			d.problem(shown, "the directory cannot be read: "+Reason(err), "give the user who runs xlagate permission to read it")
			return nil
		}
		if rel != "." && strings.HasPrefix(e.Name(), ".") {
			if e.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		if f := d.listed(root, path, shown, e); f != nil {
			f.Rel = filepath.ToSlash(rel)
			files = append(files, f)
		}
		return nil
	})
	return files, err
}

// listed returns the file of a directory entry; nil for a directory and for an unreadable file.
func (d *Dump) listed(root, path, shown string, e fs.DirEntry) *File {
	if e.IsDir() {
		return nil
	}
	info, err := os.Stat(path) // follows links
	switch {
	case err != nil:
		d.problem(shown, "the file cannot be read: "+Reason(err), "remove it or restore what it points to")
	case info.IsDir():
		if target, err := filepath.EvalSymlinks(path); err != nil || target != root && !strings.HasPrefix(target, root+string(filepath.Separator)) {
			d.problem(shown, "the link leads to a directory outside of the dump and was not followed", "name the directory that it points to as a dump of its own")
		}
	case !info.Mode().IsRegular():
		d.problem(shown, "this is no regular file and was not read", "remove it from the dump")
	default:
		return &File{Path: shown, Size: info.Size(), ModTime: info.ModTime(), src: diskSource{path}}
	}
	return nil
}

// Reason returns an error's text without the path, which the message names already.
func Reason(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}

// fixRead returns the fix for a read error.
func fixRead(err error) string {
	if tooMuch := (*LimitError)(nil); errors.As(err, &tooMuch) {
		return tooMuch.Fix()
	}
	if errors.Is(err, fs.ErrPermission) {
		return "give the user who runs xlagate permission to read it, or remove it from the dump"
	}
	return "the file is damaged or was cut off: dump again, or copy the dump again"
}

func (d *Dump) problem(file, message, fix string) {
	d.Problems = append(d.Problems, Problem{File: file, Message: wire.Printable(message), Fix: fix})
}
