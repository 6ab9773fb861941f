package baseline

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/xlagate/xlagate/internal/facts"
)

// attributes is the .gitattributes beside machine files: code hosts collapse them, git shows no diff of them and keeps their line endings.
const (
	attributesFile = ".gitattributes"
	attributes     = "*" + machineExt + " linguist-generated -diff -text\n"
)

// Save writes a program's files, and returns the names of those that changed.
func Save(e *Edit, target string, p *Program) ([]string, error) {
	text := Format(target, p)
	written, err := save(e, path.Join(target, FileName(p.Name)), text.Readable, nil)
	if err == nil {
		written, err = save(e, path.Join(target, MachineName(p.Name)), text.Machine, written)
	}
	if err == nil {
		at := path.Join(target, attributesFile)
		own, _ := read(e, at) // an unreadable file is rewritten
		if !bytes.Contains(own, []byte(attributes)) {
			written, err = save(e, at, append(own, attributes...), written)
		}
	}
	return written, err
}

// SaveGraphs writes the facts of a target's graphs.
func SaveGraphs(e *Edit, target string, graphs facts.Values) ([]string, error) {
	return save(e, path.Join(target, graphsFile), formatGraphs(target, graphs), nil)
}

func save(e *Edit, name string, data []byte, written []string) ([]string, error) {
	changed, err := e.Put(name, data)
	if changed {
		written = append(written, name)
	}
	return written, err
}

// Remove removes a program's files, and returns their names.
func Remove(e *Edit, target, program string) ([]string, error) {
	return remove(e, path.Join(target, FileName(program)), path.Join(target, MachineName(program)))
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
			names = append(names, path.Join(target, entry.Name()))
		}
	}
	return remove(e, names...)
}

func remove(e *Edit, names ...string) ([]string, error) {
	for i, name := range names {
		if err := e.Remove(name); err != nil {
			return names[:i], err
		}
	}
	return names, nil
}

// ErrEdited reports that a file has the right content, but not in the form that accept writes.
var ErrEdited = errors.New("not as xlagate accept writes it: it was edited or merged by hand; accept again")

// Verify reads every file of a store, and returns their number and all errors.
func Verify(store fs.FS) (files int, wrong []error, err error) {
	targets, err := Targets(store)
	for _, target := range targets {
		entries, err := fs.ReadDir(store, target)
		if err != nil {
			return files, wrong, fmt.Errorf("read the baseline of %s: %w", target, err)
		}
		set := &Set{Target: target}
		programs, errs := set.readAll(store, target, entries, &facts.Report{})
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

// canonical returns an error for a readable file that accept would write differently or under another name.
func (s *Set) canonical(store fs.FS, name string, p *Program) error {
	file := path.Join(s.Target, name)
	data, err := fs.ReadFile(store, file)
	if err != nil {
		return err
	}
	var want []byte
	switch {
	case name == graphsFile && s.Graphs != nil:
		want = formatGraphs(s.Target, s.Graphs)
	case p != nil:
		want = Format(s.Target, p).Readable
	default:
		return nil // a machine file, which is checked with its readable file, or an unreadable one
	}
	if !bytes.Equal(data, want) || p != nil && FileName(p.Name) != name {
		return fmt.Errorf("%s: %w", file, ErrEdited)
	}
	return nil
}
