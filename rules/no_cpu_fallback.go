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
		{Key: "allow", Type: Globs, Doc: "operations that may run on the CPU: \"aten::_local_scalar_dense\""},
	},
	Budget:  &Metric{Noun: "operations that fall back to the CPU", Better: Lower},
	Forbids: true,
	Fails:   Example{On: "recompile-shapes", Config: "- { rule: no-cpu-fallback }", Says: "aten::_local_scalar_dense ran 3 times on the CPU"},
	Passes:  Example{On: "recompile-shapes", Config: "- { rule: no-cpu-fallback, allow: [\"aten::_local_scalar_dense\"] }"},
	Mend:    "Write the operation with others that have a lowering, move .item() and printing out of the step, or allow it by name.",
	Threads: []string{"pytorch/xla#2918", "pytorch/xla#1368"},
	Since:   "1",
	Check:   withoutBaseline,
	Target:  checkNoCPUFallback,
}

func checkNoCPUFallback(c *Context, t *Target) {
	logs := t.Report.Logs
	if logs == nil {
		c.Uncovered("", Log, "give PyTorch/XLA's metrics report: XLA_METRICS_FILE=FILE, then --log FILE, or log: in the target")
		return
	}
	found := c.notes(logs, facts.NoteCPUFallback)
	if c.tolerates(Amount{Subject: "cpu fallback", Noun: "operations that fall back to the CPU", Actual: float64(len(found))}) {
		return
	}
	for _, n := range found {
		times := "on the CPU"
		if n.Value > 0 {
			times = measure.Counted(n.Value, "", "times") + " on the CPU"
		}
		c.Find(result.Finding{
			Subject: n.Op, Actual: n.Value, Limit: 0.0,
			Message:  fmt.Sprintf("%s ran %s", n.Op, times),
			Cause:    &result.Cause{Summary: n.Op + " has no lowering to XLA", OpType: n.Op, Source: SourceOf(n.Where)},
			Evidence: result.Evidence{After: []string{n.Log}},
		})
	}
}
