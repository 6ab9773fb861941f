package rules

import (
	"fmt"
	"strings"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/explain"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/glob"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/words"
)

var unusedParameters = Rule{
	ID:       "unused-parameters",
	Title:    "every argument is read",
	Category: Integrity,
	Why: "A program that ignores an argument computes something else than it seems to: a trace that folded its inputs away is fast, small, and wrong. A batch that " +
		"is transferred and not read is paid for all the same.",
	Reads: []Input{Optimized},
	Options: []Option{
		{Key: "allow", Type: Globs, Sense: Caps, Empty: true, Doc: "arguments that need not be read"},
		{Key: "min_bytes", Type: Size, Sense: Narrows, Default: 0.0, Doc: "smaller arguments do not matter"},
	},
	Budget:  &Metric{Noun: "unused arguments", Better: Lower},
	Forbids: true,
	Fails:   Example{On: "cpu-constant_baked/after", Config: "- { rule: unused-parameters }", Says: "1 argument is never read: w"},
	Passes:  Example{On: "cpu-constant_baked/before", Config: "- { rule: unused-parameters }"},
	Mend:    "Use the argument or take it out of the function; look for a value that was closed over, or computed in Python, instead of being passed.",
	Threads: []string{"jobovy/galpy#1310"},
	Since:   "1",
	Accepts: []string{"params"},
	Program: checkUnusedParameters,
}

func checkUnusedParameters(c *Context, p *diff.Program) {
	for _, v := range live(p) {
		names := c.unused(v.New)
		a := Amount{Program: p, Variant: v, Subject: "unused arguments", Noun: "unused arguments", Actual: float64(len(names))}
		if v.Old != nil {
			a.Base = new(float64(len(c.unused(v.Old))))
		}
		a.Tell = func(f result.Finding) []result.Finding {
			f.Message = fmt.Sprintf("%s never read: %s", words.Are(len(names), "argument"), strings.Join(words.First(names, 6), ", "))
			f.Cause = &result.Cause{Summary: "no instruction reads " + names[0], Source: explain.SourceOf(firstSource(v.New))}
			return []result.Finding{f}
		}
		c.Forbid(a)
	}
}

func (c *Context) unused(v *facts.Variant) []string {
	least, _ := c.Number("min_bytes")
	var names []string
	for i := range v.Params {
		if p := &v.Params[i]; p.Unused && float64(p.Bytes) >= least && !glob.Any(c.List("allow"), p.Name) {
			names = append(names, p.Name)
		}
	}
	return names
}
