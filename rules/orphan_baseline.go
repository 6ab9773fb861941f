package rules

import (
	"fmt"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/rule"
)

var orphanBaseline = rule.Rule{
	ID: "orphan-baseline", Title: "every accepted program is still compiled", Category: rule.Integrity, Always: true,
	Why: "A baseline without its program is a check that no longer runs, and nobody notices. Clusters of TensorFlow that merged or split are " +
		"not gone: they are compared as a whole.",
	Reads:   []rule.Input{rule.Baseline},
	Fails:   rule.Example{On: "cpu-improved/after", Base: "cpu-donation_lost/before", Config: "version: 1\nextends: [recommended]\ntargets:\n  - { name: model, dump: build/xla }", Says: "train_step was accepted, but this dump does not hold it"},
	Passes:  rule.Example{On: "cpu-improved/after", Config: "version: 1\nextends: [recommended]\ntargets:\n  - { name: model, dump: build/xla }"},
	Fix:     "Make the run compile it, or accept that it is gone. One that programs.include or programs.exclude leaves out: xlagate baseline prune.",
	Threads: []string{"jestjs/jest#12564", "shakacode/react_on_rails#3829"},
	Accepts: []string{"program"},
	Program: func(c *rule.Context, p *diff.Program) {
		c.Checked()
		if p.New == nil && p.Old != nil {
			c.Find(rule.Finding{Program: p.Name, Subject: "program", Message: fmt.Sprintf("%s was accepted, but %s", p.Name, whyGone(c, p))})
		}
	},
}

// whyGone says why an accepted program is not looked at.
func whyGone(c *rule.Context, p *diff.Program) string {
	if key := c.Target.LeftOutBy(p.Name); key != "" {
		return key + " leaves it out now; where that is meant: xlagate baseline prune"
	}
	return "this dump does not hold it" + mayBeMeant(c, p)
}

// mayBeMeant says what may be good about a graph or cluster, which has no name of its own, that is gone.
func mayBeMeant(c *rule.Context, p *diff.Program) string {
	if len(p.Old.Variants) == 0 {
		return ""
	}
	if _, ok := facts.NumberedGraph(p.Name); ok {
		return fmt.Sprintf(": a graph of %s; if the run is to make one less, accept that", phrase.Counted(p.Old.Variants[0].Facts[facts.KernelsTotal], "", "kernels"))
	}
	for _, other := range c.Target.Programs {
		if other.New != nil && other.Old != nil && diff.SameForOtherSizes(other.Old, p.Old) != nil {
			return fmt.Sprintf(": it did what %s does, for other sizes; if the function is traced once less, accept that", other.Name)
		}
	}
	return ""
}
