package gate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/xlagate/xlagate/internal/baseline"
	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/git"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
	"github.com/xlagate/xlagate/rules"
)

// judge runs the rules on one target, adds the target to the result, and returns the findings.
func judge(r *result.Result, o Options, l *measuredTarget) (found []judgedFinding) {
	out := result.Target{Name: l.Name, Dump: l.dump, RuleFile: o.ruleFile(), NotCovered: []string{}, Programs: []result.Program{}}
	for _, p := range l.problems {
		p.File = belowDir(o.Dir, p.File)
		r.Problems = append(r.Problems, p)
	}
	if l.report != nil {
		said := newCollector(r, &out, l, o.Config)
		t := &rule.Target{
			Name: l.Name, Dump: l.dump, Report: l.report, Base: l.base, Programs: l.programs, Accept: howToAccept(BaselineOf(o)),
			LeftOutBy: leftOutBy(l.Target), Release: l.release,
		}
		needed, reported := needsBaseline(o, l), false
		for _, s := range append(integrity(o.Config.Rules), o.Config.Rules...) {
			if s.Level == "off" {
				continue
			}
			c := rule.NewContext(s, t, needed)
			c.Run(covered(s, l.Name, l.programs))
			said.collect(c)
			reported = reported || s.Rule.ID == "no-unclustered-ops"
		}
		if !reported {
			r.Problems = append(r.Problems, uncompiled(l)...)
		}
		l.judged = said.judged
		found = said.found
		out.NotCovered = append(out.NotCovered, unfinishedCompilations(l.report)...)
		missingInputs(r, &out, o, l)
		if len(l.unasked) > 0 {
			out.NotCovered = append(out.NotCovered, namesOf(l.unasked)+" (NOT GATED: add it to programs.include)")
		}
		for _, pattern := range l.Exclude {
			if !slices.ContainsFunc(l.left, func(name string) bool { return facts.Fits(pattern, name) }) && !includes(l.report.Helpers, pattern) {
				r.Notes = append(r.Notes, result.Note{Kind: "unused", Target: l.Name, Message: fmt.Sprintf("programs.exclude: no program of the dump matches %q", pattern)})
			}
		}
		describe(&out, l)
	}
	r.Targets = append(r.Targets, out)
	return found
}

// differing returns the target with its edited lines. It asks git only if something differs or was found, and notes why git does not know.
func (l *measuredTarget) differing(r *result.Result, o Options, found []judgedFinding) judgedTarget {
	t := judgedTarget{Name: l.Name, Programs: l.programs, Dumps: l.dumps, Accepted: l.set, Again: l.again, Upgrade: l.upgrade}
	if len(found) == 0 && !slices.ContainsFunc(l.programs, func(p *changes.Program) bool { return p.Change != changes.Same }) {
		return t
	}
	var unknown string
	if t.Edits, unknown = o.edits(); unknown != "" && unknown != git.NoRepository {
		r.Notes = append(r.Notes, result.Note{
			Kind: "places", Target: l.Name, Message: "which lines were edited is not known, so changes are placed at the operations that they affect: " + unknown,
		})
	}
	t.Edits = t.Edits.Beside(t.Dumps)
	return t
}

// addChanges adds the changes of a target and its findings to the result.
func addChanges(r *result.Result, o Options, l *measuredTarget, found []judgedFinding) {
	t := l.differing(r, o, found)
	var plain []*judgedChange
	if len(found) > 0 && len(t.Edits.Hunks()) > 0 {
		plain = l.withoutEdits(o)
	}
	changes, added, unused := t.changes(found, plain)
	r.Changes = append(r.Changes, changes...)
	for i := range found {
		r.Findings = append(r.Findings, found[i].Finding.Finding)
	}
	for _, f := range added {
		r.Findings = append(r.Findings, f.Finding.Finding)
	}
	r.Summary.Checks += len(added) // those that passed are all but the findings
	for _, c := range unused {
		if len(l.problems) == 0 {
			r.Notes = append(r.Notes, result.Note{
				Kind: "slack", Target: l.Name, Message: fmt.Sprintf("the change %s, which is allowed (%s), is gone", c.Change, c.Reason),
				Fix: "xlagate accept --reason \"why\"",
			})
		}
	}
}

// withoutEdits returns the changes of a target where git does not know what was edited, as on the branch after a merge.
func (l *measuredTarget) withoutEdits(o Options) []*judgedChange {
	plain := *l
	plain.programs = l.compared(nil)
	found := findings(newResult(o), o, &plain)
	return judgedTarget{Name: l.Name, Programs: plain.programs, Dumps: l.dumps, Again: l.again, Upgrade: plain.upgrade}.attach(found)
}

// findings returns what the rules find in a target that counts.
func findings(r *result.Result, o Options, l *measuredTarget) []judgedFinding {
	return withoutOwn(withoutUnseen(judge(r, o, l), l), o.Own)
}

// uncompiled reports operations for which XLA compiled nothing of their function, if no rule does.
func uncompiled(l *measuredTarget) (problems []result.Problem) {
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

// unfinishedCompilations lists the programs that were measured before the end of their compilation.
func unfinishedCompilations(r *facts.Report) (notes []string) {
	for _, p := range r.Programs {
		if at := slices.IndexFunc(p.Variants, func(v *facts.Variant) bool { return v.Reached != "" }); at >= 0 {
			notes = append(notes, fmt.Sprintf("the end of the compilation of %s (measured %s: the compiler dumped no final module)", p.Name, p.Variants[at].Reached))
		}
	}
	return notes
}

// integrityPack is the pack of the rules that are on without being named.
const integrityPack = "integrity"

// integrity lists the rules that are on without being named, unless the configuration names them itself.
func integrity(named []*rule.Settings) []*rule.Settings {
	var out []*rule.Settings
	for _, r := range rules.All.Rules {
		if r.Always && !slices.ContainsFunc(named, func(s *rule.Settings) bool { return s.Rule == r }) {
			out = append(out, &rule.Settings{Rule: r, Pack: integrityPack})
		}
	}
	return out
}

// needsBaseline reports whether a rule compares a program with its baseline. An unreadable baseline is reported elsewhere.
func needsBaseline(o Options, l *measuredTarget) func(program string) bool {
	var compare rule.ByProgram
	for _, s := range o.Config.Rules {
		if s.Level != "off" && s.NeedsBaseline() {
			compare.Add(s)
		}
	}
	return func(program string) bool { return !l.baseUnread && compare.Covers(l.Name, program) }
}

// describe fills in what was checked.
func describe(out *result.Target, l *measuredTarget) {
	if l.base != nil {
		out.Baseline, out.Base = l.baseName, l.base.Toolchain
	}
	out.Toolchain = l.report.Toolchain
	out.Helpers, out.LeftOut = len(l.report.Helpers), l.left
	out.Graphs = baseline.GraphFacts(l.report.Clusters)
	out.Device, out.DeviceAssumed = l.report.PricedOn()
	included := l.inclusion()
	var fresh []*baseline.Program
	texts := sync.OnceValue(func() [][]byte { return baseline.FormatAll(fresh) })
	add := func(p *changes.Program) {
		shown := program(l, p)
		if i := len(fresh); p.New != nil && p.Parts == nil {
			fresh = append(fresh, l.asBaseline(p.New))
			shown.Accept = result.LaterText(func() []byte { return texts()[i] })
		}
		out.Programs = append(out.Programs, shown)
	}
	for _, p := range l.programs {
		if p.New == nil && (l.unread(p.Name) || !included(p.Name)) {
			continue // it is not gone: its problem says why it is not there, or the configuration leaves it out
		}
		add(p)
		for _, single := range p.Singles() { // accepting records each by itself
			add(single)
		}
	}
}

// unread reports whether the dump holds a program that could not be read.
func (l *measuredTarget) unread(program string) bool {
	return slices.ContainsFunc(l.report.Problems, func(p facts.Problem) bool { return p.Program == facts.PlainName(program) })
}

func program(l *measuredTarget, p *changes.Program) result.Program {
	out := result.Program{Name: p.Name, Was: p.Was, Change: p.Change, Variants: []result.Variant{}}
	if l.base == nil {
		out.Change = "unbased"
	}
	for _, v := range p.Variants {
		if v.New != nil {
			out.Variants = append(out.Variants, variant(v))
		}
	}
	return out
}

// asBaseline is a program of the dump as accepting it would write it.
func (l *measuredTarget) asBaseline(p *facts.Program) *baseline.Program {
	return &baseline.Program{Program: *p, Toolchain: l.report.Toolchain}
}

func variant(v *changes.Variant) result.Variant {
	out := result.Variant{
		Signature: v.New.Signature, Modules: v.New.Modules, Fingerprint: v.New.Fingerprint, Unstable: append([]string{}, v.New.Unstable...), Facts: v.New.Facts,
	}
	if v.Old != nil {
		out.Base = v.Old.Facts
		if v.Old.Signature != out.Signature {
			out.Was = v.Old.Signature
		}
	}
	return out
}

// collector adds the reports of the rules to the result, each item once.
type collector struct {
	r        *result.Result
	out      *result.Target
	l        *measuredTarget
	ids      map[string]bool
	problems map[result.Problem]bool
	missing  map[string]bool // what is listed as not covered
	found    []judgedFinding
	judged   int                            // how many times a rule of the configuration or of a pack checked something
	entries  map[*rule.Rule]*rule.ByProgram // of the configuration
	variants map[string]int                 // how many each program has
}

func newCollector(r *result.Result, out *result.Target, l *measuredTarget, cfg *config.Config) *collector {
	c := &collector{
		r: r, out: out, l: l, ids: map[string]bool{}, problems: map[result.Problem]bool{}, missing: map[string]bool{},
		entries: map[*rule.Rule]*rule.ByProgram{}, variants: map[string]int{},
	}
	for _, s := range cfg.Rules {
		if c.entries[s.Rule] == nil {
			c.entries[s.Rule] = &rule.ByProgram{}
		}
		c.entries[s.Rule].Add(s)
	}
	for _, p := range l.programs {
		c.variants[p.Name] = len(p.Variants)
	}
	for i := range r.Findings {
		c.ids[r.Findings[i].ID] = true
	}
	for _, p := range r.Problems {
		if p.Target == l.Name { // no other is collected
			c.problems[p] = true
		}
	}
	return c
}

// collect completes what a rule said.
func (c *collector) collect(said *rule.Context) {
	r := c.r
	if len(c.l.problems) == 0 || len(c.l.report.Programs) > 0 { // of a dump that could not be read, nothing passes
		r.Summary.Checks += said.Checks
	}
	onlyToolchain := said.Rule.Reads != nil && len(said.Rule.Reads) == 0 // it reads nothing of the programs
	if said.Pack == "" || said.Pack != integrityPack && !onlyToolchain {
		c.judged += said.Checks
	}
	for _, reported := range said.Findings {
		f := judgedFinding{Finding: *reported}
		f.Name, f.Level, f.Target, f.Reason, f.Bound = said.Name, cmp.Or(reported.Level, said.Severity()), c.l.Name, said.Reason, boundIn(said, reported)
		f.ID = unique(c.ids, f.Finding.Finding, c.distinguish(&f, said.Settings))
		c.found = append(c.found, f)
	}
	for _, p := range said.Problems {
		p.Target = c.l.Name
		if addNew(c.problems, p) {
			r.Problems = append(r.Problems, p)
		}
	}
	for _, n := range said.Notes {
		n.Target = c.l.Name
		r.Notes = append(r.Notes, n)
	}
	for _, h := range said.Headroom {
		h.Target = c.l.Name
		r.Headroom = append(r.Headroom, h)
	}
	for _, n := range said.NotCovered {
		if addNew(c.missing, n) {
			c.out.NotCovered = append(c.out.NotCovered, n)
		}
	}
}

// addNew reports whether an item was not seen before.
func addNew[T comparable](seen map[T]bool, what T) bool {
	if seen[what] {
		return false
	}
	seen[what] = true
	return true
}

// distinguish returns what distinguishes a finding from others of the same rule, program and subject: the variant, if the program has several, and
// the entry of the configuration, if several cover the program. It does not depend on which of them are broken.
func (c *collector) distinguish(f *judgedFinding, s *rule.Settings) string {
	var text string
	if c.variants[f.Program] > 1 {
		text = f.Variant
	}
	if same := c.entries[s.Rule]; same != nil && same.Several(f.Target, cmp.Or(f.Program, "*")) {
		text += "\x00" + s.Terms()
	}
	return text
}

// unique returns a finding's id: the first 12 hex digits of a hash of rule, target, program, subject and what else distinguishes it.
func unique(taken map[string]bool, f result.Finding, distinct string) string {
	text := strings.Join([]string{f.Rule, f.Target, f.Program, f.Subject}, "\x00")
	if distinct != "" {
		text += "\x00" + distinct
	}
	for n := 0; ; n++ {
		if id := result.ID(text); addNew(taken, id) {
			return id
		}
		text += fmt.Sprintf("\x00%d", n)
	}
}

// covered lists the programs of a target that settings cover.
func covered(s *rule.Settings, target string, programs []*changes.Program) []*changes.Program {
	return phrase.Filter(programs, func(p *changes.Program) bool { return s.Covers(target, p.Name) })
}
