package facts

import (
	"cmp"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/tensorflow"
)

// frameworkFiles picks what the framework left in a dump: graphs with their stack traces, and what counts as a log.
func frameworkFiles(d *dump.Dump) (graphs, logs []*dump.File) {
	graphs, logs = slices.Clone(d.Graphs), slices.Clone(d.Logs)
	for _, f := range d.Other {
		switch f.Kind {
		case dump.KindOpStacks:
			graphs = append(graphs, f)
		case dump.KindMLIR:
			if _, ok := tensorflow.ParseName(f.Path); ok { // a graph in TensorFlow's own dialect, which is refused by name
				graphs = append(graphs, f)
			}
		case dump.KindTorchMetrics, dump.KindTensorsGraph, dump.KindTorchReasons:
			logs = append(logs, f)
		}
	}
	return graphs, logs
}

// outside makes logs outside the dump readable. A log inside the dump, or one that is named twice, is read once.
func outside(inside []*dump.File, paths []string, limit dump.Limit) []*dump.File {
	var seen []os.FileInfo
	for _, f := range inside {
		if info, err := os.Stat(f.Path); err == nil {
			seen = append(seen, info)
		}
	}
	var logs []*dump.File
	for _, path := range paths {
		info, err := os.Stat(path)
		if err == nil && slices.ContainsFunc(seen, func(other os.FileInfo) bool { return os.SameFile(info, other) }) {
			continue
		}
		if err == nil {
			seen = append(seen, info)
		}
		logs = append(logs, dump.FileAt(path, limit)) // what cannot be found is told when it is read
	}
	return logs
}

// readBeside reads what belongs to no single module: TensorFlow's graphs, and logs.
func (r *measurer) readBeside() *tensorflow.Framework {
	graphs, logs := frameworkFiles(r.dump)
	logs = append(logs, outside(logs, r.Logs, dump.Limit(r.MaxMemory))...)
	return tensorflow.Read(graphs, logs, phrase.Map(r.dump.Modules, func(m *dump.Module) string { return m.ID }))
}

// nameArguments calls the arguments of TensorFlow's functions what the model calls them.
func nameArguments(done []*measuring, names tensorflow.Arguments) {
	for _, m := range done {
		v := m.Variant
		if v == nil {
			continue
		}
		for i, a := range names.Of(v.Compiles[0].Module, len(v.Params)) {
			v.Params[i].Name, v.Params[i].Captured = cmp.Or(a.Name, v.Params[i].Name), a.Captured
			v.Signature = signature(v.Params)
		}
	}
}

// assignGraphBreaks gives each graph of PyTorch/XLA the cut that ended it. The log does not name modules, but the graphs of a process are compiled and dumped
// one after the other, so the order tells. It assigns nothing unless a process has as many graphs as cuts, and each graph takes as many arguments as its cut
// says.
func assignGraphBreaks(done []*measuring, logs *tensorflow.Logs) {
	if logs == nil || len(logs.GraphBreaks) == 0 {
		return
	}
	cuts, runs := logs.GraphBreaks, map[string][]*measuring{}
	for _, m := range done {
		if m.Listed || m.Toolchain.Framework != TorchFramework {
			continue
		}
		if m.Variant == nil {
			return
		}
		run := m.Variant.Compiles[0].Run
		runs[run] = append(runs[run], m)
	}
	for _, graphs := range runs {
		if inStep(graphs, cuts) {
			whole := map[string]bool{}
			for i, m := range graphs {
				whole[m.Program] = whole[m.Program] || cuts[i].EndsFunction()
			}
			for i, m := range graphs {
				c := cuts[i]
				if c.Reason == "" {
					continue
				}
				if whole[m.Program] && !c.EndsFunction() {
					m.Cut = fmt.Sprintf("%s:%d", c.Where.File, c.Where.Line)
				}
				c.Where.File = strings.TrimPrefix(c.Where.File, m.Root)
				m.Variant.GraphBreak = &c
				if c.ReadsValue() {
					m.Variant.Reader = c.Where.FunctionInFile()
				}
				if c.Where.File != "" {
					m.Variant.CallSite = c.Where
				}
			}
		}
	}
}

// inStep reports whether graphs and cuts agree one by one. Many arguments are passed as one tuple.
func inStep(graphs []*measuring, cuts []tensorflow.GraphBreak) bool {
	if len(graphs) != len(cuts) {
		return false
	}
	for i, m := range graphs {
		if n := len(m.Variant.Params); cuts[i].Inputs != n && cuts[i].Inputs != 0 && n != 1 {
			return false
		}
	}
	return true
}

// tracedFile holds the Python stacks of a function that TensorFlow traced. TensorFlow hands XLA no line of the model, but may dump them beside its graphs.
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
		t := &tracedFile{file: f, name: tensorflow.ModuleName(name.Function), body: !tensorflow.IsFunctionName(name.Function)}
		t.read = sync.OnceValues(func() (s *tensorflow.Stacks, err error) {
			err = f.Read(func(data []byte) error {
				s, err = tensorflow.ParseStacks(data)
				return err
			})
			return s, err
		})
		out = append(out, t)
	}
	slices.SortFunc(out, func(a, b *tracedFile) int { return cmp.Compare(a.file.Path, b.file.Path) })
	return slices.CompactFunc(out, func(a, b *tracedFile) bool {
		return a.name == b.name && path.Dir(a.file.Path) == path.Dir(b.file.Path)
	})
}

// tracedFor picks the stacks that may tell of a module: those of the function that it was compiled from, first, and of the bodies in it.
// Which function a cluster was taken from is not in its name: it may be any.
func (r *measurer) tracedFor(m *dump.Module) []*tracedFile {
	if _, cluster := tensorflow.ClusterOf(m.Name); cluster {
		return r.traced
	}
	name, _, _ := strings.Cut(m.Name, "__XlaMustCompile_")
	name, _, _ = strings.Cut(name, "__.")
	at := slices.IndexFunc(r.traced, func(t *tracedFile) bool { return t.name == strings.TrimSuffix(name, "__") })
	if at < 0 {
		return nil
	}
	return append([]*tracedFile{r.traced[at]}, phrase.Filter(r.traced, func(t *tracedFile) bool { return t.body })...)
}

// trace sets the places of the module's operations from the lines that TensorFlow dumped.
func (out *measuring) trace(r *reader) {
	var read []*tensorflow.Stacks
	for _, t := range out.traced {
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

// closest returns the stacks that know most of a module's operations; nil if several know as many.
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

// trace gives metadata without a line of the model the frames that TensorFlow dumped: one more entry of the module's table of frames, by a negative number.
func (s *sources) trace(md *hlo.Metadata) {
	if s.traced == nil || md.Frame != 0 || md.OpName == "" || s.origin(md.Source.File) >= originPackage {
		return
	}
	frames := s.traced.Behind(md.OpName)
	if len(frames) == 0 {
		return
	}
	md.Frame = int32(-1 - len(s.stacks))
	s.stacks[md.Frame] = frames
}
