package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/baseline"
	"github.com/xlagate/xlagate/internal/facts"
)

// baselineSide reads one side of a diff as a stored baseline, nil if it is none.
func baselineSide(name string) (*facts.Report, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, nil
	case info.IsDir():
		return folderSide(name)
	case !strings.HasSuffix(name, ".jsonl"):
		return nil, nil
	}
	p, err := baseline.LoadProgram(os.DirFS(filepath.Dir(name)), filepath.Base(name))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return named(&baseline.Set{Programs: []*baseline.Program{p}}, name), nil
}

// folderSide reads a folder as the baseline of a target, or of the only target below it; nil if it is neither.
func folderSide(name string) (*facts.Report, error) {
	store := os.DirFS(name)
	targets := []string{"."} // the folder itself, or else those below it
	if !holdsBaseline(store, ".") {
		targets, _ = baseline.Targets(store) // reading it as a dump reports what cannot be listed
	}
	targets = slices.DeleteFunc(targets, func(dir string) bool { return !holdsBaseline(store, dir) })
	switch len(targets) {
	case 0:
		return nil, nil
	case 1:
		set, err := baseline.Load(store, targets[0])
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		return named(set, name), nil
	}
	return nil, wrongUsage("%s holds the baselines of %d targets (%s); name the folder of one: %s", name, len(targets), strings.Join(targets, ", "), path.Join(name, targets[0]))
}

// holdsBaseline reports whether a folder holds baseline files, readable or not.
func holdsBaseline(store fs.FS, dir string) bool {
	entries, _ := fs.ReadDir(store, dir)
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		if e.IsDir() || path.Ext(e.Name()) != ".jsonl" {
			return false
		}
		data, err := fs.ReadFile(store, path.Join(dir, e.Name()))
		return err == nil && bytes.Contains(data, []byte(`"schema":"xlagate.baseline/`))
	})
}

func named(set *baseline.Set, name string) *facts.Report {
	r := set.Report()
	r.Dump = name
	return r
}
