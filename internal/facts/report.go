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
		Dump: s.dump.path, Problems: slices.Clone(s.dump.problems), Ignored: s.dump.ignored, Toolchain: s.dump.toolchain, Modules: listModules(s.units),
	}
	if s.dump.passes {
		r.Passes = throughCompiler(s.units, s.dump.modules)
	}
	for _, m := range s.units {
		r.Problems = append(r.Problems, m.problems...)
		r.Drawings = append(r.Drawings, m.drawings...)
		r.releases = append(r.releases, m.releases...)
		r.Toolchain.merge(m.toolchain)
	}
	s.assignCuts()
	r.Programs, r.Helpers = group(s.units)
	if s.dump.included || len(r.Programs) == 0 && s.whole() {
		r.Programs, r.Helpers = append(r.Programs, r.Helpers...), nil
	}
	r.Programs, r.Helpers = sorted(r.Programs), sorted(r.Helpers)
	markMain(r.Programs)
	if len(r.Programs) == 0 {
		markMainDrawing(r.Drawings)
	}
	if s.beside != nil {
		r.lay(s.beside)
	}
	r.PriceAll()
	return r
}

// listModules collects the module files, module after module, each in the order of compilation.
func listModules(results []*measured) []ModuleInfo {
	byModule := map[int][]listed{}
	for _, m := range results {
		byModule[m.at] = append(byModule[m.at], m.infos...)
	}
	var infos []ModuleInfo
	for _, m := range results {
		files := byModule[m.at]
		slices.SortFunc(files, func(a, b listed) int { return a.stage - b.stage })
		for _, f := range files {
			infos = append(infos, f.info)
		}
		delete(byModule, m.at)
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
func (out *measured) unseen() Problem {
	return Problem{
		File: out.module.ID, Program: out.program, Message: "was not dumped after its optimization in a form that can be read",
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
