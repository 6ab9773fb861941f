package facts

import (
	"errors"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/match"
	"github.com/xlagate/xlagate/internal/tensorflow"
)

// wantedModules leaves out the modules of programs that the options leave out.
func wantedModules(d *dump.Dump, opts Options) []*dump.Module {
	var wanted []*dump.Module
	for _, m := range d.Modules {
		if opts.wants(dump.ProgramName(m.Name)) {
			wanted = append(wanted, m)
		}
	}
	return wanted
}

func (o *Options) wants(program string) bool {
	return (len(o.Include) == 0 || match.AnyGlob(o.Include, program)) && !match.AnyGlob(o.Exclude, program)
}

// Report is what a share alone tells of the dump.
func (s *Share) Report() *Report {
	r := &Report{
		Dump: s.Dump.Path, Problems: slices.Clone(s.Dump.Problems), Ignored: s.Dump.Ignored, Toolchain: s.Dump.Toolchain, Modules: listModules(s.Units),
	}
	if s.Dump.Passes {
		r.Passes = throughCompiler(s.Units, s.Dump.Modules)
	}
	for _, m := range s.Units {
		r.Problems = append(r.Problems, m.Problems...)
		r.Drawings = append(r.Drawings, m.Drawings...)
		r.releases = append(r.releases, m.releases...)
		r.Toolchain.merge(m.Toolchain)
	}
	s.assignCuts()
	r.Programs, r.Helpers = group(s.Units)
	if s.Dump.Included || len(r.Programs) == 0 && s.whole() {
		r.Programs, r.Helpers = append(r.Programs, r.Helpers...), nil
	}
	r.Programs, r.Helpers = sorted(r.Programs), sorted(r.Helpers)
	markMain(r.Programs)
	if len(r.Programs) == 0 {
		markMainDrawing(r.Drawings)
	}
	if s.Beside != nil {
		r.lay(s.Beside)
	}
	r.PriceAll()
	return r
}

// listModules collects the module files, module after module, each in the order of compilation.
func listModules(results []*measurement) []ModuleInfo {
	byModule := map[int][]listed{}
	for _, m := range results {
		byModule[m.At] = append(byModule[m.At], m.Infos...)
	}
	var infos []ModuleInfo
	for _, m := range results {
		files := byModule[m.At]
		slices.SortFunc(files, func(a, b listed) int { return a.Stage - b.Stage })
		for _, f := range files {
			infos = append(infos, f.Info)
		}
		delete(byModule, m.At)
	}
	return infos
}

func filesOf(files []*dump.File) []tensorflow.File {
	var list []tensorflow.File
	for _, f := range files {
		list = append(list, tensorflow.File{Path: f.Path, Bytes: f.Bytes})
	}
	return list
}

func moduleIDs(d *dump.Dump) []string {
	var ids []string
	for _, m := range d.Modules {
		ids = append(ids, m.ID)
	}
	return ids
}

// Close gives up the modules that Options.KeepModules kept open.
func (r *Report) Close() error {
	var errs []error
	for _, release := range r.releases {
		errs = append(errs, release())
	}
	r.releases = nil
	return errors.Join(errs...)
}

func sorted(programs []*Program) []*Program {
	slices.SortFunc(programs, func(a, b *Program) int { return strings.Compare(a.Name, b.Name) })
	return programs
}

// dumpProblem passes on a problem of the dump, with the program of the module it belongs to.
func dumpProblem(d *dump.Dump, p dump.Problem) Problem {
	program := ""
	for _, m := range d.Modules {
		if m.ID == p.Module {
			program = dump.ProgramName(m.Name)
		}
	}
	return Problem{File: p.File, Program: program, Message: p.Message, Fix: p.Fix}
}

// explained says whether the dump itself says why a module cannot be looked at.
func explained(d *dump.Dump, m *dump.Module) bool {
	return slices.ContainsFunc(d.Problems, func(p dump.Problem) bool { return p.Module == m.ID })
}

// unseen is the problem of a module that nothing was measured of.
func (out *measuring) unseen() Problem {
	return Problem{
		File: out.module.ID, Program: out.Program, Message: "was not dumped after its optimization in a form that can be read",
		Fix: "add --xla_dump_hlo_as_text to XLA_FLAGS and dump again, or leave the program out with programs.exclude",
	}
}

// markMain marks the program with the largest optimized module.
func markMain(programs []*Program) {
	var main *Program
	size := -1.0
	for _, p := range programs {
		for _, v := range p.Variants {
			if n := v.Facts[InstructionsAfter]; n > size {
				main, size = p, n
			}
		}
	}
	if main != nil {
		main.Main = true
	}
}
