package rules

import (
	"fmt"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
)

// unlookable are the common keys that mean nothing where there was nothing to look at.
var unlookable = map[string]string{
	"level": "a part that could not be checked is never green", "program": "it holds for all that was named", "target": "it holds for all that was named",
	"name": "it makes no findings", "reason": "it makes no findings",
}

var targetRan = rule.Rule{
	ID: "target-ran", Title: "every target has a dump, and every named program is in it", Always: true,
	Why: "A gate that could not check must not be green: a test suite that no longer runs would pass forever.",
	Fails: rule.Example{On: "gpu-softmax_barrier/before",
		Config: "version: 1\nextends: [recommended]\ntargets:\n  - name: model\n    dump: build/xla\n    programs: { include: [softmax, decode] }",
		Says:   "no program matches \"decode\": it was not compiled, or not dumped"},
	Passes: rule.Example{On: "gpu-softmax_barrier/before",
		Config: "version: 1\nextends: [recommended]\ntargets:\n  - name: model\n    dump: build/xla\n    programs: { include: [softmax] }"},
	Fix:     "Run the job that dumps, or fix the path or the program's name.",
	Threads: []string{"iree-org/iree#22855"},
	Without: unlookable,
}

var factsComplete = rule.Rule{
	ID: "facts-complete", Title: "every dumped module could be read completely", Always: true,
	Why: "A module that is cut off or unreadable holds fewer kernels than the program has; its numbers would look like an improvement.",
	Fails: rule.Example{On: "damaged/cut_off_text", Config: "version: 1\nextends: [recommended]\ntargets:\n  - { name: model, dump: build/xla }",
		Says: "the file ends inside an instruction of %fused_computation"},
	Passes:  rule.Example{On: "cpu-fusion_callback_barrier/before", Config: "version: 1\nextends: [recommended]\ntargets:\n  - { name: model, dump: build/xla }"},
	Fix:     "Dump again: the run was cut off, or is still writing. Or leave the program out with programs.exclude.",
	Without: unlookable,
}

var baselinePresent = rule.Rule{
	ID: "baseline-present", Title: "every program has a baseline that was accepted for its arguments", Always: true,
	Why: "A program that was never accepted has nothing to compare with, and one whose arguments changed is another program. A person has to accept it once.",
	Fails: rule.Example{On: "cpu-improved/after", Base: "cpu-donation_lost/before",
		Config: "version: 1\nextends: [recommended]\ntargets:\n  - { name: model, dump: build/xla }", Says: "scale is new: no baseline says what it may cost"},
	Passes: rule.Example{On: "cpu-improved/after", Config: "version: 1\nextends: [recommended]\ntargets:\n  - { name: model, dump: build/xla }"},
	Fix:    "Accept the program, or remove what compiles it.",
	Program: func(c *rule.Context, p *changes.Program) {
		if p.New == nil || !c.Needed(p.Name) {
			return
		}
		c.Checked()
		switch {
		case c.Target.Base == nil:
			c.Problems = append(c.Problems, result.Problem{
				Rule: c.Rule.ID, File: c.Target.Dump, Fix: c.Target.Accept, Settled: true,
				Message: fmt.Sprintf("no baseline for target %s: nothing was accepted yet, so there is nothing to compare with", c.Target.Name),
			})
		case p.Old == nil:
			is := " is new"
			if p.Replaced != nil {
				is = " is another program than the accepted one of that name"
			}
			f := c.Find(result.Finding{Program: p.Name, Subject: "program", Message: p.Name + is + ": no baseline says what it may cost"})
			f.Cause = changes.Newcomer(c.Target.Programs, p)
		case p.IsCut():
			message := fmt.Sprintf("%s became %d programs: the baseline has one", p.Were[0].Name, len(p.Parts))
			c.Find(result.Finding{Program: p.Name, Subject: "program", Message: message}).Cause = p.Cut()
		case p.Was != "" && !p.New.IsCluster(): // clusters are numbered, not named
			c.Notes = append(c.Notes, result.Note{Kind: "renamed", Program: p.Name, Message: "it was accepted as " + p.Was, Fix: "xlagate accept --reason \"why\""})
		}
	},
}

var orphanBaseline = rule.Rule{
	ID: "orphan-baseline", Title: "every accepted program is still compiled", Always: true,
	Why: "A baseline without its program is a check that no longer runs. Clusters of TensorFlow that merged or split are not gone: they are compared " +
		"as a whole. A graph that PyTorch/XLA made because a function read a value is no error if the function reads none: whether that is on purpose cannot be told.",
	Reads: []rule.Input{rule.Baseline},
	Fails: rule.Example{On: "cpu-improved/after", Base: "cpu-donation_lost/before",
		Config: "version: 1\nextends: [recommended]\ntargets:\n  - { name: model, dump: build/xla }", Says: "train_step was accepted, but this dump does not hold it"},
	Passes:  rule.Example{On: "cpu-improved/after", Config: "version: 1\nextends: [recommended]\ntargets:\n  - { name: model, dump: build/xla }"},
	Fix:     "Make the run compile the program, or accept that it is gone. `xlagate baseline prune` removes the baselines of excluded programs.",
	Threads: []string{"jestjs/jest#12564", "shakacode/react_on_rails#3829"},
	Program: func(c *rule.Context, p *changes.Program) {
		c.Checked()
		if p.New == nil && p.Old != nil {
			f := c.Find(result.Finding{Program: p.Name, Subject: "program", Message: fmt.Sprintf("%s was accepted, but %s", p.Name, whyGone(c, p))})
			if reader, sure := changes.Unread(c.Target.Programs, p); reader != "" && c.Target.LeftOutBy(p.Name) == "" {
				f.Message = fmt.Sprintf("%s is gone: no value is read any more in %s; PyTorch/XLA compiles a graph of %s less", p.Name, reader, kernelsOf(p))
				f.Level = "info"
				if !sure {
					f.Level, f.Message = "warning", f.Message+"; accept this if that is on purpose"
				}
			}
			if f.Cause = changes.Undone(c.Target.Report.Helpers, p); f.Cause != nil {
				f.Evidence = f.Cause.Evidence(facts.AnyKernel)
			}
		}
	},
}

// whyGone says why an accepted program is not checked.
func whyGone(c *rule.Context, p *changes.Program) string {
	if key := c.Target.LeftOutBy(p.Name); key != "" {
		return key + " leaves it out now"
	}
	return "this dump does not hold it" + mayBeMeant(c, p)
}

// kernelsOf counts the kernels of an accepted program.
func kernelsOf(p *changes.Program) string {
	return phrase.Counted(p.Old.Variants[0].Facts[facts.KernelsTotal], "", "kernels")
}

// mayBeMeant says what may be good about a graph or cluster, which has no name of its own, that is gone.
func mayBeMeant(c *rule.Context, p *changes.Program) string {
	if len(p.Old.Variants) == 0 {
		return ""
	}
	if _, ok := facts.NumberedGraph(p.Name); ok {
		return fmt.Sprintf(": a graph of %s; accept this if the run makes one graph fewer on purpose", kernelsOf(p))
	}
	for _, other := range c.Target.Programs {
		if other.New != nil && other.Old != nil && changes.SameForOtherSizes(other.Old, p.Old) != nil {
			return fmt.Sprintf(": it did what %s does, for other sizes; accept this if the function is no longer traced for them on purpose", other.Name)
		}
	}
	return ""
}

var waiverValid = rule.Rule{
	ID: "waiver-valid", Title: "waivers are used, are in force, and hide nothing worse", Always: true,
	Why: "Waivers that never expire, or expire silently, turn a gate off. A waiver without `ceiling:` covers whatever its change or finding becomes; one with it fails when the value is larger.",
	Options: []rule.Option{
		{Key: "max_days", Type: rule.Count, Least: 1, Doc: "how many days from today a waiver may last; one that expires later is ignored"},
	},
	Fails: rule.Example{On: "gpu-softmax_barrier/after",
		Config: "version: 1\nextends: [recommended]\ntargets:\n  - { name: model, dump: build/xla }\nwaivers:\n  - { finding: 6f4e58dc3d8e, reason: \"openxla/xla#47203\", owner: \"@ml-perf\", expires: 2026-11-20 }",
		Says:   "the waiver of 6f4e58dc3d8e (max-step-time) expired on 2026-11-20: renew it or remove it (xlagate.yaml:6:5)"},
	Passes: rule.Example{On: "gpu-softmax_barrier/after",
		Config: "version: 1\nextends: [recommended]\ntargets:\n  - { name: model, dump: build/xla }\nwaivers:\n  - { finding: 6f4e58dc3d8e, reason: \"openxla/xla#47203\", owner: \"@ml-perf\", expires: 2027-02-01 }"},
	Fix:     "Fix what was waived, remove the waiver, or give it a new date and a reason.",
	Threads: []string{"awslabs/ferret-scan#699", "mick-gsk/drift#461"},
	Without: map[string]string{"target": "waivers are judged together", "program": "waivers are judged together"},
}
