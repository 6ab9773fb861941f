package changes

import (
	"cmp"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/tensorflow"
)

// regroupClusters joins TensorFlow clusters that merged or split into one program: an operation between them moves others from one to the next, and their
// names are numbers. Clusters that are the same stay apart.
func regroupClusters(pairs []*Program) []*Program {
	var out []*Program
	var old, fresh []*facts.Program
	for _, pair := range pairs {
		if !isCluster(pair.Old) && !isCluster(pair.New) {
			out = append(out, pair)
			continue
		}
		if pair.Old != nil {
			old = append(old, pair.Old)
		}
		if pair.New != nil {
			fresh = append(fresh, pair.New)
		}
	}
	same := keepSame(&old, &fresh)
	if len(old) == 0 || len(fresh) == 0 {
		same = giveBack(same, &old, &fresh)
	}
	if len(old) == len(fresh) || len(old) == 0 || len(fresh) == 0 || !compiledOnce(old) || !compiledOnce(fresh) {
		return pairs
	}
	name := jointName(old, fresh)
	joint := &Program{Old: facts.Joint(name, old), New: facts.Joint(name, fresh), Parts: fresh, Were: old}
	return append(append(out, same...), joint)
}

func isCluster(p *facts.Program) bool { return p != nil && p.IsCluster() }

// giveBack removes clusters with equal arguments from the pairs if they do more of the same together with those that only one side has left.
func giveBack(same []*Program, old, fresh *[]*facts.Program) []*Program {
	was, is := slices.Clone(*old), slices.Clone(*fresh)
	if !compiledOnce(was) || !compiledOnce(is) {
		return same
	}
	doing := works{}
	return slices.DeleteFunc(same, func(pair *Program) bool {
		both := []*facts.Program{pair.Old, pair.New}
		if !compiledOnce(both) || identity(pair.Old) == identity(pair.New) {
			return false
		}
		before, after := facts.Joint("", append(both[:1:1], was...)), facts.Joint("", append(both[1:2:2], is...))
		moved := doing.inCommon(before, after) > doing.inCommon(pair.Old, pair.New)
		if moved {
			*old, *fresh = append(*old, pair.Old), append(*fresh, pair.New)
		}
		return moved
	})
}

// keepSame takes the clusters with the same arguments from both lists: of the same name first, then of any.
func keepSame(old, fresh *[]*facts.Program) (same []*Program) {
	p := newPairing(*old, *fresh)
	p.inTurn(func(p *facts.Program) string { return p.Name + "\n" + signatures(p) })
	p.inTurn(func(p *facts.Program) string { return "\n" + signatures(p) })
	for j, i := range p.was {
		if i >= 0 {
			same = append(same, &Program{Old: p.old[i], New: p.fresh[j]})
		}
	}
	*old, *fresh = p.gone(), p.added()
	return same
}

// compiledOnce reports whether each program was compiled exactly once: else it is not known which compilations belong together.
func compiledOnce(list []*facts.Program) bool {
	return !slices.ContainsFunc(list, func(p *facts.Program) bool { return len(p.Variants) != 1 || len(p.Variants[0].Modules) > 1 })
}

// jointName is what clusters of both sides are called together: "cluster_0 + cluster_1".
func jointName(sides ...[]*facts.Program) string {
	names := texts(slices.Concat(sides...), func(p *facts.Program) string { return p.Name })
	slices.Sort(names)
	return strings.Join(slices.Compact(names), jointMark)
}

const jointMark = " + "

// IsPart reports whether a joint name contains a program.
func IsPart(joint, name string) bool {
	return strings.Contains(joint, jointMark) && slices.Contains(strings.Split(joint, jointMark), name)
}

// CutBy returns the new operation outside of all clusters that splits them; nil if there are no more clusters than before or none is known. Operations that
// XLA cannot compile come first, then the model's own, then those of conditions.
func CutBy(old, fresh *tensorflow.Clusters) *tensorflow.UnclusteredOp {
	if old == nil || !old.Ran || fresh == nil || len(fresh.Clusters) <= len(old.Clusters) {
		return nil
	}
	p := newPairing(old.Unclustered, fresh.Unclustered)
	p.inTurn(func(op tensorflow.UnclusteredOp) string { return op.Op })
	cuts, conditions := []tensorflow.UnclusteredOp{}, map[string]bool{}
	for _, op := range p.added() {
		if op.Separates != tensorflow.SeparatesNothing {
			cuts = append(cuts, op)
			conditions[firstStep(op.Node)] = conditions[firstStep(op.Node)] || op.Op == branch
		}
	}
	cuts = slices.DeleteFunc(cuts, func(op tensorflow.UnclusteredOp) bool {
		return op.Op != branch && conditions[firstStep(op.Node)]
	})
	return likeliest(cuts)
}

// likeliest returns the likeliest operation; nil if others are as likely.
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

// likelihood ranks operations by how likely they split clusters: of equal ones, the model's own come first.
func likelihood(op tensorflow.UnclusteredOp) int {
	if op.System {
		return 2 * int(op.Separates)
	}
	return 2*int(op.Separates) + 1
}

// branch is what TensorFlow makes of a condition before it clusters.
const branch = "Switch"

// CutTitle says what an operation does to the clusters around it.
func CutTitle(op *tensorflow.UnclusteredOp) string {
	if op.Op == branch {
		return "a condition (Switch) is in no cluster and splits them"
	}
	return op.Op + " is in no cluster and splits them"
}

// blameCut makes the operation that splits clusters the cause of what no edit explains: values between clusters become results and arguments.
func (p *Program) blameCut(op *tensorflow.UnclusteredOp) {
	if op == nil || p.Parts == nil {
		return
	}
	for _, v := range p.Variants {
		for i := range v.Causes {
			if c := &v.Causes[i]; slices.Contains([]string{KindToolchain, KindUnknown, KindResults}, c.Kind) {
				c.Title, c.OpName, c.Source, c.OpType = CutTitle(op), op.Node, op.Source, op.Op
			}
		}
	}
}
