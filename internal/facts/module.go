package facts

import (
	"errors"
	"slices"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/price"
)

// measured is what one compiled module gave: the unit of work.
type measured struct {
	at        int          // the module's place among those that are wanted
	module    *dump.Module // nil once everything was read
	program   string
	variant   *Variant // nil when the module could not be measured
	family    string   // the operations in it, see graphNames
	helper    bool     // one of the framework's own one-operation programs
	toolchain Toolchain
	infos     []listed
	drawings  []Drawing
	problems  []Problem
	releases  []func() error // of modules that are kept open
	reads     []readFile     // every file that was read, when that is to be remembered
	files     []*dump.File   // of the module, nil when nothing is to be remembered
	root      string         // see sources
	traced    []*tracedFile  // see tracedFor; nil once everything was read
	listing   bool           // whether infos are wanted
	passing   bool           // whether they say what each pass left
	listed    bool           // one further stage of a module that is measured elsewhere
	hands     *hands         // that read it; nil once everything was read
	stock     *stock         // what it has in common with others; nil once everything was read
	pieces    []hlo.Shape    // what one device returns
	groups    map[int][]int  // see firstGroups
}

// listed is a module file with its place among the module's stages.
type listed struct {
	stage int
	info  ModuleInfo
	pass  *PassStage // nil unless asked for
}

func stageIndex(m *dump.Module, s *dump.Stage) int {
	for i := range m.Stages {
		if &m.Stages[i] == s {
			return i
		}
	}
	return len(m.Stages)
}

// measureModule reads the stages of one module that facts come from, one after the other, so that only one is in memory. With its
// files it notes which of them it read.
func measureModule(m *dump.Module, files []*dump.File, single bool, opts Options) *measured {
	out := &measured{
		module: m, files: files, program: dump.ProgramName(m.Name), listing: opts.AllStages, passing: opts.Passes,
		root: slashed(opts.Root), traced: opts.tracedFor(m), hands: opts.hands, stock: opts.stock,
	}
	out.readToolchain()
	out.setFramework(opts)
	if opts.AllStages {
		out.drawn()
	}
	optimized := m.Optimized()
	switch {
	case optimized != nil:
		out.stage(optimized, opts.KeepModules, out.measure)
	case opts.AnyStage:
		out.stage(&m.Stages[len(m.Stages)-1], opts.KeepModules, out.measure)
		if out.variant != nil {
			out.variant.Missing = slices.Insert(out.variant.Missing, 0, string(dump.StageAfter))
		}
	case single && len(m.Stages) > 0:
		out.notFinal(&m.Stages[len(m.Stages)-1])
	}
	if opts.AnyStage {
		return out
	}
	if out.variant != nil {
		out.variant.Reached = m.Reached()
	}
	if given := m.Unoptimized(); given != nil {
		out.stage(given, false, out.measureGiven)
	} else if out.variant != nil {
		out.variant.optimizedModel()
		out.variant.Missing = append(out.variant.Missing, string(dump.StageBefore))
	}
	if codegen := m.Stage(dump.StageAfterCodegen); codegen != nil {
		out.stage(codegen, false, out.measureCodegen)
	}
	return out
}

// otherStages are the stages that no fact needs.
func otherStages(m *dump.Module) []*dump.Stage {
	var others []*dump.Stage
	optimized := m.Optimized()
	for i := range m.Stages {
		s := &m.Stages[i]
		if s != optimized && s != m.Unoptimized() && s != m.Stage(dump.StageAfterCodegen) {
			others = append(others, s)
		}
	}
	return others
}

// listStage reads one stage only to list it.
func listStage(m *dump.Module, s *dump.Stage, opts Options) *measured {
	out := &measured{
		module: m, program: dump.ProgramName(m.Name), listing: true, listed: true, passing: opts.Passes, hands: opts.hands, stock: opts.stock,
	}
	out.setFramework(opts)
	out.stage(s, false, func(r *reader, s *dump.Stage) error {
		out.list(r, s)
		return nil
	})
	return out
}

// stage opens one stage's file and hands the module to read.
func (out *measured) stage(s *dump.Stage, keep bool, read func(*reader, *dump.Stage) error) {
	file := out.best(s)
	if file == nil {
		return // only drawn
	}
	out.reading(file)
	m, release, err := openModule(file)
	if err != nil {
		out.unreadable(file, err)
		return
	}
	r := readerOf(m, out.stock)
	r.sources.root = out.root
	out.trace(r)
	if err := dump.Guard(func() error { return read(r, s) }); isUnreadable(err) {
		out.unreadable(file, err)
	} else if err != nil {
		out.problem(file.Path, err.Error(), "")
	}
	if keep && out.variant != nil {
		out.variant.Module = m
		out.releases = append(out.releases, release)
		return
	}
	if err := release(); err != nil {
		out.problem(file.Path, err.Error(), "")
	}
}

// best is the file that the stage is read from: the text, but for PyTorch/XLA, which writes its stack frames to the proto only.
func (out *measured) best(s *dump.Stage) *dump.File {
	if s.Proto != nil && out.toolchain.Framework == TorchFramework {
		return s.Proto
	}
	return s.HLO()
}

func isUnreadable(err error) bool {
	broke := (*dump.Defect)(nil)
	return errors.Is(err, dump.ErrShrunk) || errors.As(err, &broke)
}

// openModule reads one module file. The module refers to the content until release is called.
func openModule(file *dump.File) (*hlo.Module, func() error, error) {
	data, release, err := file.Bytes()
	if err != nil {
		return nil, nil, err
	}
	parse := hlo.ParseText
	if file.Kind == dump.KindHLOProto {
		parse = hlo.ParseProto
	}
	var m *hlo.Module
	err = dump.Guard(func() error {
		m, err = parse(data, file.Path)
		return err
	})
	if err == nil && m.Entry == hlo.NoComp {
		err = errors.New("holds no computation")
	}
	if err != nil {
		return nil, nil, errors.Join(err, release())
	}
	return m, release, nil
}

// measure takes the facts of the optimized module.
func (out *measured) measure(r *reader, s *dump.Stage) error {
	if err := r.prepare(out.hands); err != nil {
		return err
	}
	w, err := r.walk()
	if err != nil {
		return err
	}
	v := &Variant{
		File: out.best(s).Path, Backend: out.toolchain.Backend, WorkVersion: price.Version, Params: r.parameters(), Result: r.entryResult(), Facts: Values{},
		Fingerprint: r.prints().Fingerprint(), Kernels: make([]Kernel, len(w.launches)),
	}
	v.Signature, v.CallSite = signature(v.Params), r.callSite(out.program)
	if out.module.Unoptimized() == nil {
		v.Constants = r.constants()
	} else {
		out.pieces = r.piecesOf()
	}
	v.compiles = []compile{{run: out.module.Process, module: out.module.ID, name: r.m.Name, facts: v.Facts}}
	for i, l := range w.launches {
		v.Kernels[i] = r.kernel(l)
	}
	r.lengths(w, v.Kernels)
	r.instructionNames(w.launches, v.Kernels)
	r.connect(w.launches, v)
	out.groups = r.firstGroups(w.launches)
	r.nameAxes(v, out.groups)
	out.family = out.familyOf(r)
	v.Facts.launches(r, w.launches, v.Kernels)
	v.Facts.loops(w.loops)
	v.Facts.module(r)
	r.products(v)
	r.overlap(w, v)
	v.Facts.costs(r, w.loops)
	out.variant = v
	out.helper = out.isHelper(r)
	out.memory(r, s)
	out.peak()
	out.handed()
	out.code()
	out.plan()
	out.list(r, s)
	return nil
}

// measureGiven takes from the unoptimized module what the optimizer loses: the arguments as the model wrote them, and the
// constants.
func (out *measured) measureGiven(r *reader, s *dump.Stage) error {
	out.list(r, s)
	out.helper = out.isHelper(r)
	if out.variant == nil {
		return nil
	}
	v := out.variant
	v.Params = join(r.parameters(), v.Params)
	v.Signature = signature(v.Params)
	v.Result = r.entryResult()
	v.Outputs, out.pieces = r.outputs(out.pieces, v.Params), nil
	v.InputPrint = r.prints().Fingerprint()
	out.family = out.familyOf(r)
	v.Constants = r.constants()
	r.locateByName(v.Kernels)
	r.nameAxes(v, out.groups)
	r.model(v)
	out.emulated()
	out.asked(r)
	out.scaled(r)
	v.Facts[InstructionsBefore] = float64(len(r.m.Instrs))
	return nil
}

// measureCodegen adds up the cycles that the compiler for TPU expects.
func (out *measured) measureCodegen(r *reader, s *dump.Stage) error {
	out.list(r, s)
	if _, err := r.walk(); err != nil || out.variant == nil {
		return err
	}
	e := expectation{m: r.m, known: map[hlo.CompID]expected{}}
	if all := e.of(r.m.Entry); all.said {
		out.variant.Facts[CostCycles] += all.cycles
		out.variant.expect(r)
	}
	return nil
}

// list adds what inspect says of a module file. The numbers that are XLA's own take a pass each: check does without them.
func (out *measured) list(r *reader, s *dump.Stage) {
	if !out.listing {
		return
	}
	file := out.best(s).Path
	l := listed{stage: stageIndex(out.module, s), info: r.moduleInfo(file, s.Label)}
	if out.passing {
		l.pass = r.passStage(file, s)
	}
	out.infos = append(out.infos, l)
}
