package rules

import (
	"fmt"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/rule"
	"github.com/xlagate/xlagate/internal/tensorflow"
)

var maxCompilations = rule.Rule{
	ID:    "max-compilations",
	Title: "no more compilations in a run than before",
	Why: "Every compilation stops the device for seconds to minutes. Unlike no-recompilation, this rule counts also equal ones, of one program or of " +
		"the whole run, and trusts a log that lists more than the dump holds.",
	Options: []rule.Option{
		{Key: "per", Type: rule.Word, Enum: []string{"program", "target"}, Default: "program", Doc: "bound each program by itself, or all programs together"},
	},
	Budget:  &rule.Metric{Noun: "compilations", Better: rule.Lower},
	Fails:   rule.Example{On: "recompile-jit_in_loop", Config: "- { rule: max-compilations, max: 1 }", Says: "4 compilations: at most 1 allowed"},
	Passes:  rule.Example{On: "recompile-jit_in_loop_fixed", Config: "- { rule: max-compilations, max: 1 }"},
	Fix:     "Create the jitted function once, outside of the loop; pad or bucket shapes; warm up before serving.",
	Threads: []string{"jax-ml/jax#4255", "jax-ml/jax#31319", "pytorch/xla#2511", "pytorch/xla#4741", "vllm-project/vllm#14580"},
	Target: func(c *rule.Context, t *rule.Target) {
		total := c.Budget("compilations", 0)
		var most *changes.Program
		was := 0.0
		for _, p := range t.Programs {
			if p.New == nil || !c.Covers(t.Name, p.Name) {
				continue
			}
			a := compiled(c, p)
			if c.Text("per") == "program" {
				if f := c.At(p, nil).Judge(a); f != nil {
					f.Cause = p.CompiledAgain(c.Target.Report.Logs)
				}
				continue
			}
			total.Actual += a.Actual
			if a.Base != nil {
				was += *a.Base
			}
			if most == nil || a.Actual > compiled(c, most).Actual {
				most = p
			}
		}
		if c.Text("per") == "target" && most != nil {
			if t.Base != nil {
				total.Base = &was
			}
			if f := c.Judge(total); f != nil {
				f.Cause = &changes.Cause{Kind: changes.KindArguments, Title: fmt.Sprintf("most of them are of %s: %v", most.Name, compiled(c, most).Actual)}
			}
		}
	},
}

// compiled counts the compilations of a program: the modules in the dump, or those that a log saw where they are more.
func compiled(c *rule.Context, p *changes.Program) rule.Amount {
	a := c.Budget("compilations", float64(p.New.Compilations()))
	if logs := c.Target.Report.Logs; logs != nil {
		a.Actual += float64(max(0, logs.Compiles[facts.PlainName(p.Name)]-dumped(c.Target, facts.PlainName(p.Name))))
	}
	if p.Old != nil {
		a.Base = new(float64(p.Old.Compilations()))
	}
	return a
}

// dumped counts the modules in the dump of what a log calls by a program's name. A log knows no class of a method and no number; PyTorch/XLA's
// counts graphs with names among the nameless.
func dumped(t *rule.Target, name string) int {
	n := 0
	for _, p := range t.Programs {
		if p.New != nil && (facts.PlainName(p.Name) == name || name == tensorflow.NamelessGraph) {
			n += p.New.Compilations()
		}
	}
	return n
}
