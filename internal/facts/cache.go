package facts

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/files"
)

// Cache keeps measurements between runs of one build of the program.
type Cache interface {
	Load(key string) (data []byte, ok bool)
	Store(key string, data []byte)
}

// cacheFrom is the size of a final module's file from which the cache saves time.
const cacheFrom = 2 << 20

// cacheEntry is a measurement and the files that it was read from. The facts follow from the contents of those files, the names of all
// files and the options.
type cacheEntry struct {
	Reads []fileSum
	Facts measurement
}

// fileSum is the hash of a file, which is given by its place among the module's files.
type fileSum struct {
	At  int
	Sum [sha256.Size]byte
}

// measureCached takes a measurement from the cache, or measures the module.
func measureCached(m *dump.Module, single bool, opts Options) *measuring {
	if !opts.cacheable(m) {
		return measureModule(m, nil, single, opts)
	}
	files := m.Files()
	for _, t := range opts.tracedFor(m) {
		files = append(files, t.file)
	}
	key := cacheKey(m, files, single, opts)
	if data, ok := opts.Cache.Load(key); ok {
		if known := decodeEntry(data, files); known != nil {
			return &measuring{measurement: *known, module: m}
		}
	}
	out := measureModule(m, files, single, opts)
	if data := out.cacheEntry(); data != nil {
		opts.Cache.Store(key, data)
	}
	return out
}

func (o *Options) cacheable(m *dump.Module) bool {
	if o.Cache == nil || o.AllStages || o.KeepModules {
		return false
	}
	final := m.Optimized()
	return final != nil && final.HLO() != nil && final.HLO().Size >= cmp.Or(o.CacheFrom, cacheFrom)
}

// cacheKey names everything that facts depend on except for the content of files.
func cacheKey(m *dump.Module, files []*dump.File, single bool, opts Options) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%q %q %q %q %q %v %v %v %q\n", m.ID, m.Name, m.Process, m.Backend(), m.Build(), single, opts.AnyStage, opts.torch, opts.Root)
	for i := range m.Stages {
		s := &m.Stages[i]
		fmt.Fprintf(&b, "%q %q %q %+v\n", s.Kind, s.Tag, s.Label, s.Pass)
	}
	for _, f := range files {
		fmt.Fprintf(&b, "%q %q %d\n", f.Kind, f.Path, f.Size)
	}
	return b.String()
}

// decodeEntry returns the measurement of an entry; nil when a file has changed since.
func decodeEntry(data []byte, of []*dump.File) *measurement {
	var known cacheEntry
	if files.Unpack(data, &known) != nil || len(known.Reads) == 0 {
		return nil
	}
	for _, read := range known.Reads {
		if read.At < 0 || read.At >= len(of) {
			return nil
		}
		if sum, err := of[read.At].Sum(); err != nil || sum != read.Sum {
			return nil
		}
	}
	return &known.Facts
}

// reading hashes a file before it is read, because facts come from it.
func (out *measuring) reading(f *dump.File) {
	at := slices.Index(out.files, f)
	if out.files == nil || slices.ContainsFunc(out.reads, func(r fileSum) bool { return r.At == at }) {
		return
	}
	sum, err := f.Sum()
	if err != nil {
		at = -1 // never cached
	}
	out.reads = append(out.reads, fileSum{at, sum})
}

// cacheEntry encodes the measurement; nil when the module could not be read whole, or a file changed while it was read.
func (out *measuring) cacheEntry() []byte {
	if len(out.Problems) > 0 || out.Variant == nil {
		return nil
	}
	for _, read := range out.reads {
		if read.At < 0 {
			return nil
		}
		if !out.files[read.At].Unchanged() {
			return nil
		}
	}
	data, err := files.Pack(cacheEntry{Reads: out.reads, Facts: out.measurement})
	if err != nil {
		return nil
	}
	return data
}
