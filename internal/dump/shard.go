package dump

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/xlagate/xlagate/internal/files"
	"github.com/xlagate/xlagate/internal/phrase"
)

// Shard is one of several parts of a dump, numbered from 0. Its zero value is the whole dump.
type Shard struct{ Index, Count int }

// maxCount bounds the number of parts.
const maxCount = 10_000

// ParseShard parses "I/N".
func ParseShard(text string) (Shard, error) {
	var s Shard
	n, err := fmt.Sscanf(text, "%d/%d", &s.Index, &s.Count)
	switch {
	case n != 2 || err != nil || s.String() != text || s.Index < 0 || s.Count < 1:
		return Shard{}, fmt.Errorf("%q is no part; expected I/N with I from 0 to N-1, as in 0/4", text)
	case s.Count > maxCount:
		return Shard{}, fmt.Errorf("%q are too many parts; at most %d", text, maxCount)
	case s.Index >= s.Count:
		return Shard{}, fmt.Errorf("%q lies behind the last part: they count from 0, so the last of %d is %d/%d", text, s.Count, s.Count-1, s.Count)
	}
	return s, nil
}

// String returns "I/N".
func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.Index, s.Count) }

// Whole reports whether the shard is the whole dump.
func (s Shard) Whole() bool { return s.Count == 0 }

// ShardPiece is an indivisible piece of work, with its size in bytes.
type ShardPiece struct {
	Name string
	Size int64
}

// Dealer assigns pieces of work to parts, one dump after the other. The assignment depends on the pieces alone: every machine that sees
// the same pieces in the same order computes the same one.
type Dealer struct {
	shard Shard
	load  []int64 // by part
}

// NewDealer returns a dealer for one part.
func NewDealer(s Shard) *Dealer { return &Dealer{s, make([]int64, s.Count)} }

// Whole reports whether there is only one part.
func (d *Dealer) Whole() bool { return len(d.load) <= 1 }

// opening is the fixed cost of a piece in bytes. It spreads small pieces over the parts.
const opening = 4096

// Mine reports for each piece whether it belongs to this part. Pieces are assigned by decreasing size, each to the part with the smallest load.
func (d *Dealer) Mine(pieces []ShardPiece) []bool {
	order := make([]int, len(pieces))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(pieces[b].Size, pieces[a].Size), cmp.Compare(pieces[a].Name, pieces[b].Name))
	})
	mine := make([]bool, len(pieces))
	for _, i := range order {
		to := d.least()
		d.load[to] += pieces[i].Size + opening
		mine[i] = to == d.shard.Index
	}
	return mine
}

// least returns the first of the parts with the smallest load.
func (d *Dealer) least() int {
	least := 0
	for i, load := range d.load {
		if load < d.load[least] {
			least = i
		}
	}
	return least
}

// ShardFound is the result of a part and its file.
type ShardFound struct {
	Shard
	File string
}

// ShardComplaint says why the parts do not make one whole; "" when they do.
func ShardComplaint(parts []ShardFound) string {
	first := parts[0]
	seen := make([]string, first.Count)
	for _, p := range parts {
		switch {
		case p.Count != first.Count:
			return fmt.Sprintf("was cut into %s in %s and into %d in %s", phrase.Counted(float64(first.Count), "", "parts"), first.File, p.Count, p.File)
		case seen[p.Index] != "":
			return fmt.Sprintf("has part %s twice: in %s and in %s", p.Shard, seen[p.Index], p.File)
		}
		seen[p.Index] = p.File
	}
	return missing(seen, len(parts))
}

// missing names the parts without a file.
func missing(seen []string, have int) string {
	const most = 8
	var absent []string
	for i, file := range seen {
		if file == "" {
			absent = append(absent, Shard{i, len(seen)}.String())
		}
	}
	if len(absent) == 0 {
		return ""
	}
	names := strings.Join(absent[:min(len(absent), most)], ", ")
	if more := len(absent) - most; more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("has %d of its %d parts: %s did not run or did not upload", have, len(seen), names)
}

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
