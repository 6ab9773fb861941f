package rules

import (
	"cmp"
	"fmt"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/logs"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/rule"
	"github.com/xlagate/xlagate/internal/tensorflow"
)

var noInvoluntaryRemat = rule.Rule{
	ID:    "no-involuntary-remat",
	Title: "no tensor is replicated only to reshard it",
	Why: "When the partitioner finds no way from one sharding to another, it replicates the whole tensor on every device and splits it again. Only " +
		"the log says so.",
	Reads:   []rule.Input{rule.Log},
	Options: []rule.Option{{Key: "allow", Type: rule.Globs, Empty: true, Doc: "op_names that may be replicated"}},
	Budget:  &rule.Metric{Noun: "involuntary rematerializations", Better: rule.Lower, Unrecorded: "what a log says"},
	Forbids: true,
	Fails: rule.Example{On: "cpu-involuntary_remat/after", Config: "- { rule: no-involuntary-remat }",
		Says: "jit(mix)/sharding_constraint is replicated on every device to reshard it"},
	Passes:  rule.Example{On: "cpu-involuntary_remat/before", Config: "- { rule: no-involuntary-remat }"},
	Fix:     "Constrain the tensor to an intermediate sharding, or use mesh axes for producer and consumer that divide each other.",
	Threads: []string{"openxla/xla#15207", "EnzymeAD/Enzyme-JAX#822"},
	Target: func(c *rule.Context, t *rule.Target) {
		said := t.Report.Logs
		if said == nil {
			c.Uncovered(rule.Log, logFix)
			return
		}
		found := logNotes(c, said, logs.Remat)
		judged := c.Judge(c.Budget("involuntary remat", float64(len(found))))
		rule.Split(c, judged, found, func(f *rule.Finding, n tensorflow.LogNote) {
			f.Program, f.Subject = n.Program, n.Op
			f.Message = fmt.Sprintf("%s is replicated on every device to reshard it", cmp.Or(n.Op, "a tensor without a name"))
			f.Cause = &changes.Cause{Title: n.Message, OpName: n.Op, Source: n.Where}
			f.Evidence.After = []string{n.Log + ": " + n.Message}
		})
	},
}

// logNotes lists the notes of one kind that the settings care for, each tensor or operation once.
func logNotes(c *rule.Context, said *tensorflow.Logs, kind logs.Kind) []tensorflow.LogNote {
	seen := map[[2]string]bool{}
	var out []tensorflow.LogNote
	for _, n := range said.Notes {
		key := [2]string{n.Program, n.Op}
		if n.Kind != kind || seen[key] || phrase.AnyGlob(c.List("allow"), n.Op) || n.Program != "" && !c.Covers(c.Target.Name, n.Program) {
			continue
		}
		seen[key] = true
		out = append(out, n)
	}
	return out
}
