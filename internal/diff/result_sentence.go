package diff

import (
	"fmt"
	"slices"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
)

// NewResult finds a result that the program did not return before, or not in that shape; "" when there is none, or the old program's
// results are not known.
func NewResult(v *Variant) (op facts.Op, sentence string) {
	if v == nil || v.Old == nil {
		return facts.Op{}, ""
	}
	return resultSentence(v)
}

// resultSentence finds a result that the program did not return before, and the operation that makes it.
func resultSentence(v *Variant) (facts.Op, string) {
	if v.Rescaled || v.Old.Result == "" || v.Old.Result == v.New.Result {
		return facts.Op{}, ""
	}
	had := countOf(hlo.TupleElements(v.Old.Result))
	var fresh []facts.Op
	for _, op := range v.New.Results {
		if had[op.Shape]--; had[op.Shape] < 0 {
			fresh = append(fresh, op)
		}
	}
	if len(fresh) == 0 {
		return facts.Op{}, ""
	}
	fresh = newest(v.Old, v.New.Results, fresh)
	text := fmt.Sprintf("%s is a result of the program now", resultWord(fresh[0]))
	if len(fresh) > 1 {
		text = fmt.Sprintf("%d results are new, among them %s", len(fresh), resultWord(fresh[0]))
	}
	return fresh[0], text
}

func resultWord(op facts.Op) string {
	name := lastStep(op.OpName)
	if name == "" {
		name = op.Opcode
	}
	return name + " " + op.Shape
}

// newest picks, of results that are alike in shape, those whose operation the old program did not end in.
func newest(old *facts.Variant, all, fresh []facts.Op) []facts.Op {
	ended := map[string]bool{}
	for i := range old.Kernels {
		ended[old.Kernels[i].OpName] = true
	}
	for _, op := range old.Results {
		ended[op.OpName] = true
	}
	var out []facts.Op
	for _, op := range all {
		if !ended[op.OpName] && slices.ContainsFunc(fresh, func(f facts.Op) bool { return f.Shape == op.Shape }) {
			out = append(out, op)
		}
	}
	if len(out) == 0 {
		return fresh
	}
	return out[:min(len(out), len(fresh))]
}
