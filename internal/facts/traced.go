package facts

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/tensorflow"
)

// tracedFile holds the Python stacks of a function that TensorFlow traced. TensorFlow hands XLA no line of the model, but may dump them
// beside its graphs.
type tracedFile struct {
	file *dump.File
	name string // of the function, as XLA spells it in a module's name
	body bool   // of a loop or a branch
	read func() (*tensorflow.Stacks, error)
}

// tracedFiles lists the stacks of a dump, of each function those that were dumped first.
func tracedFiles(d *dump.Dump) []*tracedFile {
	var out []*tracedFile
	for _, f := range d.Other {
		name, ok := tensorflow.ParseName(f.Path)
		if f.Kind != dump.KindOpStacks || !ok {
			continue
		}
		out = append(out, &tracedFile{f, tensorflow.ModuleName(name.Function), !tensorflow.IsFunctionName(name.Function), sync.OnceValues(func() (*tensorflow.Stacks, error) { return readStacks(f) })})
	}
	slices.SortFunc(out, func(a, b *tracedFile) int { return cmp.Compare(a.file.Path, b.file.Path) })
	return slices.CompactFunc(out, func(a, b *tracedFile) bool {
		return a.name == b.name && path.Dir(a.file.Path) == path.Dir(b.file.Path)
	})
}

func readStacks(f *dump.File) (s *tensorflow.Stacks, err error) {
	err = f.Read(func(data []byte) error {
		s, err = tensorflow.ParseStacks(data)
		return err
	})
	return s, err
}

// tracedFor picks the stacks that may tell of a module: those of the function that it was compiled from, first, and of the bodies in it.
// Which function a cluster was taken from is not in its name: it may be any.
func (r *run) tracedFor(m *dump.Module) []*tracedFile {
	if _, cluster := tensorflow.ClusterOf(m.Name); cluster {
		return r.traced
	}
	name, _, _ := strings.Cut(m.Name, "__XlaMustCompile_")
	name, _, _ = strings.Cut(name, "__.")
	at := slices.IndexFunc(r.traced, func(t *tracedFile) bool { return t.name == strings.TrimSuffix(name, "__") })
	if at < 0 {
		return nil
	}
	found := []*tracedFile{r.traced[at]}
	for _, t := range r.traced {
		if t.body {
			found = append(found, t)
		}
	}
	return found
}

// trace has the module's operations told by the lines that TensorFlow dumped.
func (out *measuring) trace(r *reader) {
	var read []*tensorflow.Stacks
	for _, t := range out.traced {
		out.reading(t.file)
		stacks, err := t.read()
		if err != nil {
			return // it is told where what belongs to no module is read
		}
		read = append(read, stacks)
	}
	if len(read) == 0 {
		return
	}
	trace := &tensorflow.Trace{Function: read[0], Within: read[1:]}
	if _, cluster := tensorflow.ClusterOf(out.module.Name); cluster {
		trace = &tensorflow.Trace{Function: r.closest(read), Within: read}
	}
	r.sources.traced = trace
}

// closest is the one of several functions' stacks that knows most of a module's operations; nil where that is not one alone.
func (r *reader) closest(stacks []*tensorflow.Stacks) *tensorflow.Stacks {
	var best *tensorflow.Stacks
	most := 0
	for _, s := range stacks {
		known := 0
		for id := range r.m.MetadataIDs() {
			if _, ok := s.Of(r.m.MetadataByID(hlo.MetadataID(id)).OpName); ok {
				known++
			}
		}
		switch {
		case known > most:
			best, most = s, known
		case known == most:
			best = nil
		}
	}
	return best
}

// trace gives metadata without a line of the model the frames that TensorFlow dumped for the operation. They count as one more entry of
// the module's table of frames, by a negative number.
func (s *sources) trace(md *hlo.Metadata) {
	if s.traced == nil || md.Frame != 0 || md.OpName == "" || originOf(md.Source.File) >= originPackage {
		return
	}
	frames := s.traced.Behind(md.OpName)
	if len(frames) == 0 {
		return
	}
	md.Frame = int32(-1 - len(s.stacks))
	s.stacks[md.Frame] = frames
}

// called is the line that called the function which TensorFlow traced.
func (s *sources) called() hlo.Location {
	if s.traced == nil || s.traced.Function == nil {
		return hlo.Location{}
	}
	return s.relative(s.traced.Function.Called)
}
