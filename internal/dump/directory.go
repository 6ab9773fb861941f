package dump

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/xlagate/xlagate/internal/wire"
)

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
			return d.cannotList(shown, rel, err)
		}
		if rel != "." && strings.HasPrefix(e.Name(), ".") {
			if e.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		if e.IsDir() {
			d.folders = append(d.folders, filepath.ToSlash(rel))
		}
		if f := d.listed(root, path, shown, e); f != nil {
			f.Rel = filepath.ToSlash(rel)
			files = append(files, f)
		}
		return nil
	})
	return files, err
}

// cannotList records a directory that cannot be read as a problem. For the root it returns the error.
func (d *Dump) cannotList(shown, rel string, err error) error {
	if rel == "." {
		return err
	}
	d.problem(shown, "the directory cannot be read: "+reason(err), "give the user who runs xlagate permission to read it")
	return nil
}

// listed returns the file of a directory entry; nil for a directory and for an unreadable file.
func (d *Dump) listed(root, path, shown string, e fs.DirEntry) *File {
	if e.IsDir() {
		return nil
	}
	info, err := os.Stat(path) // follows links
	switch {
	case err != nil:
		d.problem(shown, "the file cannot be read: "+reason(err), "remove it or restore what it points to")
	case info.IsDir():
		if !within(root, path) {
			d.problem(shown, "the link leads to a directory outside of the dump and was not followed", "name the directory that it points to as a dump of its own")
		}
	case !info.Mode().IsRegular():
		d.problem(shown, "this is no regular file and was not read", "remove it from the dump")
	default:
		return &File{Path: shown, Size: info.Size(), ModTime: info.ModTime(), src: diskSource{path}}
	}
	return nil
}

// within reports whether a link points into the tree that is being walked.
func within(root, link string) bool {
	target, err := filepath.EvalSymlinks(link)
	return err == nil && (target == root || strings.HasPrefix(target, root+string(filepath.Separator)))
}

// reason returns an error's text without the path, which the message names already.
func reason(err error) string {
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
