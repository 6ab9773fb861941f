package gate

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/baseline"
	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/rules"
)

// judge runs the rules over one target and puts what they say into the result.
func judge(r *result.Result, o Options, l *looked) {
	out := result.Target{Name: l.name, Dump: l.dump, NotCovered: []string{}, Programs: []result.Program{}}
	r.Problems = append(r.Problems, l.problems...)
	if l.report != nil {
		from := len(r.Findings)
		for _, c := range run(o, l, l.asTarget(o)) {
			collect(r, &out, l, c)
		}
		if fresh := r.Findings[from:]; len(fresh) > 0 {
			settle(fresh, demands(o, l))
		}
		describe(&out, l)
	}
	r.Targets = append(r.Targets, out)
}

// asTarget is the target as rules see it.
func (l *looked) asTarget(o Options) *rules.Target {
	return &rules.Target{Name: l.name, Dump: l.dump, Report: l.report, Base: l.base, Programs: l.programs, Accept: howToAccept(BaselineOf(o))}
}

// run gives every rule what it covers, the integrity rules first.
func run(o Options, l *looked, t *rules.Target) []*rules.Context {
	var done []*rules.Context
	for _, s := range append(integrity(o.Config.Rules), o.Config.Rules...) {
		if s.Level == "off" {
			continue
		}
		c := rules.NewContext(s, t, needsBaseline(o, l))
		apply(c, l.name)
		done = append(done, c)
	}
	return done
}

// apply runs one rule over what it covers.
func apply(c *rules.Context, target string) {
	if c.Rule.Target != nil && c.Covers(target, "*") {
		c.Rule.Target(c, c.Target)
	}
	if c.Rule.Program == nil {
		return
	}
	for _, p := range c.Target.Programs {
		if c.Covers(target, p.Name) {
			c.Rule.Program(c, p)
		}
	}
}

// integrity lists the rules that are on without being named, unless the configuration names them itself.
func integrity(named []*rules.Settings) []*rules.Settings {
	var out []*rules.Settings
	for _, rule := range rules.All() {
		if rule.Always && !slices.ContainsFunc(named, func(s *rules.Settings) bool { return s.Rule == rule }) {
			out = append(out, &rules.Settings{Rule: rule, Pack: "integrity"})
		}
	}
	return out
}

// needsBaseline reports whether some rule compares a program with its baseline. Of one that could not be read that was said already.
func needsBaseline(o Options, l *looked) func(program string) bool {
	return func(program string) bool {
		return !l.baseUnread && slices.ContainsFunc(o.Config.Rules, func(s *rules.Settings) bool {
			return s.Level != "off" && s.NeedsBaseline() && s.Covers(l.name, program)
		})
	}
}

// collect completes what a rule said.
func collect(r *result.Result, out *result.Target, l *looked, c *rules.Context) {
	r.Summary.Checks += c.Checks
	for _, f := range c.Findings {
		complete(&f, l, c.Settings)
		f.ID = unique(r, f)
		r.Findings = append(r.Findings, f)
	}
	for _, p := range c.Problems {
		p.Target = l.name
		if !slices.Contains(r.Problems, p) {
			r.Problems = append(r.Problems, p)
		}
	}
	for _, n := range c.Notes {
		n.Target = l.name
		r.Notes = append(r.Notes, n)
	}
	for _, h := range c.Headroom {
		h.Target = l.name
		r.Headroom = append(r.Headroom, h)
	}
	for _, n := range c.NotCovered {
		if !slices.Contains(out.NotCovered, n) {
			out.NotCovered = append(out.NotCovered, n)
		}
	}
}

func complete(f *result.Finding, l *looked, s *rules.Settings) {
	f.Rule, f.Target, f.Name, f.Reason = s.Rule.ID, l.name, s.Name, s.Reason
	if f.Level == "" {
		f.Level = s.Severity()
	}
}

// unique is the finding's id: the first 12 hex digits of a hash of rule, target, program and subject. Variants of one program,
// and entries of one rule that look at the same thing, are told apart by what they are.
func unique(r *result.Result, f result.Finding) string {
	for n := 0; ; n++ {
		subject := f.Subject
		if n > 0 {
			subject = fmt.Sprintf("%s\x00%s\x00%s\x00%d", f.Subject, f.Variant, f.Name, n)
		}
		sum := sha256.Sum256([]byte(f.Rule + "\x00" + f.Target + "\x00" + f.Program + "\x00" + subject))
		id := hex.EncodeToString(sum[:])[:12]
		if !slices.ContainsFunc(r.Findings, func(g result.Finding) bool { return g.ID == id }) {
			return id
		}
	}
}

// acceptLine is what to type when the finding is intended, with the places that ask for something else whatever was accepted.
func acceptLine(f *result.Finding) string {
	line := fmt.Sprintf("xlagate accept --only %s --reason \"…\"", f.ID)
	if places := f.Asked(); len(places) > 0 {
		line += ", and change the rule at " + strings.Join(places, ", ")
	}
	return line
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
	out := result.Program{Name: p.Name, Change: p.Change, Variants: []result.Variant{}}
	if l.base == nil {
		out.Change = "unbased"
	}
	if p.New != nil && p.Parts == nil {
		out.Accept = string(baseline.Format(l.name, &baseline.Program{Program: *p.New, Toolchain: l.report.Toolchain}))
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
