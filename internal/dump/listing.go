package dump

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/xlagate/xlagate/internal/files"
)

// listing is what one machine found in a directory, for the others that measure parts of it: listing thousands of files, and reading their heads, takes
// longer than to measure a small part.
type listing struct {
	Dump    *Dump
	Folders map[string]time.Time // by their paths below the directory: a file that is added or removed changes the time of its folder
	Sample  [sha256.Size]byte
}

// listingHead begins a listing of this build.
func listingHead() []byte {
	return []byte("xlagate.listing/v1 " + files.PackedForm(listing{}) + "\n")
}

// ErrChanged reports a file that is not as it was listed.
var ErrChanged = errors.New("it changed after the dump was listed")

var errUnlisted = errors.New("the dump is no directory of plain files")

// OpenListed opens a dump like Open. It reads the listing of a directory from a folder, or writes it there for the others.
func OpenListed(ctx context.Context, dir, folder string, opts Options) (*Dump, error) {
	info, err := os.Stat(dir)
	if err != nil || !info.IsDir() {
		return Open(ctx, dir, opts)
	}
	name := filepath.Join(folder, fmt.Sprintf("%x.listing", sha256.Sum256([]byte(dir))))
	data, err := os.ReadFile(name)
	if err == nil {
		d, err := readListing(dir, data, opts)
		if err != nil {
			return nil, fmt.Errorf("%s lists %s: %w; remove %s and measure every part again", name, dir, err, folder)
		}
		return d, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the listing of %s: %w", dir, err)
	}
	d, err := Open(ctx, dir, opts)
	if err != nil {
		return nil, err
	}
	if err := d.writeListing(dir, name); err != nil && !errors.Is(err, fs.ErrExist) && !errors.Is(err, errUnlisted) {
		return nil, errors.Join(fmt.Errorf("write the listing of %s: %w", dir, err), d.Close())
	}
	return d, nil
}

// writeListing stores the listing of a directory. It returns errUnlisted if files are inside of others, such as a log.
func (d *Dump) writeListing(dir, name string) error {
	for _, f := range d.files() {
		if _, onDisk := f.src.(diskSource); !onDisk {
			return errUnlisted
		}
	}
	d.sampled = d.Sample()
	l := listing{Dump: d, Folders: map[string]time.Time{}, Sample: d.sampled}
	for _, rel := range d.folders {
		info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(rel)))
		if err != nil {
			return err
		}
		l.Folders[rel] = info.ModTime()
	}
	packed, err := files.Pack(l)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(name), 0o755)
	}
	if err != nil {
		return err
	}
	return files.Create(name, func(f *os.File) error {
		_, err := f.Write(append(listingHead(), packed...))
		return err
	})
}

// files returns all files.
func (d *Dump) files() []*File {
	files := slices.Collect(d.all())
	if d.Toolchain != nil {
		files = append(files, d.Toolchain)
	}
	return files
}

// readListing opens a directory as it was listed.
func readListing(dir string, data []byte, opts Options) (*Dump, error) {
	packed, ours := bytes.CutPrefix(data, listingHead())
	var l listing
	if !ours || files.Unpack(packed, &l) != nil || l.Dump == nil || slices.Contains(slices.Concat(l.Dump.Modules, l.Dump.Throwaway), nil) {
		return nil, errors.New("it is from another version of xlagate, or damaged")
	}
	d := l.Dump
	d.limit, d.sampled = opts.Limit, l.Sample
	for _, f := range d.files() {
		if f == nil || !filepath.IsLocal(filepath.FromSlash(f.Rel)) {
			return nil, errors.New("it names a file that is outside of the dump")
		}
		f.Path = filepath.Join(dir, filepath.FromSlash(f.Rel))
		f.src, f.limit, f.listed = diskSource{f.Path}, d.limit, true
	}
	for rel, modified := range l.Folders {
		name := filepath.Join(dir, filepath.FromSlash(rel))
		if info, err := os.Stat(name); err != nil || !info.ModTime().Equal(modified) {
			return nil, fmt.Errorf("%s changed since", name)
		}
	}
	return d, nil
}
