package rules

import (
	"fmt"
	"strings"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/rule"
)

var unusedParameters = rule.Rule{
	ID:    "unused-parameters",
	Title: "every argument is used",
	Why:   "A program that ignores an argument does not compute what it seems to: a trace that folded its inputs away is fast, small, and wrong.",
	Options: []rule.Option{
		{Key: "allow", Type: rule.Globs, Empty: true, Doc: "arguments that may be unused"},
		{Key: "min_bytes", Type: rule.Size, Default: 0.0, Doc: "ignore smaller arguments"},
	},
	Budget:  &rule.Metric{Noun: "unused arguments", Better: rule.Lower},
	Forbids: true,
	Fails:   rule.Example{On: "cpu-constant_baked/after", Config: "- { rule: unused-parameters }", Says: "1 argument is never read: w"},
	Passes:  rule.Example{On: "cpu-constant_baked/before", Config: "- { rule: unused-parameters }"},
	Fix:     "Use the argument or remove it; look for a value that was closed over, or computed in Python, instead of being passed.",
	Threads: []string{"jobovy/galpy#1310"},
	Variant: func(c *rule.Context, v *changes.Variant) {
		names := unusedArguments(c, v.New)
		a := c.Count("unused arguments", func(v *facts.Variant) float64 { return float64(len(unusedArguments(c, v))) })
		if f := c.Judge(a); f != nil {
			f.Message = fmt.Sprintf("%s never read: %s", phrase.Are(len(names), "argument"), strings.Join(phrase.First(names, 6), ", "))
			f.Cause = &changes.Cause{Title: "no instruction reads " + names[0], Source: v.New.FirstSource()}
		}
	},
}

func unusedArguments(c *rule.Context, v *facts.Variant) []string {
	var names []string
	for i := range v.Params {
		if p := &v.Params[i]; p.Unused && hasMinBytes(c, p.Bytes) && !phrase.AnyGlob(c.List("allow"), p.Name) {
			names = append(names, p.Name)
		}
	}
	return names
}
