package rules

import (
	"fmt"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
)

var baselinePresent = rule.Rule{
	ID: "baseline-present", Title: "every program has a baseline that was accepted for its arguments", Category: rule.Integrity, Always: true,
	Why: "A program that was never accepted has nothing to compare with, and one whose arguments changed is another program. In both cases a person " +
		"has to say once that the present state is intended.",
	Reads:   []rule.Input{rule.Optimized},
	Fails:   rule.Example{On: "cpu-improved/after", Base: "cpu-donation_lost/before", Config: "version: 1\nextends: [recommended]\ntargets:\n  - { name: model, dump: build/xla }", Says: "scale is new: no baseline says what it may cost"},
	Passes:  rule.Example{On: "cpu-improved/after", Config: "version: 1\nextends: [recommended]\ntargets:\n  - { name: model, dump: build/xla }"},
	Fix:     "Accept it: xlagate accept --only ID --reason \"…\".",
	Accepts: []string{"*", "ledger", "variants"},
	Program: checkBaselinePresent,
}

func checkBaselinePresent(c *rule.Context, p *diff.Program) {
	if p.New == nil || !c.Needed(p.Name) {
		return
	}
	c.Checked()
	switch {
	case c.Target.Base == nil:
		c.Problems = append(c.Problems, result.Problem{
			Rule: c.Rule.ID, File: c.Target.Dump, Fix: c.Target.Accept,
			Message: fmt.Sprintf("no baseline for target %s: nothing was accepted yet, so there is nothing to compare with", c.Target.Name),
		})
	case p.Old == nil:
		c.Find(rule.Finding{Program: p.Name, Subject: "program", Message: unknownProgram(p), Cause: diff.Newcomer(c.Target.Programs, p)})
	default:
		noteRenamed(c, p)
	}
}

// unknownProgram says that nothing is known of what a program may cost.
func unknownProgram(p *diff.Program) string {
	if p.Replaced != nil {
		return p.Name + " is another program than the accepted one of that name: no baseline says what it may cost"
	}
	return p.Name + " is new: no baseline says what it may cost"
}

// noteRenamed says under which name a program was accepted, where that is another one. Clusters are numbered, not named.
func noteRenamed(c *rule.Context, p *diff.Program) {
	if p.Was != "" && !p.New.IsCluster() {
		c.Notes = append(c.Notes, result.Note{Kind: "renamed", Program: p.Name, Message: "it was accepted as " + p.Was, Fix: "xlagate accept --reason \"…\""})
	}
}
