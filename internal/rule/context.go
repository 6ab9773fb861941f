package rule

import (
	"fmt"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/result"
)

// Context is what a rule is given and where it reports. One goroutine uses it.
type Context struct {
	*Settings
	*Report
	Target *Target
	Needed func(program string) bool // reports whether some rule compares that program with its baseline
}

// NewContext gives a rule's settings a target to look at.
func NewContext(s *Settings, t *Target, needed func(program string) bool) *Context {
	return &Context{Settings: s, Report: &Report{}, Target: t, Needed: needed}
}

// With returns a context with changed settings that reports to the same place.
func (c *Context) With(change func(*Settings)) *Context {
	settings := *c.Settings
	change(&settings)
	return &Context{Settings: &settings, Target: c.Target, Needed: c.Needed, Report: c.Report}
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

// Finding is one limit that is broken.
type Finding struct {
	Program  string
	Variant  string // its signature; "" for the program as a whole
	Subject  string // what the rule looked at: a fact, a fusion's name, a parameter
	Level    string // "": what the settings say
	Message  string
	Actual   any
	Limit    any
	Baseline any
	Unit     string        // "bytes" or ""
	Drift    bool          // only the comparison with the baseline found it
	Bound    *result.Bound // the limit that is still broken after the finding is accepted; nil where accepting settles it
	Cause    *diff.Cause
	Evidence result.Evidence
}

// Find records a finding and returns it, to be completed. The gate adds id, target, level and what the settings say.
func (c *Context) Find(f Finding) *Finding {
	c.Findings = append(c.Findings, &f)
	return &f
}

// Split replaces a recorded finding by one for each thing that it is about.
func (c *Context) Split(f *Finding, each []Finding) {
	c.Findings = slices.DeleteFunc(c.Findings, func(other *Finding) bool { return other == f })
	for _, one := range each {
		one.Drift, one.Bound = f.Drift, f.Bound
		c.Find(one)
	}
}

// Checked counts one thing that was looked at.
func (c *Context) Checked() { c.Checks++ }

// Uncovered reports that an input was not dumped. See Gap.
func (c *Context) Uncovered(program string, in Input, fix string) {
	what := fmt.Sprintf("%s could not look: %s was not dumped", c.Rule.ID, in)
	switch in {
	case Graphs, Metrics:
		what = fmt.Sprintf("%s could not look: the dump holds no %s", c.Rule.ID, in)
	case Log:
		what = fmt.Sprintf("%s could not look: there is no compile log", c.Rule.ID)
	}
	if program != "" {
		what = fmt.Sprintf("%s (program %s)", what, program)
	}
	noun := strings.TrimPrefix(strings.TrimPrefix(string(in), "the "), "a ")
	c.Gap(fmt.Sprintf("%s (the dump holds no %s)", c.Rule.ID, noun), result.Problem{Message: what, Fix: fix})
}

// Gap reports what the rule could not look at: a problem where the user's own file names the rule, a note where a pack does.
func (c *Context) Gap(note string, p result.Problem) {
	if c.Pack != "" {
		c.NotCovered = append(c.NotCovered, note)
		return
	}
	p.Rule, p.File = c.Rule.ID, c.Target.Dump
	c.Problems = append(c.Problems, p)
}

// DumpFix says what to do about an input that was not dumped.
const DumpFix = "dump it: xlagate capture --to DIR -- COMMAND sets the flags"

// VariantName is how findings call a variant: its signature.
func VariantName(v *diff.Variant) string {
	if v == nil || v.New == nil {
		return ""
	}
	return v.New.Signature
}

// Live lists the variants that the dump holds.
func Live(p *diff.Program) []*diff.Variant {
	var out []*diff.Variant
	for _, v := range p.Variants {
		if v.New != nil {
			out = append(out, v)
		}
	}
	return out
}
