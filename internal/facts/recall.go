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

// Cache keeps what modules were measured as between runs of one build of the program.
type Cache interface {
	Load(key string) (data []byte, ok bool)
	Store(key string, data []byte)
}

// cacheFrom is the size of a final module's file from which it pays: a smaller one is read as fast as it is looked up.
const cacheFrom = 2 << 20

// memo is what a module was measured as, and what that was read from. The facts follow from the files that were read, from the names
// of all files and from the options: with equal contents the same files would be read again, and give the same.
type memo struct {
	Reads []readFile
	Facts measurement
}

// readFile is a file, by its place among the module's files, and its content.
type readFile struct {
	At  int
	Sum [sha256.Size]byte
}

// recall takes what the cache knows of a module, or measures it.
func recall(m *dump.Module, single bool, opts Options) *measuring {
	if !opts.cacheable(m) {
		return measureModule(m, nil, single, opts)
	}
	files := filesOfModule(m)
	for _, t := range opts.tracedFor(m) {
		files = append(files, t.file)
	}
	key := cacheKey(m, files, single, opts)
	if data, ok := opts.Cache.Load(key); ok {
		if known := remembered(data, files); known != nil {
			return &measuring{measurement: *known, module: m}
		}
	}
	out := measureModule(m, files, single, opts)
	if data := out.memo(); data != nil {
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

// filesOfModule lists all files of a module, always in the same order.
func filesOfModule(m *dump.Module) []*dump.File {
	var files []*dump.File
	for i := range m.Stages {
		for _, f := range []*dump.File{m.Stages[i].Text, m.Stages[i].Proto} {
			if f != nil {
				files = append(files, f)
			}
		}
	}
	return append(files, m.Companions...)
}

// cacheKey names everything that facts depend on but for the content of files.
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

// remembered is what a memo says, nil when a file has changed since.
func remembered(data []byte, of []*dump.File) *measurement {
	var known memo
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

// reading notes, before a file is read, that facts come from it. What is remembered of the module depends on every file noted.
func (out *measuring) reading(f *dump.File) {
	at := slices.Index(out.files, f)
	if out.files == nil || slices.ContainsFunc(out.reads, func(r readFile) bool { return r.At == at }) {
		return
	}
	sum, err := f.Sum()
	if err != nil {
		at = -1 // never to be remembered
	}
	out.reads = append(out.reads, readFile{at, sum})
}

// memo is what is to be remembered of a module, nil when it could not be read whole or changed while it was read.
func (out *measuring) memo() []byte {
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
	known := memo{Reads: out.reads, Facts: out.measurement}
	data, err := files.Pack(known)
	if err != nil {
		return nil
	}
	return data
}
