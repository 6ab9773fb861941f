package baseline

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
)

// ErrEdited says that a file holds what it should, but is not as accept writes it.
var ErrEdited = errors.New("not as xlagate accept writes it; it was edited or merged by hand: accept anew")

// Verify reads every file of a store, and returns how many there are and all that is wrong with them.
func Verify(store fs.FS) (files int, wrong []error, err error) {
	targets, err := Targets(store)
	for _, target := range targets {
		entries, err := fs.ReadDir(store, target)
		if err != nil {
			return files, wrong, fmt.Errorf("read the baseline of %s: %w", target, err)
		}
		set := &Set{Target: target}
		programs, errs := set.readAll(store, target, entries)
		errs = append(errs, orphan(target, entries), twice(target, entries, programs))
		for i, e := range entries {
			if !e.IsDir() && ours(e.Name()) {
				files++
				errs = append(errs, set.canonical(store, e.Name(), programs[i]))
			}
		}
		for _, err := range errs {
			if err != nil {
				wrong = append(wrong, err)
			}
		}
	}
	return files, wrong, err
}

// canonical tells a readable file that accept would write in another way, or that lies under another name than it would.
func (s *Set) canonical(store fs.FS, name string, p *Program) error {
	file := path.Join(s.Target, name)
	data, err := fs.ReadFile(store, file)
	if err != nil {
		return err
	}
	var want []byte
	switch {
	case name == graphsFile && s.Graphs != nil:
		want = FormatGraphs(s.Target, s.Graphs)
	case p != nil:
		want = Format(s.Target, p).Readable
	default:
		return nil // a machine file, which is told with its readable one, or one that cannot be read
	}
	if !bytes.Equal(data, want) || p != nil && FileName(p.Name) != name {
		return fmt.Errorf("%s: %w", file, ErrEdited)
	}
	return nil
}
