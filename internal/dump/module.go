package dump

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Module is one compiled HLO module with all its files.
type Module struct {
	ID         string  // "module_0010.jit_train_step": unique in the dump
	Number     int     // 10; -1 where the file names hold none
	Name       string  // "jit_train_step": from the module's header where it was read, else from the file name
	Process    string  // which of several processes wrote it: a directory, host and pid, or a time stamp; "" when there is one
	Stages     []Stage // in the order of compilation
	Companions []*File

	dir     string // the directory it lies in, below the dump
	digits  string // the number as the file names spell it
	stamp   string // the time stamp in its file names
	spelled string // the name as the file names spell it
}

// StageKind says at which point of the compilation a module was dumped.
type StageKind string

// The stages, in the order of compilation.
const (
	StageBefore           StageKind = "before-optimizations"
	StageAfterSPMD        StageKind = "after-spmd-partitioner"
	StageBeforeConfig     StageKind = "before-config-assignment"
	StagePass             StageKind = "pass"
	StageBeforeAssignment StageKind = "before-buffer-assignment"
	StageAfter            StageKind = "after-optimizations" // the final HLO
	StageAfterAssignment  StageKind = "after-buffer-assignment"
	StageAfterCodegen     StageKind = "after-codegen"
	StageGiven            StageKind = "given" // a drawing whose name does not say
	StageOther            StageKind = "other" // a stage that this version does not know
)

// Stage is a module at one point of its compilation, in every format that was dumped.
type Stage struct {
	Kind    StageKind
	Tag     string // what stands before after_optimizations: "cpu", "sm_9.0a_gpu", "gfx942_gpu", or ""
	Pass    Pass   // of StagePass
	Label   string // the stage as the file name spells it: "sm_9.0a_gpu_after_optimizations"
	Text    *File
	Proto   *File
	Dot     *File
	HTML    *File
	URL     *File
	Riegeli *File
}

// Pass names the place of a pass dump.
type Pass struct {
	Number   int    // running number in the module
	Pipeline string // "simplification"
	After    string // the pass that just ran: "algsimp"; "pipeline-start" for none
	Before   string // the pass that runs next; "" when the file was written while After ran
}

// HLO is the stage's module file: the text, else the proto, else nil (only drawings were dumped).
func (s *Stage) HLO() *File {
	if s.Text != nil {
		return s.Text
	}
	return s.Proto
}

// Optimized is the most optimized HLO of the module that there is, nil when it was only dumped before. A back end that dumps no final
// module leaves passes: then it is what the last of them left; see Reached.
func (m *Module) Optimized() *Stage {
	if s := m.Stage(StageAfter); s != nil {
		return s
	}
	if s := m.Stage(StageGiven); s != nil {
		return s
	}
	return m.Stage(StagePass)
}

// Reached says where among the passes the module is that Optimized gives: "after pass fusion"; "" where it is the final one.
func (m *Module) Reached() string {
	s := m.Optimized()
	if s == nil || s.Kind != StagePass {
		return ""
	}
	if s.Pass.After == "pipeline-start" {
		return "before pass " + cmp.Or(s.Pass.Before, s.Pass.Pipeline)
	}
	return "after pass " + cmp.Or(s.Pass.After, s.Pass.Pipeline)
}

// Unoptimized is the module as the framework handed it over, nil when it was not dumped.
func (m *Module) Unoptimized() *Stage { return m.Stage(StageBefore) }

// Stage is the module's last stage of a kind, nil when it was not dumped.
func (m *Module) Stage(kind StageKind) *Stage {
	for i := len(m.Stages) - 1; i >= 0; i-- {
		if m.Stages[i].Kind == kind {
			return &m.Stages[i]
		}
	}
	return nil
}

// Companion is the module's first companion of a kind, nil when there is none.
func (m *Module) Companion(kind Kind) *File {
	for _, f := range m.Companions {
		if f.Kind == kind {
			return f
		}
	}
	return nil
}

// CompanionsOf lists the module's companions of a kind.
func (m *Module) CompanionsOf(kind Kind) []*File {
	var files []*File
	for _, f := range m.Companions {
		if f.Kind == kind {
			files = append(files, f)
		}
	}
	return files
}

// newModule is an empty module with what the names of its files tell.
func newModule(dir string, n fileName, spelled string) *Module {
	number, err := strconv.Atoi(n.number)
	if err != nil {
		number = -1
	}
	return &Module{Number: number, Name: cutChangelist(spelled), dir: dir, digits: n.number, stamp: n.stamp, spelled: spelled}
}

// take gives a file to the module.
func (m *Module) take(f *File, r role) {
	f.Kind = r.kind
	if r.stage == nil {
		m.Companions = append(m.Companions, f)
		return
	}
	slot := m.stageFor(r.stage).slot(r.kind)
	if slot == nil || *slot != nil { // the same once more, compressed or drawn in another way
		m.Companions = append(m.Companions, f)
		return
	}
	*slot = f
}

// stageFor is the module's stage of the same label, added when it is new.
func (m *Module) stageFor(s *Stage) *Stage {
	if old := m.labelled(s.Label); old != nil {
		return old
	}
	m.Stages = append(m.Stages, *s)
	return &m.Stages[len(m.Stages)-1]
}

func (m *Module) labelled(label string) *Stage {
	for i := range m.Stages {
		if m.Stages[i].Label == label {
			return &m.Stages[i]
		}
	}
	return nil
}

// slot is where the stage keeps its file of a format.
func (s *Stage) slot(format Kind) **File {
	switch format {
	case KindHLOText:
		return &s.Text
	case KindHLOProto:
		return &s.Proto
	case KindDot:
		return &s.Dot
	case KindHTML:
		return &s.HTML
	case KindURL:
		return &s.URL
	case KindRiegeli:
		return &s.Riegeli
	}
	return nil
}

// stageOrder ranks the stages by when they are written.
var stageOrder = map[StageKind]int{
	StageBefore: 0, StageAfterSPMD: 1, StageBeforeConfig: 2, StagePass: 3, StageOther: 4, StageGiven: 5,
	StageBeforeAssignment: 6, StageAfter: 7, StageAfterAssignment: 8, StageAfterCodegen: 9,
}

func (m *Module) sortStages() {
	slices.SortStableFunc(m.Stages, func(a, b Stage) int {
		return cmp.Or(cmp.Compare(stageOrder[a.Kind], stageOrder[b.Kind]), cmp.Compare(a.Pass.Number, b.Pass.Number), cmp.Compare(a.Label, b.Label))
	})
}

// Backend is the module's backend: "cpu", "gpu", "tpu", or another that a tag names; "" when nothing says so.
func (m *Module) Backend() string {
	for i := range m.Stages {
		if tag := m.Stages[i].Tag; tag != "" {
			return backendOfTag(tag)
		}
	}
	for _, f := range m.Companions {
		if backend, ok := companionBackends[f.Kind]; ok {
			return backend
		}
	}
	switch {
	case m.Stage(StageBeforeAssignment) != nil, m.Stage(StageAfterCodegen) != nil, m.spelled != cutChangelist(m.spelled):
		return "tpu"
	}
	for i := range m.Stages {
		if m.Stages[i].Pass.Pipeline == "IPU" {
			return "ipu"
		}
	}
	return ""
}

// Build is the compiler's own version where the file names hold it: "cl/1003875606" of libtpu; "" elsewhere.
func (m *Module) Build() string {
	if n, ok := strings.CutPrefix(m.spelled[len(cutChangelist(m.spelled)):], ".cl_"); ok {
		return "cl/" + n
	}
	return ""
}

// companionBackends are the files that only one backend writes.
var companionBackends = map[Kind]string{
	KindTPU:               "tpu",
	KindFlagFile:          "tpu",
	KindTPU.asProto():     "tpu",
	KindTargetConfig:      "gpu",
	KindAutotuneResults:   "gpu",
	KindThunks:            "gpu",
	KindThunksAfterPasses: "gpu",
	KindThunkMetadata:     "gpu",
	KindThunkSchedule:     "gpu",
	KindPTX:               "gpu",
	KindDeviceObject:      "gpu",
	KindObject:            "cpu",
}

// backendOfTag reads "cpu", "gpu", "sm_9.0a_gpu" and "gfx942_gpu".
func backendOfTag(tag string) string {
	if tag == "gpu" || strings.HasSuffix(tag, "_gpu") {
		return "gpu"
	}
	return tag
}
