package rules

import (
	"fmt"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
)

var partitioner = rule.Rule{
	ID:      "partitioner",
	Title:   "programs are partitioned by the named partitioner",
	Why:     "A fall back from Shardy to GSPMD is silent, and propagates other shardings.",
	Reads:   []rule.Input{rule.Unoptimized},
	Options: []rule.Option{{Key: "is", Type: rule.Word, Enum: []string{"shardy", "gspmd"}, Require: true, Doc: "the partitioner"}},
	Bounds:  []string{"is"},
	Fails:   rule.Example{On: "partitioner-gspmd", Config: "- { rule: partitioner, is: shardy }", Says: "gspmd partitions it, shardy wanted"},
	Passes:  rule.Example{On: "dumps/jax-0.12.0.1", Config: "- { rule: partitioner, is: shardy }"},
	Fix:     "Look at jax_use_shardy_partitioner.",
	Threads: []string{"openxla/xla#42481"},
	Variant: func(c *rule.Context, v *changes.Variant) {
		wanted := c.Text("is")
		if v.New.Partitioner == "" {
			c.NotCovered = append(c.NotCovered, fmt.Sprintf("%s (nothing in %s tells which it was)", c.Rule.ID, c.Program.Name))
			return
		}
		if c.Checked(); v.New.Partitioner != wanted {
			c.Find(result.Finding{Subject: "partitioner", Actual: v.New.Partitioner, Limit: wanted, Message: fmt.Sprintf("%s partitions it, %s wanted", v.New.Partitioner, wanted)})
		}
	},
}
