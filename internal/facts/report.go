package facts

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/tensorflow"
)

// report joins what was measured of the modules, which are in the order of the dump, and reads what belongs to none of them.
func (r *measurer) report(done []*measuring) *Report {
	d := r.dump
	out := &Report{Dump: d.Path, Problems: slices.Clone(d.Problems), Ignored: phrase.Map(d.Unknown, func(f *dump.File) string { return f.Path })}
	if f := d.Toolchain; f != nil {
		if err := out.Toolchain.read(f); err != nil {
			out.Problems = append(out.Problems, Problem{File: f.Path, Message: err.Error(), Fix: "capture the dump again, or remove the file"})
		}
	}
	out.listModules(done, r.Passes)
	damaged, explained := map[string]bool{}, map[string]bool{}
	for _, p := range d.Problems {
		damaged[p.File], explained[p.Module] = damaged[p.File] || p.Damaged, true
	}
	for _, m := range done {
		if m.Problems = unsaid(damaged, m.Problems); m.Variant == nil && !m.Listed && len(m.Problems) == 0 && !explained[m.module.ID] {
			m.problem(m.module.ID, "was not dumped after its optimization in a form that can be read",
				"add --xla_dump_hlo_as_text to XLA_FLAGS and dump again, or leave the program out with programs.exclude")
		}
		out.Problems = append(out.Problems, m.Problems...)
		out.Drawings = append(out.Drawings, m.Drawings...)
		out.releases = append(out.releases, m.releases...)
	}
	for _, helpers := range []bool{false, true} { // compiled ahead of time, the model is for another device than its helpers
		for _, m := range done {
			if m.Helper == helpers {
				out.Toolchain.merge(m.Toolchain)
			}
		}
	}
	beside := r.readBeside()
	nameArguments(done, beside.Arguments)
	assignGraphBreaks(done, beside.Logs)
	out.Programs, out.Helpers = group(done)
	for _, p := range out.Programs {
		p.findDiffering(d)
	}
	asked, nothingElse := len(r.Include) > 0, len(out.Programs)+len(out.Problems)+len(beside.Problems) == 0
	if asked || nothingElse {
		out.Programs, out.Helpers = append(out.Programs, out.Helpers...), nil
	}
	out.Programs, out.Helpers = sorted(out.Programs), sorted(out.Helpers)
	if len(out.Programs) == 0 {
		markMainDrawing(out.Drawings)
	}
	out.Clusters, out.Logs, out.Problems = beside.Clusters, beside.Logs, append(out.Problems, beside.Problems...)
	out.spilled()
	r.addProfiles(out)
	out.PriceAll()
	markMain(out.Programs)
	return out
}

// listModules lists the module files, module after module, each in the order of compilation, and what each pass of the compiler left.
func (r *Report) listModules(done []*measuring, passes bool) {
	for len(done) > 0 {
		m, n := done[0], 1
		for n < len(done) && done[n].module == m.module {
			n++
		}
		infos := map[*dump.Stage]listed{}
		for _, part := range done[:n] {
			for _, l := range part.Infos {
				infos[l.Stage] = l
			}
		}
		left := ModulePasses{Module: m.module.ID, Program: m.Program}
		for i := range m.module.Stages {
			l, read := infos[&m.module.Stages[i]]
			if read {
				r.Modules = append(r.Modules, l.Info)
			}
			if l.Pass != nil {
				left.Stages = append(left.Stages, *l.Pass)
			}
		}
		if passes {
			r.Passes = append(r.Passes, left)
		}
		done = done[n:]
	}
}

// Close releases the modules that Options.KeepModules kept open.
func (r *Report) Close() error {
	errs := phrase.Map(r.releases, func(release func() error) error { return release() })
	r.releases = nil
	return errors.Join(errs...)
}

// eachVariant is every variant of programs, with its program.
func eachVariant(programs []*Program) iter.Seq2[*Variant, *Program] {
	return func(yield func(*Variant, *Program) bool) {
		for _, p := range programs {
			for _, v := range p.Variants {
				if !yield(v, p) {
					return
				}
			}
		}
	}
}

func sorted(programs []*Program) []*Program {
	slices.SortFunc(programs, func(a, b *Program) int { return strings.Compare(a.Name, b.Name) })
	return programs
}

// markMain marks the program whose run is predicted to take longest; where no price is known, the one with the largest optimized module. The host's part of a
// program that runs on another device comes last.
func markMain(programs []*Program) {
	var main *Program
	var most *Variant
	for v, p := range eachVariant(programs) {
		if most == nil || cmp.Or(phrase.CompareBools(most.Backend == "cpu", v.Backend == "cpu"),
			cmp.Compare(v.Facts[PriceStep], most.Facts[PriceStep]), cmp.Compare(v.Facts[InstructionsAfter], most.Facts[InstructionsAfter])) > 0 {
			main, most = p, v
		}
	}
	if main != nil {
		main.Main = true
	}
}

// Merge joins the reports of several dumps of one run: programs by name, equal variants by content. The reports must not be used afterwards.
func Merge(reports []*Report) *Report {
	if len(reports) == 1 {
		return reports[0]
	}
	dumps := phrase.Map(reports, func(r *Report) string { return r.Dump })
	all, programs, helpers := &Report{Dump: strings.Join(dumps, ", ")}, newGrouping(), newGrouping()
	for _, r := range reports {
		all.Toolchain.merge(r.Toolchain)
		programs.merge(r.Programs, r.Dump)
		helpers.merge(r.Helpers, r.Dump)
		all.Modules = append(all.Modules, r.Modules...)
		all.Drawings = append(all.Drawings, r.Drawings...)
		all.Passes = append(all.Passes, r.Passes...)
		all.Profile = all.Profile.merge(r.Profile)
		all.Problems = append(all.Problems, r.Problems...)
		all.Ignored = append(all.Ignored, r.Ignored...)
		all.Clusters = all.Clusters.Merge(r.Clusters)
		all.Logs = all.Logs.Merge(r.Logs)
		all.releases = append(all.releases, r.releases...)
	}
	all.Programs, all.Helpers = sorted(programs.programs), sorted(helpers.programs)
	markMain(all.Programs)
	return all
}

// merge adds the programs of another dump.
func (g *grouping) merge(more []*Program, dump string) {
	for _, p := range more {
		p.Main = false
		of := p.of
		if of == nil {
			of = &compiled{Identity: Identity{Program: p.Name}}
		}
		joined := g.program(of)
		for _, v := range p.Variants {
			for i := range v.Compiles {
				v.Compiles[i].Run = dump + " " + v.Compiles[i].Run
			}
			joined.add(v)
		}
		joined.settle()
	}
}

// Samples joins the reports of n independent compiles of the same source, from one dump or several, and marks the facts that differ between them as unstable.
func Samples(reports []*Report, n int) (*Report, error) {
	all := Merge(reports)
	runs := map[string]bool{}
	for _, p := range all.Programs {
		p.joinSamples()
		for _, v := range p.Variants {
			for _, c := range v.Compiles {
				runs[c.Run] = true
			}
			v.KeyDiffers, v.KeyKnown = v.keyDiffers()
			v.Unstable = v.unstable()
		}
	}
	if len(runs) != n {
		return nil, fmt.Errorf("independent compiles in it: %d, but the target says samples: %d", len(runs), n)
	}
	all.Samples = n
	return all, nil
}

// joinSamples makes one variant of those with the same signature of which no sample holds two: what was lowered came out otherwise
// each time, an iteration over a set in the model's source for one. The dearest of them stands for all.
func (p *Program) joinSamples() {
	var joined []*Variant
	for _, v := range p.Variants {
		runs := map[string]bool{}
		for _, c := range v.Compiles {
			runs[c.Run] = true
		}
		at := slices.IndexFunc(joined, func(w *Variant) bool {
			return w.Signature == v.Signature && !slices.ContainsFunc(w.Compiles, func(c compile) bool { return runs[c.Run] })
		})
		if at < 0 {
			joined = append(joined, v)
			continue
		}
		w, varies := joined[at], v.InputVaries || joined[at].InputVaries || joined[at].InputPrint != v.InputPrint
		dearer := cmp.Or(cmp.Compare(v.Facts[PriceStep], w.Facts[PriceStep]), cmp.Compare(v.Facts[KernelsTotal], w.Facts[KernelsTotal])) > 0
		if varies && dearer {
			joined[at], w, v = v, v, w
		}
		w.Compiles, w.InputVaries = append(w.Compiles, v.Compiles...), varies
	}
	p.Variants = joined
	p.settle()
}

// unstable lists the facts that differ between the variant's compiles, by name.
func (v *Variant) unstable() []string {
	differs := map[string]bool{}
	for _, c := range v.Compiles {
		for name, value := range c.Facts {
			if other, ok := v.Facts[name]; !ok || other != value {
				differs[string(name)] = true
			}
		}
		for name := range v.Facts {
			if !c.Facts.Known(name) && !name.IsPrice() {
				differs[string(name)] = true
			}
		}
	}
	if v.KeyDiffers != nil {
		differs[CacheKey] = true
	}
	return slices.Sorted(maps.Keys(differs))
}

// IsCluster reports whether a program is one of TensorFlow's clusters, which are numbered as they were made: the name says nothing about the content.
func (p *Program) IsCluster() bool {
	rest, ok := strings.CutPrefix(p.Name, "cluster_")
	return ok && rest != "" && strings.Trim(rest, "0123456789_") == ""
}

// IsHashed reports whether a program is a function of xla.compile: its name is a hash of what it computes.
func (p *Program) IsHashed() bool {
	return p.IsCluster() && tensorflow.IsHash(strings.Trim(strings.TrimPrefix(p.Name, "cluster_"), "_"))
}

// Joint is several programs as if they were one: what they launch, compute and keep all together. Some were compiled once; the others all equally often,
// and the first compilation of one is taken to run with the first of each other one. The arguments are left out, because values that one hands to the next are arguments
// of neither.
func Joint(name string, parts []*Program) *Program {
	joint := &Program{Name: name}
	for n := range len(slices.MaxFunc(parts, func(a, b *Program) int { return cmp.Compare(len(a.Variants), len(b.Variants)) }).Variants) {
		joint.Variants = append(joint.Variants, jointVariant(phrase.Map(parts, func(p *Program) *Variant { return p.Variants[min(n, len(p.Variants)-1)] })))
	}
	return joint
}

func jointVariant(parts []*Variant) *Variant {
	first := parts[0]
	v := &Variant{Facts: sum(parts)}
	v.Modules, v.File, v.ModelAfter = first.Modules, first.File, first.ModelAfter
	var prints, inputs []string
	for _, part := range parts {
		prints, inputs = append(prints, part.Fingerprint), append(inputs, part.InputPrint)
		v.add(part)
	}
	v.Fingerprint, v.InputPrint = strings.Join(slices.Sorted(slices.Values(prints)), " "), strings.Join(slices.Sorted(slices.Values(inputs)), " ")
	return v
}

// add appends what a part lists. What its kernels read from is counted on from those that are there.
func (v *Variant) add(part *Variant) {
	before := int32(len(v.Kernels))
	for _, k := range part.Kernels {
		k.From = slices.Clone(k.From)
		for i := range k.From {
			k.From[i] += before
		}
		v.Kernels = append(v.Kernels, k)
	}
	v.Constants = append(v.Constants, part.Constants...)
	v.Buffers = append(v.Buffers, part.Buffers...)
	v.Model = append(v.Model, part.Model...)
	v.Barriers = append(v.Barriers, part.Barriers...)
	v.Products = append(v.Products, part.Products...)
	v.Differing = append(v.Differing, part.Differing...)
	v.Results = append(v.Results, part.Results...)
	v.Unstable = append(v.Unstable, part.Unstable...)
	v.Missing = append(v.Missing, part.Missing...)
}

// sum adds up the facts; of some the largest counts. What was not dumped of one part is not known of the whole; what is counted by name a part may lack.
func sum(parts []*Variant) Values {
	total := Values{}
	for _, v := range parts {
		for id, n := range v.Facts {
			if About(id).Largest {
				total[id] = max(total[id], n)
			} else {
				total[id] += n
			}
		}
	}
	for id := range total {
		if About(id).PerPart && slices.ContainsFunc(parts, func(v *Variant) bool { return !v.Facts.Known(id) }) {
			delete(total, id)
		}
	}
	return total
}
