package changes

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
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
	switch {
	case len(old) == 0 || len(fresh) == 0: // whatever the clusters are called: one that came may have taken another one's number
		out = append(out, same...)
		for _, o := range old {
			out = append(out, &Program{Old: o})
		}
		for _, f := range fresh {
			out = append(out, &Program{New: f})
		}
		return out
	case len(old) == len(fresh) || !compiledOnce(old) || !compiledOnce(fresh):
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

// OfClusters reports whether a program is one of TensorFlow's clusters, or several that are compared as one.
func OfClusters(program string) bool {
	first, _, _ := strings.Cut(program, jointMark)
	return (&facts.Program{Name: first}).IsCluster()
}

// ClustersSplitBy returns why there are more clusters than before: operations that moved to another device, else a new operation outside of all clusters; nil if there
// are no more, or if no reason is known. Operations that XLA cannot compile come first, then the model's own, then those of conditions.
func ClustersSplitBy(old, fresh *tensorflow.Clusters) *Cause {
	if old == nil || !old.Ran || fresh == nil || len(fresh.Clusters) <= len(old.Clusters) {
		return nil
	}
	if moved := Moved(old, fresh); moved != nil {
		return moved
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
	op := likeliest(cuts)
	if op == nil {
		return nil
	}
	title := op.Op + " is in no cluster and splits them"
	if op.Op == branch {
		title = "a condition (Switch) is in no cluster and splits them"
	}
	return &Cause{Title: title, OpName: op.Node, OpType: op.Op, Source: op.Source}
}

// Moved says which operations run on another device than before; nil if no device has lost some, or if the devices of one side are not known.
func Moved(old, fresh *tensorflow.Clusters) *Cause {
	if old == nil || fresh == nil || len(old.Placed) == 0 {
		return nil
	}
	more := func(device string) int { return len(fresh.Placed[device]) - len(old.Placed[device]) }
	devices := slices.SortedFunc(maps.Keys(fresh.Placed), func(a, b string) int {
		return cmp.Or(cmp.Compare(more(b), more(a)), strings.Compare(a, b))
	})
	loses := slices.ContainsFunc(slices.Collect(maps.Keys(old.Placed)), func(device string) bool { return more(device) < 0 })
	if !loses || len(devices) == 0 || more(devices[0]) <= 0 {
		return nil
	}
	to := devices[0]
	ops := fresh.Placed[to]
	kinds := AddNew(nil, texts(ops, func(op tensorflow.PlacedOp) string { return op.Op })...)
	title := to + " now runs " + strings.Join(phrase.Within(kinds, 3), ", ")
	if was := len(old.Placed[to]); was > 0 {
		title = fmt.Sprintf("%s now runs %s, %d before", to, phrase.Some(len(ops), "operation"), was)
	}
	cause := &Cause{Title: title, OpName: ops[0].Node, OpType: ops[0].Op}
	for _, op := range ops {
		cause.Source = cmp.Or(cause.Source, op.Source)
	}
	return cause
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

// blameSplit makes what splits clusters or a graph the cause of what no edit explains: values between clusters become results and arguments.
func (p *Program) blameSplit(by *Cause) {
	if by == nil || p.Parts == nil {
		return
	}
	for _, v := range p.Variants {
		for i := range v.Causes {
			if c := &v.Causes[i]; slices.Contains([]string{KindToolchain, KindUnknown, KindResults}, c.Kind) || c.Kind == KindCode && len(c.Edits) == 0 {
				c.Title, c.OpName, c.Source, c.OpType, c.Exact = by.Title, by.OpName, by.Source, by.OpType, by.Exact
			}
		}
	}
}
