package dump

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/phrase"
)

// bucket is the files of a module number in a directory. Usually they are of one module; in a directory that several runs wrote to, of several.
type bucket struct {
	dir     string
	entries []entry
	names   map[string]bool // the modules' names, as the file names spell them
	modules []*Module
	named   map[[2]string]*Module // by name and time stamp; without a time stamp the first of the name
}

// entry is a file whose name contains a module number.
type entry struct {
	file *File
	name fileName
}

// sorted sorts files whose names contain a module number into modules, and returns those that belong to none.
func sorted(entries []entry) (modules []*Module, rest []*File) {
	type place struct{ dir, number string }
	for _, same := range phrase.Group(entries, func(e entry) place { return place{path.Dir(e.file.Rel), e.name.number} }) {
		b := &bucket{dir: path.Dir(same[0].file.Rel), entries: same, names: map[string]bool{}, named: map[[2]string]*Module{}}
		b.learnNames()
		rest = append(rest, b.distribute()...)
		for _, m := range b.modules {
			if m.Spelled == "" {
				b.modules = append(b.modules, m.withoutOthers()...)
			}
		}
		modules = append(modules, b.modules...)
	}
	return modules, rest
}

// learnNames finds the modules' names: from file names whose suffix alone determines them, else from pass dumps.
func (b *bucket) learnNames() {
	for _, find := range []func(string) (string, bool){nameIn, nameInPass} {
		for _, e := range b.entries {
			if name, ok := find(e.name.rest); ok && e.name.scope == "" {
				b.names[name] = true
			}
		}
		if len(b.names) > 0 {
			break
		}
	}
	if len(b.names) == 2 && b.names[""] { // XLA leaves the name out of a file name that would be too long, and keeps it in shorter ones of the same module
		delete(b.names, "")
	}
}

// distribute adds every file to its module and returns those of none. Files with a time stamp come first: the others belong to a module that has one.
func (b *bucket) distribute() (rest []*File) {
	slices.SortStableFunc(b.entries, func(x, y entry) int { return strings.Compare(y.name.stamp, x.name.stamp) })
	for _, e := range b.entries {
		name, suffix := b.split(e.name.rest)
		r, ok := roleOf(suffix)
		if !ok {
			r, ok = sniffedRole(e.file, suffix)
		}
		if !ok {
			rest = append(rest, e.file)
			continue
		}
		m := b.named[[2]string{name, e.name.stamp}]
		if m == nil {
			m = newModule(b.dir, e.name, name)
			b.modules = append(b.modules, m)
			b.named[[2]string{name, e.name.stamp}] = m
			if b.named[[2]string{name, ""}] == nil {
				b.named[[2]string{name, ""}] = m
			}
		}
		m.take(e.file, r)
	}
	return rest
}

// split cuts the longest known module name off the part of a file name after the number.
func (b *bucket) split(rest string) (name, suffix string) {
	for end := strings.LastIndexByte(rest, '.'); end > 0; end = strings.LastIndexByte(rest[:end], '.') {
		if b.names[rest[:end]] {
			return rest[:end], rest[end+1:]
		}
	}
	if len(b.names) == 1 { // XLA omitted the name
		for n := range b.names {
			name = n
		}
	}
	return name, strings.TrimPrefix(rest, name+".")
}

// sort assigns every file to its module or kind, and checks the dump.
func (d *Dump) sort(ctx context.Context, files []*File) error {
	for _, f := range files {
		f.limit = d.limit
	}
	files, err := d.expandLogs(ctx, files)
	if err != nil {
		return err
	}
	// The first of two equal files is read, so the order must not depend on the archive.
	slices.SortStableFunc(files, func(a, b *File) int { return cmp.Compare(a.Rel, b.Rel) })
	var entries []entry
	strays := slices.DeleteFunc(slices.Clone(files), func(f *File) bool {
		name, ok := parseFileName(path.Base(f.Rel))
		if ok {
			entries = append(entries, entry{f, name})
		}
		return ok
	})
	modules, unnamed := sorted(entries)
	for _, f := range append(adopt(modules, strays), unnamed...) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		d.place(f)
	}
	d.keep(modules)
	if len(d.Modules) == 0 {
		d.takeLoose()
	}
	return d.check(ctx)
}

// keep separates the user's modules, the autotuner's, and companions of modules that were not dumped.
func (d *Dump) keep(modules []*Module) {
	for _, m := range modules {
		m.sortStages()
		if len(m.Stages) == 0 {
			d.Other = append(d.Other, m.Companions...)
			continue
		}
		d.readName(m)
		d.Modules = append(d.Modules, m)
	}
	nameProcesses(d.Modules)
	slices.SortStableFunc(d.Modules, func(a, b *Module) int {
		return cmp.Or(cmp.Compare(a.Process, b.Process), cmp.Compare(a.Number, b.Number), cmp.Compare(a.Stamp, b.Stamp), cmp.Compare(a.Spelled, b.Spelled))
	})
	d.Modules = mergeClones(d.Modules)
	d.setThrowawayApart()
	nameModules(d.Modules)
	nameModules(d.Throwaway)
}

// place adds a file of no module to the list for its kind.
func (d *Dump) place(f *File) {
	kind, err := strayKind(f)
	if err != nil {
		d.problem(f.Path, "the file cannot be read: "+Reason(err), fixRead(err))
		return
	}
	f.Kind = kind
	switch kind {
	case "":
		d.Unknown = append(d.Unknown, f)
	case KindGraph:
		d.Graphs = append(d.Graphs, f)
	case KindLog:
		d.Logs = append(d.Logs, f)
	case KindTrace:
		d.Traces = append(d.Traces, f)
	case KindToolchain:
		d.Toolchain = f
	default:
		d.Other = append(d.Other, f)
	}
}

// adopt adds the files in directories named after modules, inputs of the runtime and MLIR of the partitioner, to those modules, and returns the rest.
func adopt(modules []*Module, strays []*File) (rest []*File) {
	named := map[[2]string][]*Module{}
	for _, m := range modules {
		named[[2]string{m.Digits, m.Spelled}] = append(named[[2]string{m.Digits, m.Spelled}], m)
	}
	return slices.DeleteFunc(strays, func(f *File) bool {
		owner := ownerOf(named, path.Dir(f.Rel))
		r, ok := roleOf(path.Base(f.Rel))
		if owner == nil || !ok || r.stage != nil {
			return false
		}
		owner.take(f, r)
		return true
	})
}

// ownerOf returns the module that a directory is named after: the nearest one, if several have the name.
func ownerOf(named map[[2]string][]*Module, dir string) *Module {
	for ; dir != "." && dir != "/"; dir = path.Dir(dir) {
		name, ok := parseFileName(path.Base(dir))
		if !ok {
			continue
		}
		var owner *Module
		for _, m := range named[[2]string{name.number, name.rest}] {
			if (below(m.Dir, path.Dir(dir)) || below(path.Dir(dir), m.Dir)) && (owner == nil || m.Dir == path.Dir(dir)) {
				owner = m
			}
		}
		return owner
	}
	return nil
}

// below reports whether a directory is another one or in it.
func below(dir, root string) bool {
	return root == "." || dir == root || len(dir) > len(root) && dir[:len(root)] == root && dir[len(root)] == '/'
}

// withoutOthers removes the stages whose headers name another module than the first stage's, and returns those modules.
func (m *Module) withoutOthers() (others []*Module) {
	byName := map[string]*Module{}
	var kept []Stage
	for _, s := range m.Stages {
		name := ""
		if f := s.HLO(); f != nil {
			name, _, _ = headerName(f)
		}
		switch owner := byName[name]; {
		case name == "" || owner == m:
			kept = append(kept, s)
		case len(byName) == 0:
			byName[name] = m
			kept = append(kept, s)
		case owner == nil:
			owner = newModule(m.Dir, fileName{number: m.Digits, stamp: m.Stamp}, "")
			byName[name], others = owner, append(others, owner)
			fallthrough
		default:
			byName[name].Stages = append(byName[name].Stages, s)
		}
	}
	m.Stages = kept
	return others
}
