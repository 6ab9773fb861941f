package rules

import (
	"fmt"
	"strings"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/logs"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/rule"
	"github.com/xlagate/xlagate/internal/tensorflow"
)

var noCPUFallback = rule.Rule{
	ID:      "no-cpu-fallback",
	Title:   "PyTorch/XLA runs no operation on the CPU",
	Why:     "PyTorch runs an operation without a lowering on the CPU: the graph ends there, and tensors are copied to the host and back.",
	Reads:   []rule.Input{rule.Metrics},
	Options: []rule.Option{{Key: "allow", Type: rule.Globs, Empty: true, Doc: "operations that may run on the CPU: \"" + logs.ScalarRead + "\""}},
	Budget:  &rule.Metric{Noun: "operations that fell back to the CPU", Better: rule.Lower, Unrecorded: "what a log says"},
	Forbids: true,
	Fails:   rule.Example{On: "torch-cpu_fallback/after", Config: "- { rule: no-cpu-fallback }", Says: "aten::special_i0e ran 3 times on the CPU"},
	Passes:  rule.Example{On: "torch-cpu_fallback/before", Config: "- { rule: no-cpu-fallback }"},
	Fix:     "Replace the operation, move .item() and printing out of the step, or allow it by name.",
	Threads: []string{"pytorch/xla#2918", "pytorch/xla#1368"},
	Target: func(c *rule.Context, t *rule.Target) {
		if made := t.Report.Toolchain.Framework; c.Pack != "" && made != "" && made != facts.TorchFramework {
			return
		}
		said := t.Report.Logs
		if said == nil {
			said = &tensorflow.Logs{}
		}
		found := logNotes(c, said, logs.Fallback)
		if len(found) == 0 && !said.Metrics {
			c.Uncovered(rule.Metrics, "let xlagate run the command (capture: in the target, or check -- COMMAND), or give PyTorch/XLA's metrics report: XLA_METRICS_FILE=FILE, then --log FILE, or log: in the target")
			return
		}
		judged, reads := c.Judge(c.Budget("cpu fallback", float64(len(found)))), changes.ValueReads(t.Programs)
		rule.Split(c, judged, found, func(f *rule.Finding, n tensorflow.LogNote) {
			f.Subject, f.Actual = n.Op, n.Value
			f.Message, f.Cause = fallback(&n)
			f.Evidence.After = []string{n.Log}
			for _, at := range reads {
				f.Evidence.After = append(f.Evidence.After, fmt.Sprintf("a graph ends at %s:%d in %s", at.File, at.Line, at.Function))
			}
			if len(reads) == 1 && f.Cause.Source.File == "" {
				f.Cause.Source = reads[0]
			}
		})
	},
}

// fallback says what ran on the CPU, and why.
func fallback(n *tensorflow.LogNote) (message string, cause *changes.Cause) {
	cause = &changes.Cause{Title: n.Op + " has no lowering to XLA", OpType: n.Op, Source: n.Where}
	times := "" // how often, where that is known
	if n.Value != 0 {
		times = phrase.Times(n.Value)
	}
	if n.Op != logs.ScalarRead {
		return n.Op + " ran " + strings.TrimSpace(times+" on the CPU"), cause
	}
	cause.Title = "Python read a number from a tensor (.item(), an if, a print): the graph ends there, and Python waits for the device"
	return strings.TrimSpace(fmt.Sprintf("%s: a tensor's value was read %s", n.Op, times)), cause
}
