package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/rule"
)

var noDtype = rule.Rule{
	ID:    "no-dtype",
	Title: "no unwanted types, such as float64",
	Why:   "One float64 scalar from numpy turns part of the model into double precision: half the speed on a CPU, a thirtieth on a GPU, emulated on a TPU.",
	Options: []rule.Option{
		{Key: "dtypes", Type: rule.Words, Enum: rule.TypeWords, Default: []string{"f64", "c128"}, Doc: "the unwanted types"},
		{Key: "allow", Type: rule.Globs, Empty: true, Doc: "op_names of operations that may have them"},
		{Key: "new_only", Type: rule.Switch, Default: false, Compares: true, Doc: "report only types that the baseline does not have, or more of them; nothing where most floats of the accepted program have such a type"},
		{Key: "except_scalars", Type: rule.Switch, Default: false, Doc: "leave out f64[] and c128[]: PyTorch/XLA passes Python numbers this way"},
	},
	Budget:  &rule.Metric{Noun: "unwanted operations", Better: rule.Lower},
	Forbids: true,
	Fails:   rule.Example{On: "cpu-f64_creep/after", Config: "- { rule: no-dtype, dtypes: [f64] }", Says: "f64 is used by 17 operations, the first is reduce"},
	Passes:  rule.Example{On: "cpu-f64_creep/before", Config: "- { rule: no-dtype, dtypes: [f64] }"},
	Fix:     "Give the value the model's dtype: a Python float for a NumPy scalar, .astype or .float() for an array; in JAX leave jax_enable_x64 off; PyTorch/XLA passes Python numbers as f64[], which except_scalars leaves out.",
	Threads: []string{"pytorch/xla#6403", "jax-ml/jax#16698"},
	Variant: func(c *rule.Context, v *changes.Variant) {
		for _, dtype := range c.List("dtypes") {
			if c.On("new_only") && !c.Bounded() && v.Old != nil && operationsOf(c, v.New, dtype) > operationsOf(c, v.Old, dtype) && meant(c, v.Old) {
				c.Checked()
				continue
			}
			a := c.Count(dtype, func(v *facts.Variant) float64 { return operationsOf(c, v, dtype) })
			a.Noun = dtype + " operations"
			f := mayStay(c, v, dtype).Judge(a)
			if f == nil {
				continue
			}
			if c.On("new_only") {
				f.Bound = nil // what is accepted is not new
			}
			f.Message = fmt.Sprintf("%s is used by %s", dtype, phrase.Counted(operationsOf(c, v.New, dtype), "", "operations"))
			f.Cause = &changes.Cause{Title: dtype + " is in the program, but in no kernel"}
			first := v.FirstNew(dtype)
			if _, other := namedOf(c, v.New, dtype); len(other) > 0 && phrase.AnyGlob(c.List("allow"), first.OpName) {
				first = other[0]
			}
			if first.Opcode != "" {
				f.Message += ", the first is " + first.Opcode
				f.Cause = &changes.Cause{Title: fmt.Sprintf("%s first in %s", dtype, first.Opcode), OpName: first.OpName, Source: first.Source}
			}
			if why := v.Why(func(k *facts.Kernel) int64 { return changes.Flag(strings.Contains(k.Out, dtype+"[")) }); why != nil {
				f.Cause, f.Evidence = why, why.Evidence(facts.AnyKernel)
			}
		}
	},
}

// acceptedOf is how many operations of a type the baseline of a compilation has. A compilation that the baseline does not have may have as many as any
// compilation of its program, because it is the same code for other arguments, and a new program as many as any program: it may be a part of one, such as a graph
// that PyTorch/XLA ends earlier. It returns nil where the baseline has none.
func acceptedOf(c *rule.Context, v *changes.Variant, dtype string) *float64 {
	if v.Old != nil {
		return new(operationsOf(c, v.Old, dtype))
	}
	var accepted []*facts.Program
	if c.Program.Old != nil {
		accepted = append(accepted, c.Program.Old)
	} else if c.Target.Base != nil {
		accepted = c.Target.Base.Programs
	}
	var most float64
	for _, p := range accepted {
		for _, old := range p.Variants {
			most = max(most, operationsOf(c, old, dtype))
		}
	}
	if most == 0 {
		return nil
	}
	return &most
}

// meant reports whether most floats of an accepted program have the types of the entry: the model computes in them on purpose.
func meant(c *rule.Context, v *facts.Variant) bool {
	var unwanted, floats float64
	for _, dtype := range rule.TypeWords {
		if !strings.ContainsRune("fbc", rune(dtype[0])) { // f32, bf16, c64
			continue
		}
		if floats += v.Facts[facts.Dtype.Of(dtype)]; slices.Contains(c.List("dtypes"), dtype) {
			unwanted += operationsOf(c, v, dtype)
		}
	}
	return unwanted > floats/2
}

// mayStay returns a context in which as much passes as there was, if the entry says new_only.
func mayStay(c *rule.Context, v *changes.Variant, dtype string) *rule.Context {
	was := acceptedOf(c, v, dtype)
	if !c.On("new_only") || was == nil {
		return c
	}
	return c.With(func(s *rule.Settings) {
		switch {
		case s.Max != nil:
			s.Max = new(max(*s.Max, *was))
		case c.Program.Old == nil:
			s.Max = was
		case !s.Bounded():
			s.MaxIncrease = &rule.Change{}
		}
	})
}

// operationsOf counts the operations of a type that are not allowed. If all operations with a name are allowed, so are those without one: they only hand values
// on.
func operationsOf(c *rule.Context, v *facts.Variant, dtype string) float64 {
	n := v.Facts[facts.Dtype.Of(dtype)]
	if c.On("except_scalars") {
		n -= v.Facts[facts.ScalarDtype.Of(dtype)]
	}
	if c.List("allow") == nil {
		return n
	}
	named, other := namedOf(c, v, dtype)
	if len(named) > 0 && len(other) == 0 {
		return 0
	}
	return max(n-float64(len(named)-len(other)), float64(len(other)))
}

// namedOf lists the operations of a type whose names are known, and those of them that are not allowed.
func namedOf(c *rule.Context, v *facts.Variant, dtype string) (named, other []facts.Op) {
	note := func(op facts.Op) {
		if op.OpName == "" {
			return
		}
		if named = append(named, op); !phrase.AnyGlob(c.List("allow"), op.OpName) {
			other = append(other, op)
		}
	}
	for i := range v.Model {
		if s := &v.Model[i]; s.Type == dtype {
			note(facts.Op{Opcode: s.Do[0], OpName: s.OpName, Shape: dtype, Source: s.Source})
		}
	}
	for i := range v.Kernels {
		for _, op := range v.Kernels[i].Ops {
			if strings.Contains(op.Shape, dtype+"[") {
				note(*op.Op)
			}
		}
	}
	return named, other
}
