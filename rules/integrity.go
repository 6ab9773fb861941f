package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/explain"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/measure"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
	"github.com/xlagate/xlagate/internal/words"
)

// unlookable are the common keys that mean nothing where there was nothing to look at.
var unlookable = map[string]string{
	"level": "what could not be looked at is never green", "program": "it holds for all that was named", "target": "it holds for all that was named",
	"name": "it makes no findings", "reason": "it makes no findings",
}

var targetRan = rule.Rule{
	ID: "target-ran", Title: "every target was dumped and every named program is in it", Category: rule.Integrity, Always: true, Since: "1",
	Why:     "A gate that did not look must not be green: a suite that no longer runs would pass for ever.",
	Reads:   []rule.Input{rule.Optimized},
	Fails:   rule.Example{On: "gpu-softmax_barrier/before", Config: "version: 1\nextends: [recommended]\ntargets:\n  - name: model\n    dump: build/xla\n    programs: { include: [softmax, decode] }", Says: "no program matches \"decode\": it was not compiled, or not dumped"},
	Passes:  rule.Example{On: "gpu-softmax_barrier/before", Config: "version: 1\nextends: [recommended]\ntargets:\n  - name: model\n    dump: build/xla\n    programs: { include: [softmax] }"},
	Mend:    "Run the job that dumps, or mend the path or the program's name.",
	Threads: []string{"iree-org/iree#22855"},
	Without: unlookable,
}

var factsComplete = rule.Rule{
	ID: "facts-complete", Title: "every module that was dumped could be read whole", Category: rule.Integrity, Always: true, Since: "1",
	Why:     "A module that is cut off or unreadable holds fewer kernels than the program has; its numbers would look like an improvement.",
	Reads:   []rule.Input{rule.Optimized},
	Fails:   rule.Example{On: "damaged/cut_off_text", Config: "version: 1\nextends: [recommended]\ntargets:\n  - { name: model, dump: build/xla }", Says: "the file ends inside an instruction of %fused_computation"},
	Passes:  rule.Example{On: "cpu-fusion_callback_barrier/before", Config: "version: 1\nextends: [recommended]\ntargets:\n  - { name: model, dump: build/xla }"},
	Mend:    "Dump again; the run was cut off or is still writing. Or leave the program out with programs.exclude.",
	Without: unlookable,
}

var baselinePresent = rule.Rule{
	ID: "baseline-present", Title: "every program has a baseline, accepted for the arguments it takes", Category: rule.Integrity, Always: true, Since: "1",
	Why: "A program that was never accepted has nothing to be compared with; one whose arguments changed is another program. Both need a person " +
		"to say once that what is there now is wanted.",
	Reads:    []rule.Input{rule.Optimized},
	Fails:    rule.Example{On: "cpu-improved/after", Base: "cpu-donation_lost/before", Config: "version: 1\nextends: [recommended]\ntargets:\n  - { name: model, dump: build/xla }", Says: "scale is new: no baseline says what it may cost"},
	Passes:   rule.Example{On: "cpu-improved/after", Config: "version: 1\nextends: [recommended]\ntargets:\n  - { name: model, dump: build/xla }"},
	Mend:     "Accept it: xlagate accept --only ID --reason \"…\".",
	Accepts:  []string{"*", "ledger", "variants"},
	Explains: append([]string{"required-fusions"}, growthRules...),
	Program:  checkBaselinePresent,
}

func checkBaselinePresent(c *rule.Context, p *diff.Program) {
	if p.New == nil || !c.Needed(p.Name) {
		return
	}
	c.Checked()
	switch {
	case c.Target.Base == nil:
		c.Problems = append(c.Problems, result.Problem{
			Rule: c.Rule.ID, File: c.Target.Dump, Mend: c.Target.Accept,
			Message: fmt.Sprintf("no baseline for target %s: the rules compare with what was accepted, and nothing was", c.Target.Name),
		})
	case p.Old == nil:
		c.Find(result.Finding{
			Program: p.Name, Subject: "program", Message: fmt.Sprintf("%s is new: no baseline says what it may cost", p.Name),
			Cause: newcomer(c, p),
		})
	default:
		noteRenamed(c, p)
		for _, v := range rule.Live(p) {
			checkArguments(c, p, v)
		}
	}
}

// newcomer says where a program comes from that was not there before.
func newcomer(c *rule.Context, p *diff.Program) *result.Cause {
	first := p.New.Variants[0]
	cut := cutText(first.Cut)
	if cause := tracedAgain(c, p); cause != nil {
		return cause
	}
	if cut == "" {
		return &result.Cause{Summary: "a program that was not there before", Source: explain.SourceOf(firstSource(first))}
	}
	cause := &result.Cause{Summary: "a graph that was not there before: PyTorch/XLA compiled it " + cut, Source: explain.SourceOf(first.Cut.Where)}
	if other := besides(c, p); other != "" {
		cause.Summary += ", as it does " + other + ": what runs before is not always the same"
	}
	return cause
}

// tracedAgain says of a new cluster that another one does the same for arguments of other sizes: TensorFlow traces a function for each of
// them, and numbers its clusters on.
func tracedAgain(c *rule.Context, p *diff.Program) *result.Cause {
	for _, other := range c.Target.Programs {
		if other.New == nil || other.Old == nil {
			continue
		}
		if sizes := sameForOtherSizes(other.New, p.New); sizes != nil {
			said := fmt.Sprintf("it does what %s does, for other sizes: %s; the function was traced again", other.Name, strings.Join(words.First(sizes, 3), "; "))
			return &result.Cause{Summary: said, Source: explain.SourceOf(firstSource(p.New.Variants[0]))}
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
	if was.Facts["instructions.before"] != is.Facts["instructions.before"] || was.Facts["kernels.total"] != is.Facts["kernels.total"] {
		return nil
	}
	two := &diff.Program{New: &facts.Program{Variants: []*facts.Variant{was, is}}}
	two.Recompile = diff.Explain(two.New)
	if slices.ContainsFunc(two.Recompile, func(a diff.ArgumentChange) bool { return a.Kind != "shape" }) {
		return nil
	}
	return differences(two)
}

// noteRenamed says under which name a program was accepted, where that is another one. Clusters are numbered, not named.
func noteRenamed(c *rule.Context, p *diff.Program) {
	if p.Was != "" && !p.New.IsCluster() {
		c.Notes = append(c.Notes, result.Note{Kind: "renamed", Program: p.Name, Message: "it was accepted as " + p.Was, Mend: "xlagate accept --reason \"…\""})
	}
}

// checkArguments finds variants that were accepted for other arguments: whatever else grew is a consequence. Alone it is no finding:
// the gate drops it when nothing grew.
func checkArguments(c *rule.Context, p *diff.Program, v *diff.Variant) {
	if v.Old == nil || len(v.Causes) == 0 || v.Causes[0].Kind != diff.CauseArguments {
		return
	}
	var changes []string
	for _, ch := range v.Params {
		changes = append(changes, ch.Name+": "+ch.What)
	}
	c.Find(result.Finding{
		Program: p.Name, Variant: rule.VariantName(v), Subject: ArgumentsSubject, Drift: true,
		Message:  "the arguments changed, the baseline was accepted for others: " + strings.Join(words.First(changes, 4), "; "),
		Cause:    explain.From(&v.Causes[0]),
		Evidence: result.Evidence{Before: []string{v.Old.Signature}, After: []string{v.New.Signature}},
	})
}

// ArgumentsSubject marks the finding that a program's arguments are not those that were accepted.
const ArgumentsSubject = "arguments"

var orphanBaseline = rule.Rule{
	ID: "orphan-baseline", Title: "every accepted program is still compiled", Category: rule.Integrity, Always: true, Since: "1",
	Why: "A baseline without its program is a check that no longer happens, and nobody notices. Clusters of TensorFlow that merged or split are " +
		"not gone: they are compared all together.",
	Reads:   []rule.Input{rule.Baseline},
	Fails:   rule.Example{On: "cpu-improved/after", Base: "cpu-donation_lost/before", Config: "version: 1\nextends: [recommended]\ntargets:\n  - { name: model, dump: build/xla }", Says: "train_step was accepted, but this dump does not hold it"},
	Passes:  rule.Example{On: "cpu-improved/after", Config: "version: 1\nextends: [recommended]\ntargets:\n  - { name: model, dump: build/xla }"},
	Mend:    "Make the run compile it, or remove its baseline: xlagate baseline prune.",
	Threads: []string{"jestjs/jest#12564", "shakacode/react_on_rails#3829"},
	Accepts: []string{"program"},
	Program: func(c *rule.Context, p *diff.Program) {
		c.Checked()
		if p.New == nil && p.Old != nil {
			c.Find(result.Finding{Program: p.Name, Subject: "program", Message: fmt.Sprintf("%s was accepted, but this dump does not hold it%s", p.Name, whyGone(c, p))})
		}
	},
}

// whyGone says what may be good about a graph or cluster, which has no name of its own, that is gone.
func whyGone(c *rule.Context, p *diff.Program) string {
	if len(p.Old.Variants) == 0 {
		return ""
	}
	if _, ok := facts.NumberedGraph(p.Name); ok {
		return fmt.Sprintf(": a graph of %s; if the run is to make one less, accept that", measure.Counted(p.Old.Variants[0].Facts["kernels.total"], "", "kernels"))
	}
	for _, other := range c.Target.Programs {
		if other.New != nil && other.Old != nil && sameForOtherSizes(other.Old, p.Old) != nil {
			return fmt.Sprintf(": it did what %s does, for other sizes; if the function is traced once less, accept that", other.Name)
		}
	}
	return ""
}

var waiverValid = rule.Rule{
	ID: "waiver-valid", Title: "waivers are used, in force, and hide nothing worse", Category: rule.Integrity, Always: true, Since: "1",
	Why:   "Waivers that never end, or end silently, turn a gate off.",
	Reads: []rule.Input{rule.Optimized},
	Options: []rule.Option{
		{Key: "max_days", Type: rule.Count, Sense: rule.Caps, Least: 1, Doc: "for how many days from today a waiver may hold; one that expires later waives nothing"},
	},
	Fails:   rule.Example{On: "gpu-softmax_barrier/after", Config: "version: 1\nextends: [recommended]\ntargets:\n  - { name: model, dump: build/xla }\nwaivers:\n  - { finding: 09972bef42e3, reason: \"openxla/xla#47203\", owner: \"@ml-perf\", expires: 2026-11-20 }", Says: "the waiver of 09972bef42e3 (fusion-drift) expired on 2026-11-20 (xlagate.yaml:6:5)"},
	Passes:  rule.Example{On: "gpu-softmax_barrier/after", Config: "version: 1\nextends: [recommended]\ntargets:\n  - { name: model, dump: build/xla }\nwaivers:\n  - { finding: 09972bef42e3, reason: \"openxla/xla#47203\", owner: \"@ml-perf\", expires: 2027-02-01 }"},
	Mend:    "Mend what was waived, remove the waiver, or give it a new date and a reason.",
	Threads: []string{"awslabs/ferret-scan#699", "mick-gsk/drift#461"},
	Without: map[string]string{"target": "waivers are looked at all together", "program": "waivers are looked at all together"},
}
