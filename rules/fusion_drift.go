package rules

import (
	"fmt"
	"strings"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/result"
)

var fusionDrift = Rule{
	ID:       "fusion-drift",
	Title:    "fusions of several operations are not lost",
	Category: Kernels,
	Why: "The number of fusions can rise when fusion is lost, because single operations get wrapped. What matters is which operations still run " +
		"together; this rule compares fusions by what is in them.",
	Reads: []Input{Optimized, Baseline},
	Options: []Option{
		{Key: "max_removed", Type: Count, Means: "max", Doc: "how many fusions of the baseline may be gone"},
		onlyCostly,
		{Key: "ignore", Type: Globs, Empty: true, Doc: "parts of the model, by op_name, whose fusions may change"},
	},
	Budget:   &Metric{Noun: "lost fusions", Better: Lower, Difference: true},
	Fails:    Example{On: "gpu-softmax_barrier/after", Config: "- { rule: fusion-drift }", Says: "1 fusion was split: divide, exponential, 2 reduce, subtract ran in one kernel, now in 4: between them optimization barriers (pairs.py:40, pairs.py:41, pairs.py:42)"},
	Passes:   Example{On: "gpu-softmax_barrier/before", Config: "- { rule: fusion-drift }"},
	Mend:     "Remove what stands between the operations: a barrier, a callback, a second use of an intermediate.",
	Threads:  []string{"jax-ml/jax#33338", "openxla/xla#29620", "openxla/xla#6370"},
	Since:    "1",
	Accepts:  []string{"fusions.*", "kernels.*", "ledger"},
	Explains: allGrowth[1:],
	Program:  checkFusionDrift,
}

func checkFusionDrift(c *Context, p *diff.Program) {
	for _, v := range live(p) {
		if v.Old == nil {
			continue
		}
		lost := c.lostFusions(v)
		a := Amount{Program: p, Variant: v, Subject: "fusions", Noun: "lost fusions", Better: Lower, Actual: float64(len(lost))}
		a.baseline(true, true, 0)
		a.Tell = func(f result.Finding) []result.Finding {
			f.Message = lostSentence(lost)
			if cause := v.CauseOf(&lost[0].Many[0]); cause != nil {
				f.Cause, f.Evidence = causeFrom(cause), evidence(cause, anyKernel)
			}
			return []result.Finding{f}
		}
		c.Judge(a)
	}
}

// lostFusions lists the fusions of several operations that no longer run as one kernel, the fullest first.
func (c *Context) lostFusions(v *diff.Variant) []*diff.Regroup {
	if c.On(onlyCostly.Key) && !costlier(v) {
		return nil
	}
	var out []*diff.Regroup
	for i := range v.Kernels.Split {
		s := &v.Kernels.Split[i]
		if s.One.Fusion && len(s.One.Do) > 1 && !fits(c.List("ignore"), s.One.OpName) {
			out = append(out, s)
		}
	}
	return out
}

func lostSentence(lost []*diff.Regroup) string {
	var parts []string
	for _, s := range lost {
		parts = append(parts, diff.SplitSentence(s))
	}
	verb := "fusions were split"
	if len(lost) == 1 {
		verb = "fusion was split"
	}
	return fmt.Sprintf("%d %s: %s", len(lost), verb, strings.Join(shorten(parts, 2), "; "))
}
