package dump

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"io"
	"slices"
)

// Files lists the module's files: those of its stages, then its companions.
func (m *Module) Files() []*File {
	var files []*File
	for i := range m.Stages {
		s := &m.Stages[i]
		for _, f := range []*File{s.Text, s.Proto, s.Dot, s.HTML, s.URL, s.Riegeli} {
			if f != nil {
				files = append(files, f)
			}
		}
	}
	return append(files, m.Companions...)
}

// Listing sums up what a dump is made of without reading it: the names and sizes of its files and the modules they belong to. It is
// the same on every machine that sees the same dump, wherever it lies.
func (d *Dump) Listing() [sha256.Size]byte {
	list := sha256.New()
	for _, m := range slices.Concat(d.Modules, d.Throwaway) {
		fmt.Fprintf(list, "module %q %q %q\n", m.ID, m.Name, m.Process)
		listFiles(list, m.Files())
	}
	beside := slices.Concat(d.Graphs, d.Logs, d.Traces, d.Other, d.Unknown)
	if d.Toolchain != nil {
		beside = append(beside, d.Toolchain)
	}
	slices.SortFunc(beside, func(a, b *File) int { return cmp.Compare(a.rel, b.rel) })
	listFiles(list, beside)
	return [sha256.Size]byte(list.Sum(nil))
}

func listFiles(list io.Writer, files []*File) {
	for _, f := range files {
		fmt.Fprintf(list, "%q %d\n", f.rel, f.Size)
	}
}
