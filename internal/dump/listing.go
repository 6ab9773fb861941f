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
	Folders            []listedFile // a file that is added or removed changes the time of its folder
	Files              []listedFile
	Modules, Throwaway []listedModule
	Lists              [][]int // of files that belong to no module, see lists
	Toolchain          []int   // at most one
	Problems           []Problem
	Sample             [sha256.Size]byte
}

type (
	listedFile struct {
		Rel     string
		Size    int64
		ModTime int64
		Kind    Kind
	}
	listedModule struct {
		ID, Name, Process           string
		Number                      int
		Dir, Digits, Stamp, Spelled string
		Stages                      []listedStage
		Companions                  []int
	}
	listedStage struct {
		Kind       StageKind
		Tag, Label string
		Pass       Pass
		Files      [6]int // of each format, -1 for none
	}
)

// listingHead begins a listing of this build.
func listingHead() []byte {
	return []byte("xlagate.listing/v1 " + files.PackedForm(listing{}) + "\n")
}

// ErrChanged reports a file that is not as it was listed.
var ErrChanged = errors.New("it changed after the dump was listed")

var errUnlisted = errors.New("the dump is no directory of plain files")

// lists are the files that belong to no module.
func (d *Dump) lists() []*[]*File {
	return []*[]*File{&d.Graphs, &d.Logs, &d.Traces, &d.Other, &d.Unknown}
}

// slots are the files of a stage, one of each format.
func (s *Stage) slots() []**File {
	return []**File{&s.Text, &s.Proto, &s.Dot, &s.HTML, &s.URL, &s.Riegeli}
}

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

// lister numbers the files of a dump.
type lister struct {
	listing
	at map[*File]int
}

func (l *lister) file(f *File) int {
	if f == nil {
		return -1
	}
	i, known := l.at[f]
	if !known {
		i = len(l.Files)
		l.at[f] = i
		l.Files = append(l.Files, listedFile{f.rel, f.Size, f.ModTime.UnixNano(), f.Kind})
	}
	return i
}

func (l *lister) files(of []*File) (list []int) {
	for _, f := range of {
		list = append(list, l.file(f))
	}
	return list
}

func (l *lister) modules(of []*Module) (list []listedModule) {
	for _, m := range of {
		stored := listedModule{m.ID, m.Name, m.Process, m.Number, m.dir, m.digits, m.stamp, m.spelled, nil, l.files(m.Companions)}
		for i := range m.Stages {
			s := &m.Stages[i]
			stage := listedStage{Kind: s.Kind, Tag: s.Tag, Label: s.Label, Pass: s.Pass}
			for j, f := range s.slots() {
				stage.Files[j] = l.file(*f)
			}
			stored.Stages = append(stored.Stages, stage)
		}
		list = append(list, stored)
	}
	return list
}

// writeListing stores the listing of a directory. It returns errUnlisted if files are inside of others, such as a log.
func (d *Dump) writeListing(dir, name string) error {
	l := lister{at: map[*File]int{}}
	l.Modules, l.Throwaway, l.Problems = l.modules(d.Modules), l.modules(d.Throwaway), d.Problems
	for _, list := range d.lists() {
		l.Lists = append(l.Lists, l.files(*list))
	}
	if d.Toolchain != nil {
		l.Toolchain = []int{l.file(d.Toolchain)}
	}
	for f := range l.at {
		if _, onDisk := f.src.(diskSource); !onDisk {
			return errUnlisted
		}
	}
	d.sampled = d.Sample()
	l.Sample = d.sampled
	for _, rel := range d.folders {
		info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(rel)))
		if err != nil {
			return err
		}
		l.Folders = append(l.Folders, listedFile{Rel: rel, ModTime: info.ModTime().UnixNano()})
	}
	packed, err := files.Pack(l.listing)
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

// readListing opens a directory as it was listed.
func readListing(dir string, data []byte, opts Options) (*Dump, error) {
	packed, ours := bytes.CutPrefix(data, listingHead())
	var l listing
	if !ours || files.Unpack(packed, &l) != nil {
		return nil, errors.New("it is from another version of xlagate, or damaged")
	}
	d := &Dump{Path: dir, limit: opts.Limit, sampled: l.Sample, Problems: l.Problems}
	var all []*File
	for _, f := range l.Files {
		if !filepath.IsLocal(filepath.FromSlash(f.Rel)) {
			return nil, fmt.Errorf("it names %q, which is outside of the dump", f.Rel)
		}
		shown := filepath.Join(dir, filepath.FromSlash(f.Rel))
		all = append(all, &File{Path: shown, Size: f.Size, ModTime: time.Unix(0, f.ModTime), Kind: f.Kind, src: diskSource{shown}, rel: f.Rel, limit: d.limit, listed: true})
	}
	for _, f := range l.Folders {
		info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(f.Rel)))
		if err != nil || info.ModTime().UnixNano() != f.ModTime {
			return nil, fmt.Errorf("%s changed since", filepath.Join(dir, filepath.FromSlash(f.Rel)))
		}
	}
	if !l.fill(d, all) {
		return nil, errors.New("it is damaged")
	}
	return d, nil
}

// fill sets the modules and lists of a dump. It returns false if the listing refers to files that it does not hold.
func (l *listing) fill(d *Dump, all []*File) bool {
	complete := true
	file := func(i int) *File {
		if i < 0 || i >= len(all) {
			complete = complete && i == -1
			return nil
		}
		return all[i]
	}
	pick := func(list []int) (found []*File) {
		for _, i := range list {
			found = append(found, file(i))
		}
		return found
	}
	modules := func(list []listedModule) (found []*Module) {
		for _, m := range list {
			module := &Module{ID: m.ID, Name: m.Name, Process: m.Process, Number: m.Number, dir: m.Dir, digits: m.Digits, stamp: m.Stamp, spelled: m.Spelled, Companions: pick(m.Companions)}
			for _, s := range m.Stages {
				stage := Stage{Kind: s.Kind, Tag: s.Tag, Label: s.Label, Pass: s.Pass}
				for j, f := range stage.slots() {
					*f = file(s.Files[j])
				}
				module.Stages = append(module.Stages, stage)
			}
			complete = complete && !slices.Contains(module.Companions, nil)
			found = append(found, module)
		}
		return found
	}
	d.Modules, d.Throwaway = modules(l.Modules), modules(l.Throwaway)
	if len(l.Lists) != len(d.lists()) || len(l.Toolchain) > 1 {
		return false
	}
	for i, list := range d.lists() {
		*list = pick(l.Lists[i])
		complete = complete && !slices.Contains(*list, nil)
	}
	for _, i := range l.Toolchain {
		d.Toolchain = file(i)
	}
	return complete
}
