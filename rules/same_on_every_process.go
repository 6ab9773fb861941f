package rules

import (
	"fmt"
	"strings"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
)

var sameOnEveryProcess = rule.Rule{
	ID:    "same-on-every-process",
	Title: "all processes of a run compile the same program",
	Why: "The devices of all processes run one program together. Where a process compiled another one, or runs its collectives in another order, the devices wait for " +
		"each other for ever, and no error says so.",
	Needs:        facts.KernelsTotal,
	Unacceptable: true,
	Fails: rule.Example{On: "process-seed", Config: "- { rule: same-on-every-process }",
		Says: "host0 and host1 compile different programs for the same arguments: only host1 has f32[128,64] multiply"},
	Passes: rule.Example{On: "process-same", Config: "- { rule: same-on-every-process }"},
	Fix: "Compute what differs from process to process (a seed, jax.process_index(), the order of a set) outside of the jitted function, and pass it as an array. " +
		"If the folders hold different runs, not the processes of one, give each a target of its own.",
	Threads: []string{"marin-community/marin#9042", "marin-community/marin#9038", "openxla/xla#7716", "jax-ml/jax#13325"},
	Program: func(c *rule.Context, p *changes.Program) {
		if p.New == nil || c.Target.Report.Samples > 0 {
			return // samples are processes, too, but of different runs: stable-compile compares them
		}
		c.Checked()
		for _, d := range p.New.Disagreements() {
			f := c.Find(result.Finding{Subject: "processes", Variant: d.Signature, Message: disagreement(d)})
			f.Cause = &changes.Cause{Title: f.Message}
			for _, v := range d.Variants {
				if v != nil {
					f.Cause.Source = v.FirstSource()
				}
			}
			for side, op := range d.Differ {
				if op != nil {
					f.Cause.Source, f.Cause.OpName = op.Source, op.OpName
					f.Evidence.After = append(f.Evidence.After, strings.TrimSpace(d.Processes[side]+": "+spelled(op)+" "+op.OpName))
				}
			}
		}
	},
}

// disagreement says who compiled what: the first operation that only one of them has, or the first collective that is not the same.
func disagreement(d facts.Disagreement) string {
	a, b := d.Differ[0], d.Differ[1]
	switch first, other := d.Processes[0], d.Processes[1]; {
	case d.Variants[0] == d.Variants[1] && a != nil && b != nil:
		return fmt.Sprintf("the devices wait for each other: %s runs %s where %s runs %s", first, spelled(a), other, spelled(b))
	case d.Variants[1] == nil:
		return fmt.Sprintf("%s compiles a program for the same arguments that %s does not compile", first, other)
	case d.Variants[0] == nil:
		return fmt.Sprintf("%s compiles a program for the same arguments that %s does not compile", other, first)
	case a == nil && b == nil:
		return fmt.Sprintf("%s and %s compile different programs for the same arguments", first, other)
	case b == nil:
		return fmt.Sprintf("%s and %s compile different programs for the same arguments: only %s has %s", first, other, first, spelled(a))
	default:
		return fmt.Sprintf("%s and %s compile different programs for the same arguments: only %s has %s", first, other, other, spelled(b))
	}
}

// spelled is an operation as HLO prints it, without its operands.
func spelled(op *facts.Op) string {
	return strings.TrimSpace(op.Shape + " " + op.Opcode + " " + op.Attrs)
}
