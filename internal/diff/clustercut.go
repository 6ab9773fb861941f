package diff

import (
	"cmp"
	"slices"

	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/tensorflow"
)

// CutBy is the operation outside of all clusters that parts them, where there are more of them than there were: one that is new there and
// stands in a function with several of them; what XLA cannot compile before what it could, and the model's own before what is left of a
// condition. Nil where none is known.
func CutBy(old, fresh *tensorflow.Clusters) *tensorflow.UnclusteredOp {
	if old == nil || !old.Ran || fresh == nil || len(fresh.Clusters) <= len(old.Clusters) {
		return nil
	}
	had := map[string]int{}
	for _, op := range old.Unclustered {
		had[op.Op]++
	}
	cuts, conditions := []tensorflow.UnclusteredOp{}, map[string]bool{}
	for _, op := range fresh.Unclustered {
		if had[op.Op]--; had[op.Op] < 0 && op.Parts != tensorflow.PartsNothing {
			cuts = append(cuts, op)
			conditions[firstStep(op.Node)] = conditions[firstStep(op.Node)] || op.Op == branch
		}
	}
	cuts = slices.DeleteFunc(cuts, func(op tensorflow.UnclusteredOp) bool {
		return op.Op != branch && conditions[firstStep(op.Node)]
	})
	return likeliest(cuts)
}

// likeliest is the operation that comes first by what it is. Nil where operations of another kind are as likely: nothing tells which it was.
func likeliest(cuts []tensorflow.UnclusteredOp) *tensorflow.UnclusteredOp {
	if len(cuts) == 0 {
		return nil
	}
	first := slices.MaxFunc(cuts, func(a, b tensorflow.UnclusteredOp) int { return cmp.Compare(likelihood(a), likelihood(b)) })
	for _, op := range cuts {
		if op.Op != first.Op && likelihood(op) == likelihood(first) {
			return nil
		}
	}
	return &first
}

// likelihood is how likely it is that an operation parts clusters: of those that may the same, the model's own more than others.
func likelihood(op tensorflow.UnclusteredOp) int {
	if op.System {
		return 2 * int(op.Parts)
	}
	return 2*int(op.Parts) + 1
}

// branch is what TensorFlow makes of a condition before it clusters.
const branch = "Switch"

// CutSentence says what an operation does to the clusters around it.
func CutSentence(op *tensorflow.UnclusteredOp) string {
	if op.Op == branch {
		return "a condition (Switch) stays outside of every cluster, and parts them"
	}
	return op.Op + " stays outside of every cluster, and parts them"
}

// blameCut puts down to the operation that parts clusters what nothing else was edited for: values that one hands to the next are results and
// arguments then, and are computed where they were fused before.
func (p *Program) blameCut(op *tensorflow.UnclusteredOp) {
	if op == nil || p.Parts == nil {
		return
	}
	for _, v := range p.Variants {
		for i := range v.Causes {
			if c := &v.Causes[i]; slices.Contains([]string{result.KindToolchain, result.KindUnknown, result.KindResults}, c.Kind) {
				c.Title, c.OpName, c.Source, c.OpType = CutSentence(op), op.Node, op.Source, op.Op
			}
		}
	}
}
