package rules

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
)

var assert = rule.Rule{
	ID:    "assert",
	Title: "a custom expression holds",
	Why:   "An expression over the facts of a program and its baseline says what a team has agreed on. It is written in CEL and bounded in cost.",
	Options: []rule.Option{
		{Key: "expr", Type: rule.Expr, Require: true, Doc: "over facts and base, true when all is well; write a name that is not an identifier as facts.custom_calls[\"TopK\"]"},
	},
	Fails: rule.Example{On: "gpu-softmax_barrier/after", Config: "- { rule: assert, name: mostly-fused, expr: \"facts.kernels.total <= base.kernels.total + 2\" }",
		Says: "mostly-fused does not hold: facts.kernels.total is 4, base.kernels.total is 1"},
	Passes: rule.Example{On: "gpu-softmax_barrier/after", Config: "- { rule: assert, name: mostly-fused, expr: \"facts.fusions.total >= 0.8 * facts.kernels.total\" }"},
	Fix:    "The finding lists the values that the expression read. Fix what moved them, or the expression.",
	Variant: func(c *rule.Context, v *changes.Variant) {
		e, err := rule.CompileExpression(c.Text("expr"))
		if err != nil {
			c.Problems = append(c.Problems, result.Problem{Rule: c.Rule.ID, File: c.Place, Message: err.Error(), Fix: "fix the expression"})
			return
		}
		name := cmp.Or(c.Name, c.Text("expr"))
		if e.ReadsBaseline && v.Old == nil {
			c.Problems = append(c.Problems, result.Problem{
				Rule: c.Rule.ID, File: c.Target.Dump, Fix: c.Target.Accept, Message: fmt.Sprintf("%s reads the baseline, and %s has none", name, c.Program.Name),
			})
			return
		}
		c.Checked()
		var old facts.Values
		if v.Old != nil {
			old = v.Old.Facts
		}
		holds, err := e.Holds(v.New.Facts, old)
		if err != nil {
			c.Problems = append(c.Problems, result.Problem{
				Rule: c.Rule.ID, File: c.Place, Fix: "dump what the fact is read from, or take it out of the expression; `xlagate inspect DUMP` lists the facts",
				Message: fmt.Sprintf("%s could not be evaluated for %s: %v", name, c.Program.Name, err),
			})
			return
		}
		if holds {
			return
		}
		f := c.Find(result.Finding{
			Subject: name,
			Message: fmt.Sprintf("%s does not hold: %s", name, strings.Join(e.Values(v.New.Facts, old), ", ")),
		})
		f.Cause, f.Evidence = v.Growth(facts.AnyKernel)
		if accepted, err := e.Holds(v.New.Facts, v.New.Facts); err == nil && !accepted {
			f.Bound = &result.Bound{Key: "expr"}
		}
	},
}
