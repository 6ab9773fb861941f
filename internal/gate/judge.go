package gate

import (
	"fmt"
	"slices"

	"github.com/xlagate/xlagate/internal/baseline"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/git"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
	"github.com/xlagate/xlagate/rules"
)

// judge runs the rules over one target and puts what was looked at into the result. It returns what they found.
func judge(r *result.Result, o Options, l *looked) (found []JudgedFinding) {
	out := result.Target{Name: l.Name, Dump: l.dump, NotCovered: []string{}, Programs: []result.Program{}}
	r.Problems = append(r.Problems, l.problems...)
	if l.report != nil {
		said := newCollector(r, &out, l, o.Config)
		told := false
		for _, c := range run(o, l, l.asTarget(o)) {
			said.collect(c)
			told = told || c.Rule.ID == "no-unclustered-ops"
		}
		if !told {
			r.Problems = append(r.Problems, uncompiled(l)...)
		}
		l.judged = said.judged
		found = said.found
		configure(found, o.Config)
		out.NotCovered = append(out.NotCovered, unreached(l.report)...)
		lacking(r, &out, o, l)
		if len(l.unasked) > 0 {
			out.NotCovered = append(out.NotCovered, listed(l.unasked)+" (left out by programs.include)")
		}
		describe(&out, l)
	}
	r.Targets = append(r.Targets, out)
	return found
}

// differing is the target as its changes are looked for. Git is asked only where something differs; what it does not know is told.
func (l *looked) differing(r *result.Result, o Options) JudgedTarget {
	t := JudgedTarget{Name: l.Name, Programs: l.programs}
	if !slices.ContainsFunc(l.programs, func(p *diff.Program) bool { return p.Change != diff.Same }) {
		return t
	}
	var unknown string
	if t.Edits, unknown = o.edits(); t.Edits == nil && unknown != git.NoRepository {
		r.Notes = append(r.Notes, result.Note{
			Kind: "places", Target: l.Name, Message: "which lines were edited is not known, so changes are placed at the operations that they show in: " + unknown,
		})
	}
	return t
}

// addChanges adds the changes of a target and its findings to the result.
func addChanges(r *result.Result, o Options, l *looked, found []JudgedFinding) {
	r.Changes = append(r.Changes, ChangesOf(l.differing(r, o), found)...)
	for i := range found {
		r.Findings = append(r.Findings, found[i].Finding)
	}
}

// uncompiled tells of the operations for which XLA compiled nothing of their function, where no rule of the target does.
func uncompiled(l *looked) (problems []result.Problem) {
	for _, n := range l.report.Logs.Uncompilable() {
		what := "XLA cannot compile " + n.Op
		if n.Where.File != "" {
			what += fmt.Sprintf(" at %s:%d", n.Where.File, n.Where.Line)
		}
		if n.Program != "" {
			what += " in " + n.Program
		}
		problems = append(problems, result.Problem{
			Target: l.Name, File: n.Log, Message: what + ": " + n.Message, Fix: "fix the function, or add the rule no-unclustered-ops, which allows operations by name",
		})
	}
	return problems
}

// unreached lists what was measured before the end of its compilation.
func unreached(r *facts.Report) (notes []string) {
	for _, p := range r.Programs {
		for _, v := range p.Variants {
			if v.Reached != "" {
				notes = append(notes, fmt.Sprintf("the end of the compilation of %s (measured %s: the compiler dumped no final module)", p.Name, v.Reached))
				break
			}
		}
	}
	return notes
}

// asTarget is the target as rules see it.
func (l *looked) asTarget(o Options) *rule.Target {
	return &rule.Target{Name: l.Name, Dump: l.dump, Report: l.report, Base: l.base, Programs: l.programs, Accept: howToAccept(BaselineOf(o)), LeftOutBy: leftOutBy(l.Target)}
}

// run gives every rule what it covers, the integrity rules first.
func run(o Options, l *looked, t *rule.Target) []*rule.Context {
	var done []*rule.Context
	needed := needsBaseline(o, l)
	for _, s := range append(integrity(o.Config.Rules), o.Config.Rules...) {
		if s.Level == "off" {
			continue
		}
		c := rule.NewContext(s, t, needed)
		c.Run(covered(s, l.Name, l.programs))
		done = append(done, c)
	}
	return done
}

// integrityPack is the pack of the rules that are on without being named.
const integrityPack = "integrity"

// integrity lists the rules that are on without being named, unless the configuration names them itself.
func integrity(named []*rule.Settings) []*rule.Settings {
	var out []*rule.Settings
	for _, r := range rules.All() {
		if r.Always && !slices.ContainsFunc(named, func(s *rule.Settings) bool { return s.Rule == r }) {
			out = append(out, &rule.Settings{Rule: r, Pack: integrityPack})
		}
	}
	return out
}

// needsBaseline reports whether some rule compares a program with its baseline. Of one that could not be read that was said already.
func needsBaseline(o Options, l *looked) func(program string) bool {
	var compare rule.ByProgram
	for _, s := range o.Config.Rules {
		if s.Level != "off" && s.NeedsBaseline() {
			compare.Add(s)
		}
	}
	return func(program string) bool { return !l.baseUnread && compare.Covers(l.Name, program) }
}

// describe fills in what was looked at.
func describe(out *result.Target, l *looked) {
	out.Baseline = l.baseName
	if l.base == nil {
		out.Baseline = ""
	} else {
		out.Base = toolchain(l.base.Toolchain)
	}
	out.Toolchain = toolchain(l.report.Toolchain)
	out.Helpers = len(l.report.Helpers)
	out.Graphs = baseline.GraphFacts(l.report.Clusters)
	out.Device, out.DeviceAssumed = l.report.PricedOn()
	for _, p := range l.programs {
		out.Programs = append(out.Programs, program(l, p))
		for _, part := range p.Parts {
			out.Programs = append(out.Programs, program(l, alone(part)))
		}
	}
}

// alone is a part of programs that were judged all together: accepting the result records each by itself.
func alone(part *facts.Program) *diff.Program {
	p := &diff.Program{Name: part.Name, Change: diff.Changed, New: part}
	for _, v := range part.Variants {
		p.Variants = append(p.Variants, &diff.Variant{Change: diff.Changed, New: v})
	}
	return p
}

func toolchain(t facts.Toolchain) result.Toolchain {
	return result.Toolchain{Framework: t.Framework, Versions: t.Versions, Backend: t.Backend, Device: t.Device, Flags: t.Flags}
}

func program(l *looked, p *diff.Program) result.Program {
	out := result.Program{Name: p.Name, Was: p.Was, Change: p.Change, Variants: []result.Variant{}}
	if l.base == nil {
		out.Change = "unbased"
	}
	if p.New != nil && p.Parts == nil {
		out.Accept = baseline.Format(l.Name, &baseline.Program{Program: *p.New, Toolchain: l.report.Toolchain}).String()
	}
	for _, v := range p.Variants {
		if v.New != nil {
			out.Variants = append(out.Variants, variant(v))
		}
	}
	return out
}

func variant(v *diff.Variant) result.Variant {
	out := result.Variant{
		Signature: v.New.Signature, Modules: v.New.Modules, Fingerprint: v.New.Fingerprint, Unstable: v.New.Unstable, Facts: v.New.Facts,
	}
	if out.Unstable == nil {
		out.Unstable = []string{}
	}
	if v.Old != nil {
		out.Base = v.Old.Facts
	}
	return out
}
