package rules

import (
	"fmt"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
)

var partitioner = rule.Rule{
	ID:      "partitioner",
	Title:   "programs are partitioned by the named partitioner, or as in the baseline",
	Why:     "A fall back from Shardy to GSPMD is silent, and propagates other shardings.",
	Reads:   []rule.Input{rule.Unoptimized},
	Options: []rule.Option{{Key: "is", Type: rule.Word, Enum: []string{"shardy", "gspmd"}, Doc: "the partitioner; needs no baseline"}},
	Bounds:  []string{"is"},
	Fails:   rule.Example{On: "partitioner-gspmd", Config: "- { rule: partitioner, is: shardy }", Says: "gspmd partitions it, shardy wanted"},
	Passes:  rule.Example{On: "dumps/jax-0.12.0.1", Config: "- { rule: partitioner, is: shardy }"},
	Fix:     "Look at jax_use_shardy_partitioner.",
	Threads: []string{"openxla/xla#42481"},
	Variant: func(c *rule.Context, v *changes.Variant) {
		named, is := c.Text("is"), v.New.Partitioner
		wanted, why := named, named+" wanted"
		if named == "" && v.Old != nil {
			wanted = v.Old.Partitioner
			why = wanted + " did in the baseline"
		}
		if named != "" && is == "" {
			c.NotCovered = append(c.NotCovered, fmt.Sprintf("%s (nothing in %s tells which it was)", c.Rule.ID, c.Program.Name))
		}
		if is == "" || wanted == "" {
			return
		}
		if c.Checked(); is != wanted {
			f := c.Find(result.Finding{Subject: "partitioner", Actual: is, Limit: wanted, Message: fmt.Sprintf("%s partitions it, %s", is, why)})
			f.Cause = &changes.Cause{Kind: changes.KindSharding, Title: fmt.Sprintf("%s partitions it, not %s", is, wanted), Source: v.New.FirstSource()}
		}
	},
}
