package dump

import (
	"cmp"
	"context"
	"path"
	"slices"
)

// sort finds out what every file is and what is wrong with the whole.
func (d *Dump) sort(ctx context.Context, files []*File) error {
	files, err := d.expandLogs(ctx, files)
	if err != nil {
		return err
	}
	// Where two files say the same, the first is read: archives hold them in any order.
	slices.SortStableFunc(files, func(a, b *File) int { return cmp.Compare(a.rel, b.rel) })
	g := grouping{buckets: map[bucketKey]*bucket{}}
	strays := slices.DeleteFunc(slices.Clone(files), g.add)
	modules, unnamed := g.modules()
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

// keep sorts the modules into those of the user, those of the autotuner, and mere companions of modules that were not dumped.
func (d *Dump) keep(modules []*Module) {
	for _, m := range modules {
		m.takeSnapshot()
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
		return cmp.Or(cmp.Compare(a.Process, b.Process), cmp.Compare(a.Number, b.Number), cmp.Compare(a.stamp, b.stamp), cmp.Compare(a.spelled, b.spelled))
	})
	d.Modules = mergeClones(d.Modules)
	d.setThrowawayApart()
	nameModules(d.Modules)
	nameModules(d.Throwaway)
}

// place puts a file of no module where it belongs.
func (d *Dump) place(f *File) {
	kind, err := strayKind(f)
	if err != nil {
		d.problem(f.Path, "the file cannot be read: "+reason(err), fixRead(err))
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

// adopt gives the files in directories that are called like modules to those modules, and returns the rest. The runtime writes
// its inputs there, the partitioner its MLIR.
func adopt(modules []*Module, strays []*File) (rest []*File) {
	for _, f := range strays {
		owner := ownerOf(modules, path.Dir(f.rel))
		if owner == nil {
			rest = append(rest, f)
			continue
		}
		r, ok := roleOf(path.Base(f.rel))
		if !ok || r.stage != nil {
			rest = append(rest, f)
			continue
		}
		owner.take(f, r)
	}
	return rest
}

// ownerOf is the module that a directory is called after: of those of the same name the one that lies nearest.
func ownerOf(modules []*Module, dir string) *Module {
	for ; dir != "." && dir != "/"; dir = path.Dir(dir) {
		name, ok := parseFileName(path.Base(dir))
		if !ok {
			continue
		}
		var owner *Module
		for _, m := range modules {
			if m.digits == name.number && m.spelled == name.rest && related(m.dir, path.Dir(dir)) {
				if owner == nil || m.dir == path.Dir(dir) {
					owner = m
				}
			}
		}
		return owner
	}
	return nil
}

// related tells whether one directory lies below the other, or they are the same.
func related(a, b string) bool { return below(a, b) || below(b, a) }

func below(dir, root string) bool {
	return root == "." || dir == root || len(dir) > len(root) && dir[:len(root)] == root && dir[len(root)] == '/'
}
