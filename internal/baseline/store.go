package baseline

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
)

// Save writes the files of programs, and returns the names of those that changed. Lines that stay are left as they are; the first new one gets the reason.
func Save(e *Edit, target, reason string, programs ...*Program) (written []string) {
	names := phrase.Map(programs, func(p *Program) string { return path.Join(target, FileName(p.Name)) })
	texts := make([][]byte, len(programs))
	inParallel(len(programs), func(i int) {
		old, _ := read(e, names[i]) // one that cannot be read is replaced
		texts[i] = Format(programs[i], old, reason)
	})
	for i, name := range names {
		if e.Put(name, texts[i]) {
			written = append(written, name)
		}
	}
	return written
}

// FormatAll returns the files of programs that have none yet.
func FormatAll(programs []*Program) [][]byte {
	texts := make([][]byte, len(programs))
	inParallel(len(programs), func(i int) { texts[i] = Format(programs[i], nil, "") })
	return texts
}

// inParallel calls a function for each of n files, several at a time: those of thousands of programs are tens of megabytes.
func inParallel(n int, do func(i int)) {
	var doing errgroup.Group
	doing.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		doing.Go(func() error {
			return dump.Guard(func() error { do(i); return nil })
		})
	}
	if defect := doing.Wait(); defect != nil {
		panic(defect) // which the caller recovers, as if it had done all by itself
	}
}

// SaveGraphs writes the facts of a target's graphs, and returns the name of their file if it changed.
func SaveGraphs(e *Edit, target string, graphs facts.Values) (written []string) {
	if name := path.Join(target, graphsFile); e.Put(name, formatGraphs(graphs)) {
		written = []string{name}
	}
	return written
}

// RemoveTarget removes the files of a target, and returns their names.
func RemoveTarget(e *Edit, target string) ([]string, error) {
	entries, err := fs.ReadDir(e, target)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, entry := range entries {
		if !entry.IsDir() && ours(entry.Name()) {
			names = append(names, entry.Name())
		}
	}
	return Remove(e, target, names...)
}

// Remove removes files of a target's folder, and returns their names.
func Remove(e *Edit, target string, files ...string) (removed []string, err error) {
	for _, file := range files {
		name := path.Join(target, file)
		if err := e.Remove(name); err != nil {
			return removed, err
		}
		removed = append(removed, name)
	}
	return removed, nil
}

// ErrEdited reports that a file can be read, but is not in the form that accept writes.
var ErrEdited = errors.New("not as xlagate accept writes it: it was edited, renamed or merged by hand; accept again")

// Verify reads every file of a store, and returns their number and all errors.
func Verify(store fs.FS) (files int, wrong []error, err error) {
	targets, err := Targets(store)
	for _, target := range targets {
		set, err := Read(store, target)
		if err != nil {
			return files, append(wrong, err), nil
		}
		for _, d := range set.Damaged {
			files, wrong = files+1, append(wrong, d.Err)
		}
		if set.Graphs != nil {
			name := path.Join(target, graphsFile)
			files, wrong = files+1, append(wrong, canonical(store, name, func([]byte) []byte { return formatGraphs(set.Graphs) })...)
		}
		for _, p := range set.Programs {
			name := path.Join(target, FileName(p.Name))
			files, wrong = files+1, append(wrong, canonical(store, name, func(old []byte) []byte { return Format(p, old, "") })...)
		}
	}
	return files, wrong, err
}

// canonical returns an error for a file that accept would write differently or under another name.
func canonical(store fs.FS, name string, format func(old []byte) []byte) []error {
	data, err := read(store, name)
	data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	if err != nil || !bytes.Equal(data, format(data)) {
		return []error{fmt.Errorf("%s: %w", name, ErrEdited)}
	}
	return nil
}
