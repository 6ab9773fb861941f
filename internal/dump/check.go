package dump

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/wire"
)

// The largest difference between the times of files of one run. Copies and downloads set new times, in any order, so only large differences mean something.
const (
	pairGap = 2 * time.Minute
	runGap  = 10 * time.Minute
)

const (
	fixDump   = "dump again with XLA_FLAGS=\"--xla_dump_to=DIR --xla_dump_hlo_as_text\", or let xlagate do it: xlagate capture --to DIR -- COMMAND"
	fixShared = "give every run and every process a directory of its own, and empty it before"
	fixCut    = "the run that wrote it was cut off or is still writing: dump again"
)

// check records what is missing or inconsistent as problems.
func (d *Dump) check(ctx context.Context) error {
	for _, m := range d.Modules {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		d.checkModule(m)
	}
	d.checkShared()
	d.checkOrder()
	d.checkSizes()
	d.checkWhole()
	if len(d.Modules) == 0 && len(d.Graphs) == 0 && len(d.Problems) == 0 {
		fix := fixDump
		if len(d.Other)+len(d.Unknown)+len(d.Logs) == 0 { // a run that failed before anything was compiled leaves an empty dump
			fix += "; if the run failed before anything was compiled, its log says where: xlagate check --log FILE"
		}
		d.problem(d.Path, d.whyNothing(), fix)
	}
	for i := range d.Problems {
		if p := &d.Problems[i]; p.module != nil {
			p.Module, p.Program, p.module = p.module.ID, ProgramName(p.module.Name), nil
		}
	}
	return nil
}

func (d *Dump) moduleProblem(m *Module, file *File, message, fix string) {
	d.Problems = append(d.Problems, Problem{File: file.Path, Message: wire.Printable(message), Fix: fix, module: m})
}

// damaged records a file that cannot be read; no reader tries it again.
func (d *Dump) damaged(m *Module, file *File, message string) {
	d.moduleProblem(m, file, message, fixCut)
	d.Problems[len(d.Problems)-1].Damaged = true
}

func (d *Dump) checkModule(m *Module) {
	before, after := m.Unoptimized(), m.Optimized()
	switch {
	case after == nil && d.Single: // a single file is not expected to be the final module
	case after == nil && before != nil && m.Digits == "":
		d.moduleProblem(m, before.anyFile(), "the module is not optimized: it has neither a schedule nor a fusion, so it does not say what the device runs",
			"store the optimized module beside it: stage=\"optimized_hlo\" of TensorFlow's compiler IR, or what JAX compiled rather than lowered")
	case after == nil && before != nil:
		d.moduleProblem(m, before.anyFile(), "the module was dumped before its optimization and never after it: "+d.whyUnfinished(),
			"fix the compilation (its error stands in the run's log), or leave the module out with programs.exclude")
	case after == nil:
		d.moduleProblem(m, m.Stages[0].anyFile(), "the final module was not dumped", fixDump)
	case after != nil && after.HLO() == nil:
		fix := "add --xla_dump_hlo_as_text or --xla_dump_hlo_as_proto to XLA_FLAGS and dump again"
		if after.Kind == StagePass && after.Pass.Pipeline == "" { // XLA before 2019 dumped it
			fix = "add --xla_dump_optimized_hlo_proto_to=DIR to XLA_FLAGS and dump again"
		}
		d.moduleProblem(m, after.anyFile(), after.whyUnread(), fix)
	}
	if oom := m.labelled(outOfMemory); oom != nil {
		d.moduleProblem(m, oom.anyFile(), "the compiler gave up: the program does not fit into the device's memory", "fix the compilation (its error stands in the run's log)")
	}
	if before == nil || after == nil || before.HLO() == nil || after.HLO() == nil {
		return
	}
	first, last := before.HLO(), after.HLO() // of one compilation
	b, okB, errB := headerName(first)
	a, okA, errA := headerName(last)
	if okA && okB && errA == nil && errB == nil && a != b {
		d.moduleProblem(m, last, fmt.Sprintf("the file holds the module %s, which before its optimization was %s: two runs or processes wrote to one directory", a, b),
			fixShared)
	}
	if first.ModTime.Sub(last.ModTime) > pairGap {
		d.moduleProblem(m, last, "the optimized module is older than the unoptimized one: a later compilation into the same directory failed or was refused", fixShared)
	}
}

// whyUnread says what cannot be read of a final module without text and proto.
func (s *Stage) whyUnread() string {
	const lost = "what it costs, how much memory it takes, which arguments it reuses, its types, layouts, collectives' sizes and constants"
	switch {
	case s.Kind == StagePass:
		return "of the module only passes were drawn (" + strings.Join(s.formats(), ", ") +
			"): xlagate inspect counts the fusions and kernels of the last one, but " + lost + " cannot be had from a drawing"
	case s.File(KindDot, KindHTML) != nil:
		return "the final module was only drawn (" + strings.Join(s.formats(), ", ") +
			"): xlagate inspect counts its fusions and kernels, but " + lost + " cannot be had from a drawing"
	case s.File(KindRiegeli) != nil:
		return "the final module was dumped as riegeli only, a container that xlagate does not read: nothing can be had from it"
	}
	return "of the final module there is only a link (url): the page that it names is not in the dump, and nothing can be had from it"
}

func (s *Stage) formats() []string {
	there := phrase.Filter([]Kind{KindDot, KindHTML, KindURL}, func(kind Kind) bool { return s.File(kind) != nil })
	return phrase.Map(there, func(kind Kind) string { return string(kind) })
}

func (s *Stage) anyFile() *File { return s.File(stageKinds...) }

// whyUnfinished guesses why a module was not dumped after its optimization.
func (d *Dump) whyUnfinished() string {
	files := slices.Clone(d.Other)
	for _, other := range d.Modules {
		files = append(files, other.Companions...)
	}
	for _, f := range files {
		if f.Kind != KindDebugOptions {
			continue
		}
		if head, err := f.head(1 << 16); err == nil && bytes.Contains(head, []byte("xla_dump_max_hlo_modules: ")) {
			return "--xla_dump_max_hlo_modules stopped the dump, or the compilation failed"
		}
	}
	return "the compilation failed, or the run was cut off"
}

// checkShared records modules of one directory that share a number. Compilers for several back ends in one process number their modules independently.
func (d *Dump) checkShared() {
	type place struct{ dir, digits, backend string }
	first := map[place]*Module{}
	told := map[string]bool{}
	for _, m := range d.Modules {
		if m.Digits == "" {
			continue
		}
		p := place{m.Dir, m.Digits, m.Backend()}
		switch other := first[p]; {
		case other == nil:
			first[p] = m
		case !told[m.Dir]:
			told[m.Dir] = true
			d.moduleProblem(m, m.Stages[0].anyFile(), fmt.Sprintf("the module shares its number with %s: several runs or processes wrote to one directory, and may have overwritten each other's files", other.ID), fixShared)
		}
	}
}

// checkOrder records modules that are much older than one with a lower number: an earlier run left them.
func (d *Dump) checkOrder() {
	numbered := phrase.Filter(d.Modules, func(m *Module) bool { return m.Digits != "" && m.Stages[0].Kind == StageBefore })
	for _, ms := range phrase.Group(numbered, func(m *Module) [2]string { return [2]string{m.Dir, m.Process} }) {
		slices.SortFunc(ms, func(a, b *Module) int { return cmp.Compare(a.Number, b.Number) })
		newest := ms[0]
		for _, m := range ms {
			f := m.Stages[0].anyFile()
			if newest.Stages[0].anyFile().ModTime.Sub(f.ModTime) > runGap {
				d.moduleProblem(m, f, fmt.Sprintf("the module is older than %s, which was compiled before it: an earlier run left it", newest.ID), fixShared)
				break
			}
			if f.ModTime.After(newest.Stages[0].anyFile().ModTime) {
				newest = m
			}
		}
	}
}

// checkSizes records files whose size differs from the one that the capture recorded.
func (d *Dump) checkSizes() {
	if d.Toolchain == nil {
		return
	}
	var record struct {
		Files map[string]int64 `json:"files"`
	}
	if err := d.Toolchain.Read(func(data []byte) error { return json.Unmarshal(data, &record) }); err != nil {
		return // reading the toolchain reports the error
	}
	for _, f := range d.all() {
		if want, recorded := record.Files[f.Rel]; recorded && want != f.Size {
			d.problem(f.Path, fmt.Sprintf("the file has %d bytes, and the capture left it with %d: it was cut off or changed", f.Size, want), fixCut)
		}
	}
}

// checkWhole records empty files and cut-off metrics. The last PTX of a module without constants, and the log of a program that prints nothing, may be empty.
func (d *Dump) checkWhole() {
	last := map[string]bool{} // the last PTX of each module, which holds the constants
	for _, m := range d.Modules {
		if ptx := m.CompanionsOf(KindPTX); len(ptx) > 0 {
			last[slices.MaxFunc(ptx, func(a, b *File) int {
				return cmp.Or(cmp.Compare(len(a.Rel), len(b.Rel)), cmp.Compare(a.Rel, b.Rel))
			}).Rel] = true
		}
	}
	told := map[string]bool{}
	for _, p := range d.Problems {
		told[p.File] = true
	}
	for _, f := range d.all() {
		if f.Kind == KindTorchMetrics && !f.endsWith("\n\n") {
			d.problem(f.Path, "the report of PyTorch/XLA's metrics does not end with an empty line: the file was cut off", fixCut)
			told[f.Path] = true
		}
		known := f.Kind != "" && (f.Kind != KindPTX || !last[f.Rel]) && f.Kind != KindLog && f.Kind != KindArchive
		if path.Base(f.Rel) == noModuleProfiled {
			continue
		}
		if f.Size == 0 && !told[f.Path] && (known || slices.Contains(dumpedFormats, path.Ext(f.Rel))) {
			d.problem(f.Path, "the file is empty", fixCut)
			d.Problems[len(d.Problems)-1].Damaged = true
		}
	}
}

// endsWith reports whether a file's content ends with a suffix. It is true for an unreadable file: reading it for its facts reports the error.
func (f *File) endsWith(end string) bool {
	ends := false
	err := f.Read(func(data []byte) error {
		ends = bytes.HasSuffix(data, []byte(end))
		return nil
	})
	return ends || err != nil
}

// dumpedFormats are the suffixes of files that are never empty in a complete dump.
var dumpedFormats = []string{".txt", ".pbtxt", ".textproto", ".pb", ".json", ".csv", ".debug_options"}

// Sizes returns the sizes of all files in bytes, by their paths below the dump.
func (d *Dump) Sizes() map[string]int64 {
	sizes := map[string]int64{}
	for _, f := range d.all() {
		sizes[f.Rel] = f.Size
	}
	return sizes
}

// all lists every file except the capture's record.
func (d *Dump) all() (files []*File) {
	for _, m := range slices.Concat(d.Modules, d.Throwaway) {
		files = append(files, m.Files()...)
	}
	return slices.Concat(files, d.Graphs, d.Logs, d.Traces, d.Other, d.Unknown)
}

// whyNothing says why a dump holds no module.
func (d *Dump) whyNothing() string {
	kinds := map[Kind]bool{}
	for _, f := range d.Other {
		kinds[f.Kind] = true
	}
	switch {
	case kinds[KindSnapshot]:
		return "the dump holds snapshots, but no module: --xla_dump_hlo_snapshots and --xla_dump_hlo_unoptimized_snapshots write nothing else"
	case kinds[KindCompileOptions], kinds[KindTPU], kinds[KindConfig], kinds[KindMLIR]:
		return "the dump holds what was handed to the compiler, but no module: --xla_dump_hlo_module_re matched none, only snapshots were asked for, or the compilation failed"
	case kinds[KindArchive] && d.Single:
		return "the file is called an archive, but is none that can be read: tar, zip, or tar compressed with gzip, xz or zstd"
	case kinds[KindArchive]:
		return "the dump holds archives, but no module: name the archive itself as the dump"
	case kinds[KindFusionHLO]:
		return "the dump holds computations out of a module, but no module"
	case len(d.Other)+len(d.Unknown)+len(d.Logs) == 0:
		return "the dump is empty"
	case d.Single && len(d.Unknown) == 1:
		return "the file is not part of a dump: it holds no HLO module, nor anything that XLA dumps beside one"
	}
	return "the dump holds no HLO module"
}

// readName reads the module's name from its files, and records module files without one or with another module's.
func (d *Dump) readName(m *Module) {
	for _, s := range []*Stage{m.Stage(StageAfter), m.Stage(StageGiven), m.Stage(StageBefore), m.Stage(StagePass)} {
		if s == nil || s.HLO() == nil {
			continue
		}
		if name, ok := d.nameIn(m, s.HLO()); ok && name != "" {
			m.Name = name
			return
		}
	}
}

func (d *Dump) nameIn(m *Module, f *File) (string, bool) {
	if f.Size == 0 {
		d.damaged(m, f, "the file is empty")
		return "", false
	}
	name, ok, err := headerName(f)
	switch {
	case err != nil:
		d.moduleProblem(m, f, "the file cannot be read: "+Reason(err), fixRead(err))
	case !ok && f.Kind == KindHLOText && d.Single: // it may begin with a computation or an instruction
	case !ok && f.Kind == KindHLOText:
		d.damaged(m, f, `the file is no HLO text: it does not begin with "HloModule"`)
	case !ok:
		d.damaged(m, f, "the file is no serialized HLO module")
	case m.Digits != "" && m.Spelled != "" && sanitize(name) != m.Name && name != "":
		d.moduleProblem(m, f, fmt.Sprintf("the file holds the module %s, not the one that it is called after: another run or process overwrote it",
			strings.TrimSpace(name)), fixShared)
	}
	return name, ok
}
