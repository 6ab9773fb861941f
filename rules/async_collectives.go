package rules

import (
	"fmt"
	"slices"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/explain"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/ledger"
	"github.com/xlagate/xlagate/internal/measure"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/words"
)

var asyncCollectives = Rule{
	ID:       "async-collectives",
	Title:    "collectives overlap with computation",
	Category: Collectives,
	Why: "A collective that is started early and waited for late costs nothing. A scheduler flag, a rematerialization policy or a data dependence puts the two next " +
		"to each other, and the device waits for the network.",
	Reads: []Input{Schedule},
	Options: []Option{
		{Key: "kinds", Type: Words, Sense: Selects, Enum: collectiveWords, Doc: "only these: all-gather, all-reduce, reduce-scatter, all-to-all, collective-permute, …"},
		{Key: "min_distance", Type: Count, Sense: Demands, Default: 1.0, Doc: "how many kernels must run between start and end"},
		{Key: "min_ratio", Type: Share, Sense: Demands, InPlace: true, Doc: "the least share of collectives that kernels must run beside, instead of all of them"},
		{Key: "min_bytes", Type: Size, Sense: Narrows, Default: 0.0, Doc: "smaller collectives do not matter"},
	},
	Budget:  &Metric{Noun: "exposed collectives", Better: Lower},
	Forbids: true,
	Bounds:  []string{"min_ratio"},
	Fails:   Example{On: "gpu-collectives", Config: "- { rule: async-collectives }", Says: "1 exposed collective: at most 0 allowed"},
	Passes:  Example{On: "gpu-collectives", Config: "- { rule: async-collectives, min_ratio: 50% }"},
	Mend:    "Look at the latency-hiding scheduler's flags, and at what needs the collective's result at once: prefetch the next layer's weights, reduce gradients late.",
	Threads: []string{"openxla/xla#14397"},
	Since:   "1",
	Accepts: []string{"async.*"},
	Program: checkAsyncCollectives,
}

func checkAsyncCollectives(c *Context, p *diff.Program) {
	for _, v := range live(p) {
		if _, ok := v.New.Facts["async.exposed"]; !ok {
			c.Uncovered(p.Name, Schedule, "dump a module that is scheduled: the optimized one of a GPU, a TPU or a recent CPU compiler")
			continue
		}
		a := Amount{
			Program: p, Variant: v, Subject: "async.exposed", Noun: c.Rule.Budget.Noun, Better: Lower, Actual: ledger.Count(v.New, c.exposed),
			Cause: func() (*result.Cause, result.Evidence) { return c.exposedCause(v.New) },
		}
		if v.Old != nil {
			was, ok := v.Old.Facts["async.exposed"]
			a.baseline(ok && c.asCounted(), was)
		}
		all := ledger.Count(v.New, c.concerned)
		c.judgeShare(a, share{
			key: "min_ratio", subject: "async.exposed.min_ratio", have: shareOf(all-a.Actual, all),
			of: "of " + measure.Counted(all, "", "collectives") + " can run beside kernels",
		})
	}
}

// asCounted says whether the settings count what the fact counts.
func (c *Context) asCounted() bool {
	distance, _ := c.Number("min_distance")
	least, _ := c.Number("min_bytes")
	return distance == 1 && least == 0 && c.List("kinds") == nil
}

func (c *Context) concerned(k *facts.Kernel) bool {
	least, _ := c.Number("min_bytes")
	return k.Class == facts.ClassCollective && float64(k.Bytes) >= least && (c.List("kinds") == nil || slices.Contains(c.List("kinds"), k.Target))
}

func (c *Context) exposed(k *facts.Kernel) bool {
	distance, _ := c.Number("min_distance")
	return c.concerned(k) && float64(k.Beside) < distance
}

func (c *Context) exposedCause(v *facts.Variant) (*result.Cause, result.Evidence) {
	var most *facts.Kernel
	var e result.Evidence
	for k := range ledger.Kernels(v, c.exposed) {
		e.After = explain.Add(e.After, diff.Describe(k))
		if most == nil || k.Bytes > most.Bytes {
			most = k
		}
	}
	if most == nil {
		return nil, e
	}
	how := "is waited for where it is started"
	switch {
	case most.Async && most.Beside > 0:
		how = fmt.Sprintf("has %s beside it", words.Count(int(most.Beside), "kernel", "kernels"))
	case !most.Async:
		how = "is not started apart"
	}
	return explain.CauseOf(fmt.Sprintf("the largest, %s, %s", most.Target, how), most), e
}
