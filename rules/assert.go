package rules

import (
	"fmt"
	"strings"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/explain"
	"github.com/xlagate/xlagate/internal/expr"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/ledger"
	"github.com/xlagate/xlagate/internal/result"
)

var assert = Rule{
	ID:       "assert",
	Title:    "an expression of one's own holds",
	Category: Custom,
	Why: "No catalogue has every rule. An expression over the facts of a program and its baseline says what a team has agreed on. It is written in CEL, " +
		"checked when the configuration is read, and bounded in cost.",
	Reads: []Input{Optimized},
	Options: []Option{
		{Key: "expr", Type: Expr, Sense: Neither, Require: true, Doc: "a CEL expression over facts and base, true when all is well; a name that is no word is written facts.custom_calls[\"TopK\"]"},
	},
	Fails:   Example{On: "gpu-softmax_barrier/after", Config: "- { rule: assert, name: mostly-fused, expr: \"facts.kernels.total <= base.kernels.total + 2\" }", Says: "mostly-fused does not hold: facts.kernels.total is 4, base.kernels.total is 1"},
	Passes:  Example{On: "gpu-softmax_barrier/after", Config: "- { rule: assert, name: mostly-fused, expr: \"facts.fusions.total >= 0.8 * facts.kernels.total\" }"},
	Mend:    "The finding lists the values that the expression read: mend what moved them, or the expression.",
	Since:   "1",
	Accepts: []string{"*", "ledger"},
	Program: checkAssert,
}

func checkAssert(c *Context, p *diff.Program) {
	e, err := expr.Compile(c.Text("expr"))
	if err != nil {
		c.Problems = append(c.Problems, result.Problem{Rule: c.Rule.ID, File: c.Place, Message: err.Error(), Mend: "mend the expression"})
		return
	}
	for _, v := range live(p) {
		if e.ReadsBaseline && v.Old == nil {
			c.Problems = append(c.Problems, result.Problem{
				Rule: c.Rule.ID, File: c.Target.Dump, Mend: c.Target.Accept,
				Message: fmt.Sprintf("%s reads the baseline, and %s has none", c.assertName(), p.Name),
			})
			continue
		}
		c.Checked()
		c.evaluate(e, p, v)
	}
}

func (c *Context) assertName() string {
	if c.Name != "" {
		return c.Name
	}
	return c.Text("expr")
}

func (c *Context) evaluate(e *expr.Expression, p *diff.Program, v *diff.Variant) {
	var old facts.Numbers
	if v.Old != nil {
		old = v.Old.Facts
	}
	holds, err := e.Holds(v.New.Facts, old)
	if err != nil {
		c.Problems = append(c.Problems, result.Problem{
			Rule: c.Rule.ID, File: c.Place, Mend: "dump what the fact is read from, or take it out of the expression; `xlagate inspect` lists the facts",
			Message: fmt.Sprintf("%s could not be judged for %s: %v", c.assertName(), p.Name, err),
		})
		return
	}
	if holds {
		return
	}
	f := result.Finding{
		Program: p.Name, Variant: variantName(v), Subject: c.assertName(),
		Message: fmt.Sprintf("%s does not hold: %s", c.assertName(), strings.Join(e.Values(v.New.Facts, old), ", ")),
	}
	f.Cause, f.Evidence = explain.Growth(v, ledger.Any)
	c.Find(f)
}
