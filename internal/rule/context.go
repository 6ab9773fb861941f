package rule

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/result"
)

// Context is what a rule is given and where it reports. One goroutine uses it.
type Context struct {
	*Settings
	*Report
	Target  *Target
	Program *changes.Program          // nil while the rule looks at the target as a whole
	Variant *changes.Variant          // nil while it looks at a program as a whole
	Needed  func(program string) bool // reports whether some rule compares that program with its baseline
}

// NewContext gives a rule's settings a target to look at.
func NewContext(s *Settings, t *Target, needed func(program string) bool) *Context {
	return &Context{Settings: s, Report: &Report{}, Target: t, Needed: needed}
}

// With returns a context with changed settings that reports to the same place.
func (c *Context) With(change func(*Settings)) *Context {
	settings, changed := *c.Settings, *c
	change(&settings)
	changed.Settings = &settings
	return &changed
}

// At returns a context for a program of the target, or for one of its variants, that reports to the same place.
func (c *Context) At(p *changes.Program, v *changes.Variant) *Context {
	at := *c
	at.Program, at.Variant = p, v
	return &at
}

// Run runs the rule over the programs that it covers.
func (c *Context) Run(programs []*changes.Program) {
	r := c.Rule
	if r.Target != nil && c.Covers(c.Target.Name, "*") {
		r.Target(c, c.Target)
	}
	for _, p := range programs {
		c.runProgram(p)
	}
	if len(programs) > 0 { // a limit on a selected part of the model that none of the programs has holds whatever is compiled
		c.noteEmpty(programs, c.value, "op_name", "source", "function")
		if len(c.Findings)+len(c.Problems) > 0 {
			return
		}
		for _, o := range c.Rule.Options { // a function that is named in a table may be one that must not be called
			for _, e := range c.Entries(o.Key) {
				c.noteEmpty(programs, func(key string) any { return e.Values[key] }, "op_name", "source")
			}
		}
	}
}

// runProgram runs the rule over a program and its variants. If several programs are compared together, each of them is held to the limits for one program, and
// all together to the baseline.
func (c *Context) runProgram(p *changes.Program) {
	if p.Parts == nil || !c.AbsolutelyBounded() {
		c.on(p)
		return
	}
	if c.Compares() {
		c.With(func(s *Settings) { s.Limits = s.growth() }).on(p)
	}
	for _, part := range p.Singles() {
		c.With(func(s *Settings) { s.MaxIncrease, s.MaxDecrease = nil, nil }).on(part)
	}
}

func (c *Context) on(p *changes.Program) {
	if c.Rule.Program != nil {
		c.Rule.Program(c.At(p, nil), p)
	}
	for _, v := range p.Variants {
		if v.New != nil {
			c.At(p, v).runVariant()
		}
	}
}

// runVariant runs the rule over a variant that the dump holds, if what the rule needs was dumped.
func (c *Context) runVariant() {
	r := c.Rule
	if r.Needs != "" && !c.Variant.New.Facts.Known(r.Needs) {
		c.Uncovered(r.Reads[0], DumpFix)
		return
	}
	switch {
	case r.OnlyCompares() && c.Variant.Old == nil: // the rule baseline-present says that it has no baseline
	case r.Variant != nil:
		r.Variant(c, c.Variant)
	case r.Program == nil && r.Target == nil && r.Budget != nil:
		c.JudgeFact(*r.Budget)
	}
}

// programName is the name of the program, "" while the rule looks at the target as a whole.
func (c *Context) programName() string {
	if c.Program == nil {
		return ""
	}
	return c.Program.Name
}

// Report is what a rule reports.
type Report struct {
	Checks   int
	Findings []*Finding
	Problems []result.Problem
	Notes    []result.Note
	Headroom []result.Headroom
	// NotCovered lists what a rule from a pack found no input for.
	NotCovered []string

	improved map[improvementKey]*improvement
}

// Finding is one limit that is broken, with what the rule knows of the change behind it.
type Finding struct {
	result.Finding
	Drift    bool // only the comparison with the baseline found it
	Cause    *changes.Cause
	Evidence changes.Evidence
}

// Find records a finding and returns it, to be completed. It belongs to the program and the variant that the rule looks at, unless it names others.
// The gate adds id, target and what the settings say: the level, too, unless the finding has its own.
func (c *Context) Find(f result.Finding) *Finding { return c.record(Finding{Finding: f}) }

func (c *Context) record(f Finding) *Finding {
	f.Rule, f.Program = c.Rule.ID, cmp.Or(f.Program, c.programName())
	v := c.Variant
	if f.Variant != "" && c.Program != nil { // a rule of programs names it
		at := slices.IndexFunc(c.Program.Variants, func(v *changes.Variant) bool { return v.New != nil && v.New.Signature == f.Variant })
		if v = nil; at >= 0 {
			v = c.Program.Variants[at]
		}
	}
	if v != nil {
		f.Variant = v.New.Signature
		if v.Old != nil && v.Old.Signature != f.Variant {
			f.Was = v.Old.Signature
		}
	}
	c.Findings = append(c.Findings, &f)
	return &f
}

// Explain gives a finding, if there is one, the cause and the evidence that why returns for what was counted.
func Explain[T any](f *Finding, why func(T) (*changes.Cause, changes.Evidence), counted T) {
	if f != nil {
		f.Cause, f.Evidence = why(counted)
	}
}

// Split replaces a recorded finding, if there is one, by one finding for each thing that it is about. Each begins as a copy of the finding; complete says in it
// what is known of its thing.
func Split[T any](c *Context, f *Finding, about []T, complete func(*Finding, T)) {
	if f == nil {
		return
	}
	c.Findings = slices.DeleteFunc(c.Findings, func(other *Finding) bool { return other == f })
	for _, thing := range about {
		one := *f
		complete(&one, thing)
		one.Drift, one.Bound = f.Drift, f.Bound
		c.record(one)
	}
}

// Checked counts one thing that was checked.
func (c *Context) Checked() { c.Checks++ }

// Uncovered reports that an input was not dumped. See Gap. A pack says nothing of what another framework writes.
func (c *Context) Uncovered(in Input, fix string) {
	if writer := writtenBy[in]; c.Pack != "" && writer != "" {
		if now := c.Target.Report.Toolchain.Framework; now != "" && now != writer {
			return
		}
	}
	noun := strings.TrimPrefix(strings.TrimPrefix(string(in), "the "), "a ")
	c.Gap("the dump holds no "+noun, fix)
}

// Gap reports why the rule could not check: a problem where the user's own file names the rule, a note where a pack does.
func (c *Context) Gap(why, fix string) { c.gap(why, fix, false) }

// BaseGap is Gap for what the baseline lacks: accepting the dump settles it.
func (c *Context) BaseGap(why, fix string) { c.gap(why, fix, true) }

func (c *Context) gap(why, fix string, settled bool) {
	if c.Pack != "" {
		c.NotCovered = append(c.NotCovered, fmt.Sprintf("%s (%s)", c.Rule.ID, why))
		return
	}
	c.Unjudged(why, fix)
	c.Problems[len(c.Problems)-1].Settled = settled
}

// Unjudged reports why the rule could not check as a problem, even if a pack names the rule.
func (c *Context) Unjudged(why, fix string) {
	message := c.Rule.ID + " could not check"
	if c.Program != nil {
		message += " " + c.Program.Name
	}
	c.Problems = append(c.Problems, result.Problem{Rule: c.Rule.ID, File: c.Target.Dump, Message: message + ": " + why, Fix: fix})
}

// DumpFix says what to do about an input that was not dumped.
const DumpFix = "dump it: xlagate capture --to DIR -- COMMAND sets the flags"
