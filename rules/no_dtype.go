package rules

import (
	"fmt"
	"strings"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/explain"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/glob"
	"github.com/xlagate/xlagate/internal/ledger"
	"github.com/xlagate/xlagate/internal/measure"
	"github.com/xlagate/xlagate/internal/result"
)

var noDtype = Rule{
	ID:       "no-dtype",
	Title:    "no unwanted types, such as float64",
	Category: Types,
	Why:      "One float64 scalar from numpy turns part of the model into double precision: half the speed on a CPU, a thirtieth on a GPU, emulated on a TPU.",
	Reads:    []Input{Optimized},
	Options: []Option{
		{Key: "dtypes", Type: Words, Sense: Demands, Enum: typeWords, Default: []string{"f64", "c128"}, Doc: "the types that are not wanted"},
		{Key: "allow", Type: Globs, Sense: Caps, Empty: true, Doc: "op_names that may have them; the rule passes when all operations that do are of these"},
		{Key: "new_only", Type: Switch, Sense: Caps, Default: false, Compares: true, Doc: "find only what the baseline does not have"},
		{Key: "except_scalars", Type: Switch, Sense: Caps, Default: false, Doc: "leave out single numbers in double precision, f64[] and c128[]: PyTorch/XLA hands Python numbers over as such, and they cost nothing"},
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
			a := Amount{Program: p, Variant: v, Subject: dtype, Noun: dtype + " operations", Better: Lower, Actual: c.unwanted(v.New, dtype)}
			if v.Old != nil {
				a.Base = new(c.operations(v.Old, dtype))
			}
			a.Tell = func(f result.Finding) []result.Finding { return []result.Finding{c.dtypeFinding(f, v, dtype)} }
			c.mayStay(c.accepted(p, v, dtype)).Forbid(a)
		}
	}
}

// accepted is how many operations of a type the baseline of a compilation has. One that the baseline does not know may have what any
// compilation of its program has: it is the same code for other arguments.
func (c *Context) accepted(p *diff.Program, v *diff.Variant, dtype string) *float64 {
	switch {
	case v.Old != nil:
		return new(c.operations(v.Old, dtype))
	case p.Old == nil:
		return nil
	}
	var most float64
	for _, old := range p.Old.Variants {
		most = max(most, c.operations(old, dtype))
	}
	return &most
}

// mayStay lets pass as much as there was, where only what is new matters.
func (c *Context) mayStay(was *float64) *Context {
	if !c.On("new_only") || was == nil {
		return c
	}
	return c.with(func(s *Settings) {
		switch {
		case s.Max != nil:
			s.Max = new(max(*s.Max, *was))
		case !s.bounded():
			s.MaxIncrease = &Change{}
		}
	})
}

// unwanted counts the operations of a type: none when all that bear a name are allowed.
func (c *Context) unwanted(v *facts.Variant, dtype string) float64 {
	if c.List("allow") != nil {
		if named, other := c.namedOf(v, dtype); len(named) > 0 && len(other) == 0 {
			return 0
		}
	}
	return c.operations(v, dtype)
}

// operations counts the operations of a type, those that matter.
func (c *Context) operations(v *facts.Variant, dtype string) float64 {
	n := v.Facts["dtypes."+dtype]
	if c.On("except_scalars") {
		n -= v.Facts["scalars."+dtype]
	}
	return n
}

// namedOf lists the operations of a type whose names are known, and those of them that are not allowed.
func (c *Context) namedOf(v *facts.Variant, dtype string) (named, other []facts.Op) {
	note := func(op facts.Op) {
		if op.OpName == "" {
			return
		}
		if named = append(named, op); !glob.Any(c.List("allow"), op.OpName) {
			other = append(other, op)
		}
	}
	for i := range v.Model {
		if s := &v.Model[i]; s.Type == dtype {
			note(facts.Op{Opcode: strings.Join(s.Do, ", "), OpName: s.OpName, Shape: dtype, Source: s.Source})
		}
	}
	for i := range v.Kernels {
		for op := range v.Kernels[i].Ops.All() {
			if strings.Contains(op.Shape, dtype+"[") {
				note(op)
			}
		}
	}
	return named, other
}

func (c *Context) dtypeFinding(f result.Finding, v *diff.Variant, dtype string) result.Finding {
	f.Message = fmt.Sprintf("%s is used by %s", dtype, measure.Counted(c.operations(v.New, dtype), "", "operations"))
	f.Cause = &result.Cause{Summary: dtype + " is in the program, but in no kernel"}
	first := diff.FirstNew(v, dtype)
	if _, other := c.namedOf(v.New, dtype); len(other) > 0 && glob.Any(c.List("allow"), first.OpName) {
		first = other[0]
	}
	if first.Opcode != "" {
		f.Message += ", the first is " + first.Opcode
		f.Cause = &result.Cause{Summary: fmt.Sprintf("%s first in %s", dtype, first.Opcode), OpName: first.OpName, Source: explain.SourceOf(first.Source)}
	}
	if why := v.Why(func(k *facts.Kernel) int64 { return ledger.One(strings.Contains(k.Out, dtype+"[")) }); why != nil {
		f.Cause.Summary += "; " + why.Summary
		f.Evidence = explain.Evidence(why, ledger.Any)
	}
	return f
}
