package diff

import (
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
)

// FirstNew finds the first operation that gives a type and is new with it: where the type comes into the model, not where a
// kernel first shows it. Without an old program it is the first of all.
func (v *Variant) FirstNew(dtype string) facts.Op {
	if s := firstStatement(v.Old, v.New, dtype); s != nil {
		return facts.Op{Opcode: weightiest(s.Do), OpName: s.OpName, Shape: dtype, Source: s.Source}
	}
	return firstInKernels(v.New, dtype)
}

// firstStatement finds the first statement in a type that the old model has fewer of in its scope, one with a known line before
// one without.
func firstStatement(old, fresh *facts.Variant, dtype string) *facts.Statement {
	had := map[string]int{}
	if old != nil && old.ModelAfter == fresh.ModelAfter {
		for i := range old.Model {
			if s := &old.Model[i]; s.Type == dtype {
				had[s.Scope] += len(s.Do)
			}
		}
	}
	var found *facts.Statement
	for i := range fresh.Model {
		s := &fresh.Model[i]
		if s.Type != dtype {
			continue
		}
		if had[s.Scope] -= len(s.Do); had[s.Scope] >= 0 {
			continue
		}
		if s.Source.File != "" {
			return s
		}
		if found == nil {
			found = s
		}
	}
	return found
}

// firstInKernels is for programs of whose model nothing is known.
func firstInKernels(v *facts.Variant, dtype string) facts.Op {
	var found facts.Op
	for i := range v.Kernels {
		for _, op := range opsOf(&v.Kernels[i]) {
			if !strings.Contains(op.Shape, dtype+"[") {
				continue
			}
			if op.Source.File != "" {
				return op
			}
			if found.Opcode == "" {
				found = op
			}
		}
	}
	return found
}
