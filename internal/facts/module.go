package facts

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/price"
	"github.com/xlagate/xlagate/internal/wire"
)

// measuring is a compiled module, and what is known of it so far.
type measuring struct {
	module *dump.Module
	Identity
	Variant   *Variant // nil when the module could not be measured
	Toolchain Toolchain
	Infos     []listed
	Drawings  []Drawing
	Problems  []Problem
	Root      string         // see sources
	Listed    bool           // one further stage of a module that is measured elsewhere
	releases  []func() error // of modules that are kept open

	traced   []*tracedFile   // see tracedFor
	backend  string          // of a module that does not say it
	listing  bool            // whether infos are wanted
	passing  bool            // whether they say what each pass left
	interner *interner       // what it has in common with others
	pieces   []hlo.Shape     // what one device returns
	groups   map[int][]int64 // see firstGroups
}

// listed is a module file.
type listed struct {
	Stage *dump.Stage
	Info  ModuleInfo
	Pass  *PassStage // nil unless asked for
}

// measureModule reads the stages of one module that facts come from, one after the other, so that only one is in memory.
func (r *measurer) measureModule(m *dump.Module) *measuring {
	root := r.Root
	if root != "" {
		root = strings.TrimSuffix(root, "/") + "/"
	}
	out := &measuring{
		module: m, Identity: Identity{Program: dump.ProgramName(m.Name)}, Root: root, backend: r.Backend, listing: r.AllStages, passing: r.Passes,
		traced: r.tracedFor(m), interner: r.interner,
	}
	out.readToolchain()
	out.setFramework(r.torch)
	if r.AllStages {
		out.drawn()
	}
	optimized := m.Optimized()
	switch {
	case optimized != nil:
		out.stage(optimized, r.KeepModules, out.measure)
	case r.AnyStage:
		out.stage(&m.Stages[len(m.Stages)-1], r.KeepModules, out.measure)
		if out.Variant != nil {
			out.Variant.Missing = slices.Insert(out.Variant.Missing, 0, string(dump.StageAfter))
		}
	case r.dump.Single && len(m.Stages) > 0:
		if s := &m.Stages[len(m.Stages)-1]; s.HLO() != nil {
			out.problem(s.HLO().Path, fmt.Sprintf("this is no final module (%s), so it does not say what the device runs", s.Kind),
				"name the final module (after_optimizations; optimized_hlo of TensorFlow's compiler IR), or the directory that holds it")
		}
	}
	if r.AnyStage {
		return out
	}
	if out.Variant != nil {
		out.Variant.Reached = m.Reached()
	}
	if given := m.Unoptimized(); given != nil {
		out.stage(given, false, out.measureGiven)
	} else if out.Variant != nil {
		out.Variant.optimizedModel()
		out.Variant.Missing = append(out.Variant.Missing, string(dump.StageBefore))
	}
	if codegen := m.Stage(dump.StageAfterCodegen); codegen != nil {
		out.stage(codegen, false, out.measureCodegen)
	}
	if out.Variant == nil {
		return out
	}
	if m.Stage(dump.StageAfterCodegen) == nil {
		out.Variant.Missing = append(out.Variant.Missing, string(dump.StageAfterCodegen))
	}
	for _, kinds := range [][]dump.Kind{{dump.KindMemoryReport, dump.KindMemoryReportProto}, {dump.KindThunks}, {dump.KindPTX}, {dump.KindLLVMOptimized}} {
		if !slices.ContainsFunc(kinds, func(kind dump.Kind) bool { return m.Companion(kind) != nil }) {
			out.Variant.Missing = append(out.Variant.Missing, string(kinds[0]))
		}
	}
	if r.Samples {
		out.Variant.Compiles[0].keyInput = out.readKeyInput()
	}
	return out
}

// listStage reads one stage only to list it.
func (r *measurer) listStage(m *dump.Module, s *dump.Stage) *measuring {
	out := &measuring{
		module: m, Identity: Identity{Program: dump.ProgramName(m.Name)}, Listed: true, backend: r.Backend, listing: true, passing: r.Passes, interner: r.interner,
	}
	out.setFramework(r.torch)
	out.stage(s, false, func(r *reader, s *dump.Stage) error {
		out.list(r, s)
		return nil
	})
	return out
}

// stage opens one stage's file and hands the module to read.
func (out *measuring) stage(s *dump.Stage, keep bool, read func(*reader, *dump.Stage) error) {
	file := out.best(s)
	if file == nil {
		return // only drawn
	}
	m, release, err := openModule(file)
	if err != nil {
		out.unreadable(file, err)
		return
	}
	r := readerOf(m, out.interner)
	r.sources.root = out.Root
	out.trace(r)
	broke := (*dump.Defect)(nil)
	if err := dump.Guard(func() error { return read(r, s) }); errors.Is(err, dump.ErrShrunk) || errors.As(err, &broke) {
		out.unreadable(file, err)
	} else if err != nil {
		out.problem(file.Path, err.Error(), "")
	}
	if keep && out.Variant != nil {
		out.Variant.Module = m
		out.releases = append(out.releases, release)
		return
	}
	if err := release(); err != nil {
		out.problem(file.Path, err.Error(), "")
	}
}

// best is the file that the stage is read from: the text, but for PyTorch/XLA, which writes its stack frames to the proto only.
func (out *measuring) best(s *dump.Stage) *dump.File {
	if proto := s.File(dump.KindHLOProto); proto != nil && out.Toolchain.Framework == TorchFramework {
		return proto
	}
	return s.HLO()
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
func (out *measuring) measure(r *reader, s *dump.Stage) error {
	r.family = price.Family(cmp.Or(out.Toolchain.Backend, out.backend))
	fingerprint := r.prints().Fingerprint()
	w, err := r.walk()
	if err != nil {
		return err
	}
	v := &Variant{
		WorkVersion: price.Version, Facts: make(Values, len(Table)),
		Compiled:  Compiled{Fingerprint: fingerprint, Kernels: make([]Kernel, len(w.launches))},
		Interface: Interface{Params: r.parameters(), Result: r.entryResult()},
		Origin:    Origin{File: out.best(s).Path, Backend: out.Toolchain.Backend},
	}
	out.identify(r)
	v.Signature, v.CallSite = signature(v.Params), r.callSite(out.Program)
	if out.module.Unoptimized() == nil {
		v.Constants = r.constants()
	} else {
		shapes, _ := r.leaves()
		for _, id := range shapes { // the module is closed when they are held against the whole
			s := r.m.Shape(id)
			out.pieces = append(out.pieces, hlo.Shape{Type: s.Type, Dims: slices.Clone(s.Dims)})
		}
	}
	once := compile{Run: out.module.Process, Module: out.module.ID, Name: r.m.Name, Facts: v.Facts, Devices: r.m.Header.NumPartitions * r.m.Header.ReplicaCount}
	if once.Run != "" {
		once.Collectives = r.collectives(w.launches)
	}
	v.Compiles = []compile{once}
	r.queue(w.launches)
	for i, l := range w.launches {
		v.Kernels[i] = r.kernel(l)
	}
	r.lengths(w, v.Kernels)
	r.connect(w.launches, v)
	v.Fixed = r.constantResults()
	out.groups = r.firstGroups(w.launches)
	r.nameAxes(v, out.groups)
	maps.Copy(v.Facts, OfKernels(v.Kernels))
	v.countBytes(r, w.launches)
	v.Facts.loops(w.loops)
	v.countModule(r)
	v.Facts[ResultsConstant] = float64(len(v.Fixed))
	r.products(v)
	r.overlap(w, v)
	v.costs(r, w.loops)
	out.Variant = v
	out.memory(r, s)
	v.Facts[RunArguments], v.Facts[RunResults] = float64(len(v.Params)), float64(strings.Count(v.Result, "["))
	if v.Facts.Known(MemoryArgument) {
		v.Facts[RunTouched] = v.Facts[MemoryArgument] + v.Facts[MemoryOutput] + v.Facts[MemoryTemp] - v.Facts[MemoryAlias]
	}
	out.plan(out.code())
	out.list(r, s)
	return nil
}

// measureGiven takes from the unoptimized module what the optimizer loses: the arguments as the model wrote them, and the constants.
func (out *measuring) measureGiven(r *reader, s *dump.Stage) error {
	out.list(r, s)
	out.identify(r)
	if out.Variant == nil {
		return nil
	}
	v := out.Variant
	v.Params = join(r.parameters(), v.Params)
	v.Signature = signature(v.Params)
	v.Result = r.entryResult()
	if shapes := hlo.ShapeText(v.Result).Elements(); len(shapes) == len(v.Results) { // the compiled module has those of a device
		v.Results = slices.Clone(v.Results)
		for i := range shapes {
			v.Results[i].Shape = shapes[i]
		}
	}
	v.Outputs, out.pieces = r.outputs(out.pieces, v.Params), nil
	v.InputPrint, v.Partitioner = r.prints().Fingerprint(), partitioner(r.m)
	v.Constants = r.constants()
	r.locateByName(v.Kernels)
	r.nameAxes(v, out.groups)
	r.model(v)
	out.countEmulated()
	if out.Toolchain.Backend == "cpu" { // it computes products of 16-bit numbers in f32, and the optimized module does not tell them from others
		for id := range r.notable(r.isProduct) {
			v.count(r, id, AskedType.Of(r.widest(id)), 1)
		}
	}
	o := r.owners()
	of := make([]float64, len(o.list))
	for _, owner := range o.of {
		of[owner]++
	}
	for owner, n := range of {
		if n > 0 {
			v.part(r, int32(owner))[InstructionsBefore] += n
		}
	}
	v.Facts[InstructionsBefore] = float64(len(r.m.Instrs))
	return nil
}

// measureCodegen adds up the cycles that the compiler for TPU expects.
func (out *measuring) measureCodegen(r *reader, s *dump.Stage) error {
	out.list(r, s)
	if _, err := r.walk(); err != nil || out.Variant == nil {
		return err
	}
	e := expectation{values: r.values(), known: map[hlo.CompID]expected{}}
	if all := e.of(r.m.Entry); all.said {
		out.Variant.Facts[CostCycles] += all.cycles
		out.Variant.expect(r)
	}
	return nil
}

// list adds what inspect says of a module file. The numbers that are XLA's own take a pass each: check does without them.
func (out *measuring) list(r *reader, s *dump.Stage) {
	if !out.listing {
		return
	}
	file := out.best(s).Path
	l := listed{Stage: s, Info: r.moduleInfo(file, s.Label)}
	if out.passing {
		l.Pass = r.passStage(file, s)
	}
	out.Infos = append(out.Infos, l)
}

func (out *measuring) problem(file, message, fix string) {
	out.Problems = append(out.Problems, Problem{File: file, Program: out.Program, Message: message, Fix: fix})
}

// unreadable turns a reader's error into a problem with the place where it stopped.
func (out *measuring) unreadable(file *dump.File, err error) {
	where, message := file.Path, err.Error()
	if syntax := (*hlo.SyntaxError)(nil); errors.As(err, &syntax) {
		where, message = fmt.Sprintf("%s:%d:%d", syntax.File, syntax.Line, syntax.Column), syntax.Message
		if syntax.Line == 0 {
			where = fmt.Sprintf("%s: at byte %d", syntax.File, syntax.Offset)
		}
		if syntax.Near != "" {
			message += fmt.Sprintf(", near %q", syntax.Near)
		}
	}
	out.problem(where, message, fixOf(err))
}

func fixOf(err error) string {
	if broke := (*dump.Defect)(nil); errors.As(err, &broke) {
		return dump.DefectFix
	}
	if tooMuch := (*dump.LimitError)(nil); errors.As(err, &tooMuch) {
		return tooMuch.Fix()
	}
	if syntax := (*wire.SyntaxError)(nil); errors.As(err, &syntax) && syntax.Form {
		return "xlagate does not know this form of the file: open an issue with the file, or leave the program out with programs.exclude"
	}
	return "the run that wrote it was cut off or is still writing; dump again, or leave the program out with programs.exclude"
}

// unsaid leaves out what is wrong with files that are known to be damaged. A problem's file may have a line and a column behind its name.
func unsaid(damaged map[string]bool, problems []Problem) []Problem {
	return slices.DeleteFunc(slices.Clone(problems), func(p Problem) bool {
		for file, more := p.File, true; more; file, _, more = phrase.CutLast(file, ":") {
			if damaged[file] {
				return true
			}
		}
		return false
	})
}
