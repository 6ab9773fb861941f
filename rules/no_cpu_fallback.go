package rules

import (
	"fmt"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/measure"
	"github.com/xlagate/xlagate/internal/result"
)

var noCPUFallback = Rule{
	ID:       "no-cpu-fallback",
	Title:    "PyTorch/XLA runs no operation on the CPU",
	Category: Frameworks,
	Why: "An operation without a lowering is run by PyTorch on the CPU: the graph ends there, tensors are copied to the host and back, and the rest is another graph. Only the " +
		"counters in the metrics report (aten::…) tell.",
	Reads: []Input{Log},
	Options: []Option{
		{Key: "allow", Type: Globs, Sense: Caps, Empty: true, Doc: "operations that may run on the CPU: \"aten::_local_scalar_dense\""},
	},
	Budget:  &Metric{Noun: "operations that fell back to the CPU", Better: Lower, Unheld: "what a log says"},
	Forbids: true,
	Fails:   Example{On: "torch-cpu_fallback/after", Config: "- { rule: no-cpu-fallback }", Says: "aten::special_i0e ran 3 times on the CPU"},
	Passes:  Example{On: "torch-cpu_fallback/before", Config: "- { rule: no-cpu-fallback }"},
	Mend:    "Write the operation with others that have a lowering, move .item() and printing out of the step, or allow it by name.",
	Threads: []string{"pytorch/xla#2918", "pytorch/xla#1368"},
	Since:   "1",
	Target:  checkNoCPUFallback,
}

func checkNoCPUFallback(c *Context, t *Target) {
	logs := t.Report.Logs
	if logs == nil {
		c.Uncovered("", Log, "give PyTorch/XLA's metrics report: XLA_METRICS_FILE=FILE, then --log FILE, or log: in the target")
		return
	}
	found := c.notes(logs, facts.NoteCPUFallback)
	c.Forbid(Amount{Subject: "cpu fallback", Noun: c.Rule.Budget.Noun, Actual: float64(len(found)), Tell: func(judged result.Finding) (each []result.Finding) {
		for _, n := range found {
			f := judged
			f.Subject, f.Actual = n.Op, n.Value
			f.Message = fmt.Sprintf("%s ran %s", n.Op, often(n.Value))
			f.Cause = &result.Cause{Summary: n.Op + " has no lowering to XLA", OpType: n.Op, Source: SourceOf(n.Where)}
			f.Evidence.After = []string{n.Log}
			each = append(each, f)
		}
		return each
	}})
}

// often says how often something ran on the CPU, where that is known.
func often(times float64) string {
	if times == 0 {
		return "on the CPU"
	}
	return measure.Times(times) + " on the CPU"
}
