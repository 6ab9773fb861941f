package rules

import (
	"fmt"
	"strings"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/measure"
	"github.com/xlagate/xlagate/internal/result"
)

var noDtype = Rule{
	ID:       "no-dtype",
	Title:    "no unwanted type creeps in",
	Category: Types,
	Why:      "One float64 scalar from numpy turns part of the model into double precision: half the speed on a CPU, a thirtieth on a GPU, emulated on a TPU.",
	Reads:    []Input{Optimized},
	Options: []Option{
		{Key: "dtypes", Type: Words, Default: []string{"f64", "c128"}, Doc: "the types that are not wanted"},
		{Key: "allow", Type: Globs, Doc: "op_names that may have them"},
		{Key: "new_only", Type: Switch, Default: false, Doc: "what the baseline has may stay"},
	},
	Budget:   &Metric{Noun: "unwanted operations", Better: Lower},
	Forbids:  true,
	Fails:    Example{On: "cpu-f64_creep/after", Config: "- { rule: no-dtype, dtypes: [f64] }", Says: "f64 is used by 17 operations, the first is reduce"},
	Passes:   Example{On: "cpu-f64_creep/before", Config: "- { rule: no-dtype, dtypes: [f64] }"},
	Mend:     "Make the scalar a Python float or a jnp array of the model's dtype; leave jax_enable_x64 off.",
	Threads:  []string{"pytorch/xla#6403", "jax-ml/jax#16698"},
	Since:    "1",
	Accepts:  []string{"*", "ledger"},
	Explains: allGrowth,
	Program:  checkNoDtype,
}

func checkNoDtype(c *Context, p *diff.Program) {
	for _, v := range live(p) {
		for _, dtype := range c.List("dtypes") {
			c.Checked()
			checkDtype(c, p, v, dtype)
		}
	}
}

func checkDtype(c *Context, p *diff.Program, v *diff.Variant, dtype string) {
	now := v.New.Facts["dtypes."+dtype]
	allowed := 0.0
	if c.Max != nil {
		allowed = *c.Max
	}
	f := result.Finding{Program: p.Name, Variant: variantName(p, v), Subject: dtype, Actual: now}
	if v.Old != nil {
		base := v.Old.Facts["dtypes."+dtype]
		f.Baseline = base
		if c.On("new_only") {
			allowed = max(allowed, base)
		}
	}
	if now <= allowed {
		return
	}
	first := diff.FirstNew(v, dtype)
	if first.OpName != "" && fits(c.List("allow"), first.OpName) {
		return
	}
	f.Limit = allowed
	f.Message = fmt.Sprintf("%s is used by %s operations", dtype, measure.Number(now))
	f.Cause = &result.Cause{Summary: dtype + " is in the program, but in no kernel"}
	if first.Opcode != "" {
		f.Message += ", the first is " + first.Opcode
		f.Cause = &result.Cause{Summary: fmt.Sprintf("%s first in %s", dtype, first.Opcode), OpName: first.OpName, Source: SourceOf(first.Source)}
	}
	if why := v.Why(func(k *facts.Kernel) int64 { return oneIf(strings.Contains(k.Out, dtype+"[")) }); why != nil {
		f.Cause.Summary += "; " + why.Summary
		f.Evidence = evidence(why, anyKernel)
	}
	c.Find(f)
}
