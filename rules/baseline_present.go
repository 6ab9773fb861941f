package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/diff"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
)

var baselinePresent = rule.Rule{
	ID: "baseline-present", Title: "every program has a baseline, accepted for the arguments it takes", Category: rule.Integrity, Always: true, Since: "1",
	Why: "A program that was never accepted has nothing to be compared with; one whose arguments changed is another program. Both need a person " +
		"to say once that what is there now is wanted.",
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
			Message: fmt.Sprintf("no baseline for target %s: the rules compare with what was accepted, and nothing was", c.Target.Name),
		})
	case p.Old == nil:
		c.Find(rule.Finding{Program: p.Name, Subject: "program", Message: unknownProgram(p), Cause: newcomer(c, p)})
	default:
		noteRenamed(c, p)
	}
}

// unknownProgram says that nothing is known of what a program may cost.
func unknownProgram(p *diff.Program) string {
	if p.Replaced == nil {
		return fmt.Sprintf("%s is new: no baseline says what it may cost", p.Name)
	}
	was, is := len(p.Replaced.Variants[0].Params), len(p.New.Variants[0].Params)
	return fmt.Sprintf("%s is another program than the accepted one of that name (%s, now %d): no baseline says what it may cost", p.Name, phrase.Some(was, "argument"), is)
}

// newcomer says where a program comes from that was not there before.
func newcomer(c *rule.Context, p *diff.Program) *diff.Cause {
	first := p.New.Variants[0]
	cut := cutText(first.Cut)
	if cause := tracedAgain(c, p); cause != nil {
		return cause
	}
	if cut == "" {
		return &diff.Cause{Title: "a program that was not there before", Source: first.FirstSource()}
	}
	cause := &diff.Cause{Title: "a graph that was not there before: PyTorch/XLA compiled it " + cut, Source: first.Cut.Where}
	if other := besides(c, p); other != "" {
		cause.Title += ", as it does " + other + ": what runs before is not always the same"
	}
	return cause
}

// tracedAgain says of a new cluster that another one does the same for arguments of other sizes: TensorFlow traces a function for each of
// them, and numbers its clusters on.
func tracedAgain(c *rule.Context, p *diff.Program) *diff.Cause {
	for _, other := range c.Target.Programs {
		if other.New == nil || other.Old == nil {
			continue
		}
		if sizes := sameForOtherSizes(other.New, p.New); sizes != nil {
			said := fmt.Sprintf("it does what %s does, for other sizes: %s; the function was traced again", other.Name, strings.Join(phrase.First(sizes, 3), "; "))
			return &diff.Cause{Title: said, Source: p.New.Variants[0].FirstSource()}
		}
	}
	return nil
}

// sameForOtherSizes lists the sizes of arguments in which two clusters differ that do the same; nil where they do not.
func sameForOtherSizes(a, b *facts.Program) []string {
	if a == b || !a.IsCluster() || !b.IsCluster() || len(a.Variants) == 0 || len(b.Variants) == 0 {
		return nil
	}
	was, is := a.Variants[0], b.Variants[0]
	if was.Facts[facts.InstructionsBefore] != is.Facts[facts.InstructionsBefore] || was.Facts[facts.KernelsTotal] != is.Facts[facts.KernelsTotal] {
		return nil
	}
	two := &diff.Program{New: &facts.Program{Variants: []*facts.Variant{was, is}}}
	two.Recompile = diff.Explain(two.New)
	if slices.ContainsFunc(two.Recompile, func(a diff.ArgumentChange) bool { return a.Kind != "shape" }) {
		return nil
	}
	return two.Differences()
}

// noteRenamed says under which name a program was accepted, where that is another one. Clusters are numbered, not named.
func noteRenamed(c *rule.Context, p *diff.Program) {
	if p.Was != "" && !p.New.IsCluster() {
		c.Notes = append(c.Notes, result.Note{Kind: "renamed", Program: p.Name, Message: "it was accepted as " + p.Was, Fix: "xlagate accept --reason \"…\""})
	}
}
