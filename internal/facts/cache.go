package facts

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/files"
)

// Cache keeps measurements between runs of one build of the program.
type Cache interface {
	Load(key string) (data []byte, ok bool)
	Store(key string, data []byte)
}

// batch is a group of modules that share an entry of the cache. Small modules are many: to keep each by itself takes longer than to measure it.
type batch struct {
	key     string
	modules []*dump.Module
	files   [][]*dump.File // of each module
	run     *run

	load  sync.Once
	known []cacheEntry // of each module; nil if the cache does not have them
	done  []*measuring
	left  atomic.Int64 // how many modules are not yet measured
	fresh atomic.Bool  // whether a measurement is not in the cache
}

// The bounds of a batch.
const (
	batchModules = 64
	batchBytes   = 4 << 20 // of what is read of the modules
)

// cacheEntry is a measurement and the files that it was read from. The facts follow from the contents of those files, the names of all
// files and the options. A module that could not be read whole has no files.
type cacheEntry struct {
	Reads []fileSum
	Facts measurement
}

// fileSum is the hash of a file, which is given by its place among the module's files.
type fileSum struct {
	At  int
	Sum [sha256.Size]byte
}

// batches groups modules. Without a cache each is alone.
func (r *run) batches(modules []*dump.Module) []*batch {
	var all []*batch
	var last *batch
	var size int64
	for _, m := range modules {
		if size += moduleSize(m, false); last == nil || !r.caches() || len(last.modules) == batchModules || size > batchBytes {
			last, size = &batch{run: r}, moduleSize(m, false)
			all = append(all, last)
		}
		last.modules = append(last.modules, m)
	}
	for _, b := range all {
		b.done = make([]*measuring, len(b.modules))
		b.left.Store(int64(len(b.modules)))
	}
	return all
}

// caches reports whether measurements are kept.
func (o *Options) caches() bool { return o.Cache != nil && !o.AllStages && !o.KeepModules }

// weigh estimates the memory that a module takes: none if it is in the cache.
func (b *batch) weigh(i int) int64 {
	if b.run.caches() && b.recalled(i) != nil {
		return 0
	}
	return moduleWeight(b.modules[i])
}

// measure takes the measurement of a module from the cache, or measures it. The last one of the batch keeps all of them.
func (b *batch) measure(i, at int) *measuring {
	m := b.modules[i]
	if !b.run.caches() {
		out := b.run.measureModule(m, nil)
		out.At = at
		return out
	}
	out := b.recalled(i)
	switch {
	case out != nil:
	case b.run.CacheOnly:
		out = b.run.measureModule(m, nil)
	default:
		out = b.run.measureModule(m, b.files[i])
		if out.whole() {
			b.fresh.Store(true)
		}
	}
	out.At, b.done[i] = at, out
	if b.left.Add(-1) == 0 && b.fresh.Load() {
		b.keep()
	}
	return out
}

// recall reads the entry of the batch.
func (b *batch) recall() {
	sum := sha256.New()
	for _, m := range b.modules {
		all := m.Files()
		for _, t := range b.run.tracedFor(m) {
			all = append(all, t.file)
		}
		b.files = append(b.files, all)
		b.run.writeKey(sum, m, all)
	}
	b.key = fmt.Sprintf("facts %x", sum.Sum(nil))
	if data, ok := b.run.Cache.Load(b.key); !ok || files.Unpack(data, &b.known) != nil || len(b.known) != len(b.modules) {
		b.known = nil
	}
}

// writeKey writes everything that facts depend on except for the content of files.
func (r *run) writeKey(w io.Writer, m *dump.Module, files []*dump.File) {
	fmt.Fprintf(w, "%q %q %q %q %q %v %v %v %q\n", m.ID, m.Name, m.Process, cmp.Or(m.Backend(), r.Backend), m.Build(), r.dump.Single, r.AnyStage, r.torch, r.Root)
	for i := range m.Stages {
		s := &m.Stages[i]
		fmt.Fprintf(w, "%q %q %q %+v\n", s.Kind, s.Tag, s.Label, s.Pass)
	}
	for _, f := range files {
		fmt.Fprintf(w, "%q %q %d\n", f.Kind, f.Path, f.Size)
	}
}

// recalled returns the measurement of a module in the cache; nil if there is none, or when a file has changed since.
func (b *batch) recalled(i int) *measuring {
	b.load.Do(b.recall)
	if b.done[i] != nil {
		return b.done[i]
	}
	if b.known == nil || len(b.known[i].Reads) == 0 {
		return nil
	}
	known := b.known[i]
	b.known[i] = cacheEntry{} // it is used once
	for _, read := range known.Reads {
		if read.At < 0 || read.At >= len(b.files[i]) {
			return nil
		}
		if sum, err := b.files[i][read.At].Sum(); err != nil || sum != read.Sum {
			return nil
		}
	}
	b.done[i] = &measuring{measurement: known.Facts, module: b.modules[i], files: b.files[i], reads: known.Reads}
	return b.done[i]
}

// reading returns a function that hashes a file, given its content as stored: facts come from it.
func (out *measuring) reading(f *dump.File) func(stored []byte) {
	return func(stored []byte) {
		if out.files != nil {
			out.read(f, sha256.Sum256(stored))
		}
	}
}

// read notes the hash of a file that facts come from.
func (out *measuring) read(f *dump.File, sum [sha256.Size]byte) {
	if read := (fileSum{slices.Index(out.files, f), sum}); !slices.Contains(out.reads, read) {
		out.reads = append(out.reads, read)
	}
}

// whole reports whether the module could be read whole, and no file changed while it was read.
func (out *measuring) whole() bool {
	return len(out.Problems) == 0 && out.Variant != nil && !slices.ContainsFunc(out.reads, func(r fileSum) bool { return r.At < 0 || !out.files[r.At].Unchanged() })
}

// keep stores the measurements of the batch.
func (b *batch) keep() {
	entries := make([]cacheEntry, len(b.done))
	for i, out := range b.done {
		if out.whole() {
			entries[i] = cacheEntry{out.reads, out.measurement}
		}
	}
	if data, err := files.Pack(entries); err == nil {
		b.run.Cache.Store(b.key, data)
	}
}
