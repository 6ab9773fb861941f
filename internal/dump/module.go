package dump

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/phrase"
)

// Module is one compiled HLO module with all its files.
type Module struct {
	ID         string  // "module_0010.jit_train_step": unique in the dump
	Number     int     // 10; -1 where the file names hold none
	Name       string  // "jit_train_step": from the module's header where it was read, else from the file name
	Process    string  // the process that wrote it: a directory, host and pid, or a time stamp; "" when there is only one
	Stages     []Stage // in the order of compilation
	Companions []*File

	Dir     string // its directory, below the dump
	Digits  string // the number as the file names spell it
	Stamp   string // the time stamp in its file names
	Spelled string // the name as the file names spell it
}

// StageKind is the point of the compilation at which a module was dumped.
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
	Kind  StageKind
	Tag   string  // the prefix of after_optimizations: "cpu", "sm_9.0a_gpu", "gfx942_gpu", or ""
	Pass  Pass    // of StagePass
	Label string  // the stage as the file name spells it: "sm_9.0a_gpu_after_optimizations"
	Files []*File // one of each format, in the order of stageKinds
}

// stageKinds are the formats of a stage's files, those that say most first.
var stageKinds = []Kind{KindHLOText, KindHLOProto, KindRiegeli, KindDot, KindHTML, KindURL}

// File returns the stage's file of a format, or of the first of several formats; nil if there is none.
func (s *Stage) File(formats ...Kind) *File { return firstOf(s.Files, formats...) }

// firstOf returns the first file of a kind, or of the first of several kinds; nil if there is none.
func firstOf(files []*File, kinds ...Kind) *File {
	for _, kind := range kinds {
		if at := slices.IndexFunc(files, func(f *File) bool { return f.Kind == kind }); at >= 0 {
			return files[at]
		}
	}
	return nil
}

// Pass is the position of a pass dump in the compilation.
type Pass struct {
	Number   int    `json:"number"`           // running number in the module
	Pipeline string `json:"pipeline"`         // "simplification"
	After    string `json:"after,omitempty"`  // the pass that just ran: "algsimp"; "pipeline-start" for none
	Before   string `json:"before,omitempty"` // the pass that runs next; "" when the file was written while After ran
}

// HLO returns the stage's module file: the text, else the proto, else nil (only drawings were dumped).
func (s *Stage) HLO() *File { return s.File(KindHLOText, KindHLOProto) }

// Optimized returns the most optimized HLO of the module, nil if only the unoptimized HLO was dumped. A back end that dumps no final
// module may dump passes: then it is the output of the last pass; see Reached.
func (m *Module) Optimized() *Stage {
	return cmp.Or(m.Stage(StageAfter), m.Stage(StageGiven), m.Stage(StagePass))
}

// Reached returns the position of the Optimized module among the passes, such as "after pass fusion"; "" for the final module.
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

// Unoptimized returns the module as the framework passed it to XLA, nil if it was not dumped.
func (m *Module) Unoptimized() *Stage { return m.Stage(StageBefore) }

// Stage returns the module's last stage of a kind, nil if it was not dumped.
func (m *Module) Stage(kind StageKind) *Stage {
	for i := len(m.Stages) - 1; i >= 0; i-- {
		if m.Stages[i].Kind == kind {
			return &m.Stages[i]
		}
	}
	return nil
}

// Companion returns the module's first companion of a kind, nil if there is none.
func (m *Module) Companion(kind Kind) *File { return firstOf(m.Companions, kind) }

// CompanionsOf returns the module's companions of a kind.
func (m *Module) CompanionsOf(kind Kind) []*File {
	return phrase.Filter(m.Companions, func(f *File) bool { return f.Kind == kind })
}

// newModule returns a module without files, named as its file names spell it.
func newModule(dir string, n fileName, spelled string) *Module {
	number, err := strconv.Atoi(n.number)
	if err != nil {
		number = -1
	}
	return &Module{Number: number, Name: cutChangelist(spelled), Dir: dir, Digits: n.number, Stamp: n.stamp, Spelled: spelled}
}

// take adds a file to the module.
func (m *Module) take(f *File, r role) {
	f.Kind = r.kind
	if r.stage == nil {
		m.Companions = append(m.Companions, f)
		return
	}
	s := m.labelled(r.stage.Label)
	if s == nil {
		m.Stages = append(m.Stages, *r.stage)
		s = &m.Stages[len(m.Stages)-1]
	}
	if !slices.Contains(stageKinds, r.kind) || s.File(r.kind) != nil { // a second form of the same file, compressed or drawn
		m.Companions = append(m.Companions, f)
		return
	}
	s.Files = append(s.Files, f)
	slices.SortFunc(s.Files, func(a, b *File) int {
		return slices.Index(stageKinds, a.Kind) - slices.Index(stageKinds, b.Kind)
	})
}

func (m *Module) labelled(label string) *Stage {
	if at := slices.IndexFunc(m.Stages, func(s Stage) bool { return s.Label == label }); at >= 0 {
		return &m.Stages[at]
	}
	return nil
}

// stageOrder ranks the stages in the order of compilation.
var stageOrder = map[StageKind]int{
	StageBefore: 0, StageAfterSPMD: 1, StageBeforeConfig: 2, StagePass: 3, StageOther: 4, StageGiven: 5,
	StageBeforeAssignment: 6, StageAfter: 7, StageAfterAssignment: 8, StageAfterCodegen: 9,
}

func (m *Module) sortStages() {
	slices.SortStableFunc(m.Stages, func(a, b Stage) int {
		return cmp.Or(cmp.Compare(stageOrder[a.Kind], stageOrder[b.Kind]), cmp.Compare(a.Pass.Number, b.Pass.Number), cmp.Compare(a.Label, b.Label))
	})
}

// Backend returns the module's backend: "cpu", "gpu", "tpu", or another that a tag names; "" if it is not known.
func (m *Module) Backend() string {
	for i := range m.Stages {
		if tag := m.Stages[i].Tag; tag != "" {
			if tag == "gpu" || strings.HasSuffix(tag, "_gpu") {
				return "gpu"
			}
			return tag
		}
	}
	for _, f := range m.Companions {
		for backend, kinds := range companionBackends {
			if slices.Contains(kinds, f.Kind) {
				return backend
			}
		}
	}
	switch {
	case m.Stage(StageBeforeAssignment) != nil, m.Stage(StageAfterCodegen) != nil, m.Spelled != cutChangelist(m.Spelled):
		return "tpu"
	}
	for i := range m.Stages {
		if m.Stages[i].Pass.Pipeline == "IPU" {
			return "ipu"
		}
	}
	return ""
}

// companionBackends holds the kinds of files that only one backend writes.
var companionBackends = map[string][]Kind{
	"cpu": {KindObject},
	"gpu": {KindTargetConfig, KindAutotuneResults, KindThunks, KindThunksAfterPasses, KindThunkMetadata, KindThunkSchedule, KindPTX, KindDeviceObject},
	"tpu": {KindTPU, KindTPU.asProto(), KindFlagFile},
}

// nameProcesses sets the process of every module if several processes wrote to the dump.
func nameProcesses(modules []*Module) {
	processes := map[string]bool{}
	for _, m := range modules {
		m.Process = processOf(m)
		processes[m.Process] = true
	}
	if len(processes) == 1 {
		for _, m := range modules {
			m.Process = ""
		}
	}
	// A repeated number begins a new run of those that wrote into one directory with time stamps.
	stamped := phrase.Filter(modules, func(m *Module) bool { return m.Stamp != "" })
	for _, ms := range phrase.Group(stamped, func(m *Module) string { return m.Dir }) {
		slices.SortFunc(ms, func(a, b *Module) int { return cmp.Compare(a.Stamp, b.Stamp) })
		runs := splitRuns(ms)
		for _, run := range runs {
			for _, m := range run {
				if len(runs) > 1 {
					m.Process = strings.TrimPrefix(m.Process+"/"+run[0].Stamp, "/")
				}
			}
		}
	}
}

// processOf returns the directory that a process wrote to. With a flag XLA writes each module to <module>/<host>_<pid>: then the process is the last of them.
func processOf(m *Module) string {
	parent := path.Dir(m.Dir)
	if m.Dir != "." && parent != "." && path.Base(parent) == sanitize(m.Name) {
		return path.Join(path.Dir(parent), path.Base(m.Dir))
	}
	if m.Dir == "." {
		return ""
	}
	return m.Dir
}

// splitRuns splits modules, ordered by time stamp, before each repeated number.
func splitRuns(modules []*Module) (runs [][]*Module) {
	start, seen := 0, map[int]bool{}
	for i, m := range modules {
		if seen[m.Number] {
			runs = append(runs, modules[start:i])
			start, seen = i, map[int]bool{}
		}
		seen[m.Number] = true
	}
	return append(runs, modules[start:])
}

// nameModules gives every module a unique ID.
func nameModules(modules []*Module) {
	count := map[string]int{}
	for _, m := range modules {
		m.ID = strings.TrimSuffix("module_"+m.Digits+"."+m.Name, ".")
		count[m.ID]++
	}
	taken := map[string]int{}
	for _, m := range modules {
		if count[m.ID] > 1 {
			m.ID = strings.TrimPrefix(m.Process+"/"+m.ID, "/")
		}
		id := m.ID
		if taken[id]++; taken[id] > 1 {
			m.ID += "'"
		}
		if taken[id] > 2 {
			m.ID += strconv.Itoa(taken[id])
		}
	}
}

// mergeClones joins a module that was dumped only before its optimization with a clone of a higher number that was dumped only
// after it: a compiler that rewrites the whole module first (64-bit types on a TPU) compiles a copy. The modules are in order of their numbers.
func mergeClones(modules []*Module) []*Module {
	type program struct{ name, process string }
	unfinished := map[program][]*Module{}
	return slices.DeleteFunc(modules, func(m *Module) bool {
		key := program{m.Name, m.Process}
		given, final, open := m.Unoptimized() != nil, m.Stage(StageAfter) != nil, unfinished[key]
		switch {
		case given && !final:
			unfinished[key] = append(open, m)
		case final && !given && len(open) > 0 && open[0].Number < m.Number:
			first := open[0]
			unfinished[key] = open[1:]
			first.Stages = append(first.Stages, m.Stages...)
			first.Companions = append(first.Companions, m.Companions...)
			first.sortStages()
			return true
		}
		return false
	})
}

// setThrowawayApart moves the autotuner's candidates to Throwaway: they have only pass dumps. If no module is final, the back end dumps no final modules.
func (d *Dump) setThrowawayApart() {
	if !slices.ContainsFunc(d.Modules, func(m *Module) bool { return m.Stage(StageAfter) != nil }) {
		return
	}
	d.Modules = slices.DeleteFunc(d.Modules, func(m *Module) bool {
		whole := m.Stage(StageAfter) != nil || m.Unoptimized() != nil
		if !whole {
			d.Throwaway = append(d.Throwaway, m)
		}
		return !whole
	})
}
