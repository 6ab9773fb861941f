package rules

import (
	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/excuse"
	"github.com/xlagate/xlagate/internal/explain"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/ledger"
	"github.com/xlagate/xlagate/internal/result"
)

var maxCopies = Rule{
	ID:       "max-copies",
	Title:    "no copy is added to the program",
	Category: Memory,
	Why:      "A copy is a buffer that XLA could not update in place, or a layout that two operations do not share.",
	Reads:    []Input{Optimized},
	Options: []Option{
		{Key: "in", Type: Word, Sense: Selects, Enum: []string{"all", "loops"}, Default: "all", Doc: "count every copy, or only those in loops, which each iteration pays for"},
		{Key: "max_bytes", Type: Size, Sense: Caps, Doc: "the most bytes that all of these may copy, those in loops once"},
		onlyCostly,
	},
	Budget:  &Metric{Fact: "copies.count", Noun: "copies", Better: Lower},
	Bounds:  []string{"max_bytes"},
	Fails:   Example{On: "cpu-unrolled_loop/before", Config: "- { rule: max-copies, max: 1 }", Says: "2 copies: at most 1 allowed"},
	Passes:  Example{On: "cpu-unrolled_loop/after", Config: "- { rule: max-copies, max_increase: 0 }"},
	Mend:    "Look at what reads the copied value after it is overwritten; donate arguments that are replaced.",
	Threads: []string{"jax-ml/jax#17845", "AI-Hypercomputer/torchprime#119"},
	Since:   "1",
	Accepts: []string{"copies.*", "ledger"},
	Program: checkMaxCopies,
}

func checkMaxCopies(c *Context, p *diff.Program) {
	for _, v := range live(p) {
		if _, ok := v.New.Facts[c.Rule.Budget.Fact]; !ok || c.Text("in") == "all" {
			c.judgeFact(p, v, *c.Rule.Budget)
		} else {
			c.judgeLoopCopies(p, v)
		}
		c.boundCopied(p, v)
	}
}

// judgeLoopCopies holds how many copies stand in loops against the settings.
func (c *Context) judgeLoopCopies(p *diff.Program, v *diff.Variant) {
	a := Amount{
		Program: p, Variant: v, Subject: excuse.LoopCopies, Noun: "copies in loops", Better: Lower, Actual: ledger.Count(v.New, c.countsCopy),
		Cause: func() (*result.Cause, result.Evidence) { return explain.Growth(v, c.countsCopy) },
	}
	if v.Old != nil {
		a.Base = new(ledger.Count(v.Old, c.countsCopy))
	}
	c.Judge(a)
}

// boundCopied holds what is copied against max_bytes.
func (c *Context) boundCopied(p *diff.Program, v *diff.Variant) {
	limit, ok := c.Number("max_bytes")
	if !ok {
		return
	}
	c.Checked()
	copied := ledger.Bytes(v.New, c.countsCopy) / 2 // a copy reads it, and writes it
	if copied <= limit {
		return
	}
	which := "copies" + c.place()
	c.Find(result.Finding{
		Program: p.Name, Variant: variantName(v), Subject: which + " bytes", Unit: "bytes", Actual: copied, Limit: limit,
		Message: movesTooMuch(which, copied, limit),
		Cause:   explain.Largest(v, c.countsCopy),
	})
}

func (c *Context) countsCopy(k *facts.Kernel) bool {
	return k.Class == facts.ClassCopy && (k.InLoop || c.Text("in") == "all")
}
