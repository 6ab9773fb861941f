package dump

import (
	"path"
	"slices"
	"strings"
)

// grouping sorts a dump's files into modules.
type grouping struct {
	buckets map[bucketKey]*bucket
	order   []bucketKey
}

// bucketKey is a module number in a directory. Usually one module has it; a directory that several runs wrote to may hold more.
type bucketKey struct{ dir, number string }

type bucket struct {
	dir     string
	entries []entry
	names   map[string]bool // the modules' names, as the file names spell them
	modules []*Module
}

// entry is a file whose name tells the module's number.
type entry struct {
	file *File
	name fileName
}

// add takes a file whose name follows the grammar; ok tells whether it does.
func (g *grouping) add(f *File) (ok bool) {
	name, ok := parseFileName(path.Base(f.rel))
	if !ok {
		return false
	}
	b := g.bucket(bucketKey{path.Dir(f.rel), name.number})
	b.entries = append(b.entries, entry{f, name})
	return true
}

func (g *grouping) bucket(key bucketKey) *bucket {
	b := g.buckets[key]
	if b == nil {
		b = &bucket{dir: key.dir, names: map[string]bool{}}
		g.buckets[key] = b
		g.order = append(g.order, key)
	}
	return b
}

// modules lists the modules found, and the files that are nothing to a module.
func (g *grouping) modules() (modules []*Module, rest []*File) {
	for _, key := range g.order {
		b := g.buckets[key]
		b.learnNames()
		rest = append(rest, b.distribute()...)
		b.tellApart()
		modules = append(modules, b.modules...)
	}
	return modules, rest
}

// learnNames finds the modules' names: from files whose end alone gives the name away, else from the pass dumps.
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
	b.joinNameless()
}

// joinNameless drops the empty name when there is but one other: XLA leaves a module's name out of a file's when the whole
// would be too long, and other files of the same module may be short enough to keep it.
func (b *bucket) joinNameless() {
	if len(b.names) == 2 && b.names[""] {
		delete(b.names, "")
	}
}

// distribute gives every file to its module and returns those that are nothing to it. Files with a time stamp come first: the
// others belong to a module that has one.
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
		b.module(e.name, name).take(e.file, r)
	}
	return rest
}

// split cuts the longest known name off what follows the number in a file's name.
func (b *bucket) split(rest string) (name, suffix string) {
	suffix = rest
	for n := range b.names {
		if s, ok := strings.CutPrefix(rest, n+"."); ok && len(n) > len(name) {
			name, suffix = n, s
		}
	}
	if name == "" && len(b.names) == 1 { // a file that had to drop the name
		for n := range b.names {
			name = n
		}
	}
	return name, suffix
}

// module is the bucket's module of a name and time stamp. A file without time stamp belongs to the last run's.
func (b *bucket) module(n fileName, name string) *Module {
	for _, m := range b.modules {
		if m.spelled == name && (m.stamp == n.stamp || n.stamp == "") {
			return m
		}
	}
	m := newModule(b.dir, n, name)
	b.modules = append(b.modules, m)
	return m
}
