package rule

import (
	"fmt"
	"strings"

	"github.com/xlagate/xlagate/internal/diff"

	"github.com/xlagate/xlagate/internal/result"
)

// Context is what a rule is given and what it says back. It is used by one goroutine.
type Context struct {
	*Settings
	*Said
	Target *Target
	Needed func(program string) bool // whether some rule compares that program with its baseline
}

// NewContext gives a rule's settings a target to look at.
func NewContext(s *Settings, t *Target, needed func(program string) bool) *Context {
	return &Context{Settings: s, Said: &Said{}, Target: t, Needed: needed}
}

// Said is what a rule has to say.
type Said struct {
	Checks   int
	Findings []Finding
	Problems []result.Problem
	Notes    []result.Note
	Headroom []result.Headroom
	// NotCovered lists what a rule from a pack found no input for.
	NotCovered []string

	improved map[betterOf]*improvement
}

// Finding is one limit that was broken, as a rule says it.
type Finding struct {
	Program  string
	Variant  string // its signature; "" for the program as a whole
	Subject  string // what the rule looked at: a fact, a fusion's name, a parameter
	Level    string // "": what the settings say
	Message  string
	Actual   any
	Limit    any
	Baseline any
	Unit     string // "bytes" or ""
	Drift    bool   // found only by comparing with the baseline: no limit of its own was broken
	Cause    *diff.Cause
	Evidence result.Evidence
}

// Find reports a finding. The gate fills in id, target, level and what the settings say.
func (c *Context) Find(f Finding) {
	c.Findings = append(c.Findings, f)
}

// Checked counts one thing that was looked at.
func (c *Context) Checked() { c.Checks++ }

// Uncovered says that an input was not dumped: for a rule that the user names this is a failure to look, for one from a pack it
// is listed.
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
	c.Gap(fmt.Sprintf("%s (the dump holds no %s)", c.Rule.ID, trimArticle(in)), result.Problem{Message: what, Fix: fix})
}

// Gap lists what a rule from a pack could not look at; for a rule that the user names it is a failure to look.
func (c *Context) Gap(note string, p result.Problem) {
	if c.Pack != "" {
		c.NotCovered = append(c.NotCovered, note)
		return
	}
	p.Rule, p.File = c.Rule.ID, c.Target.Dump
	c.Problems = append(c.Problems, p)
}

func trimArticle(in Input) string {
	return strings.TrimPrefix(strings.TrimPrefix(string(in), "the "), "a ")
}

// VariantName is how findings call a variant: its signature.
func VariantName(v *diff.Variant) string {
	if v == nil || v.New == nil {
		return ""
	}
	return v.New.Signature
}

// Live yields the variants that the dump holds.
func Live(p *diff.Program) []*diff.Variant {
	var out []*diff.Variant
	for _, v := range p.Variants {
		if v.New != nil {
			out = append(out, v)
		}
	}
	return out
}
