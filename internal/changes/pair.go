package changes

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
)

// The least shares of what they do that programs have in common.
const (
	leastOfAnother = 0.75 // the same program under another name
	leastOfGraphs  = 0.5  // numbered graphs, and compilations of one program
	leastOfName    = 0.25 // the same name, and no other program; its arguments may be the same instead
	leastOfPart    = 0.9  // of a graph that is a part of another one
	leastOfNumber  = 0.1  // the same number of a graph: one that grew to ten times its size is another
)

// manyOperations are so many that a program which does all of them is taken for the one that did them, whatever its arguments are. To make random numbers takes 60.
const manyOperations = 128

// pairPrograms joins programs in this order: those of one name; those that are the same under another name; those that take arguments of the same shapes and do
// most of the same, because they were renamed and changed at once; then those that do most of the same and take most of the same arguments, because an argument
// came or went as well, or that do and return the same, because constants became arguments.
func pairPrograms(old, fresh []*facts.Program) []*Program {
	doing := works{}
	p := newPairing(old, fresh)
	p.inTurn(func(p *facts.Program) string { return "name " + p.Name })
	replaced := map[*facts.Program]*facts.Program{}
	recut := len(phrase.Filter(old, isCluster)) != len(phrase.Filter(fresh, isCluster)) // regroupClusters compares them as a whole
	for j, i := range p.was {
		if i >= 0 && !(recut && isCluster(old[i])) && doing.another(old[i], fresh[j]) {
			replaced[fresh[j]] = old[i]
			p.now[i], p.was[j] = regrouped, unpaired
		}
	}
	p.inTurn(func(p *facts.Program) string { return "is " + identity(p) })
	p.closest(func(p *facts.Program) string { return strconv.FormatBool(p.IsHashed()) }, func(a, b *facts.Program) float64 {
		share := doing.inCommon(a, b)
		if a.IsHashed() && (share >= leastOfGraphs || share >= leastOfName && signatures(a) == signatures(b)) {
			return share
		}
		return 0
	})
	p.closest(shapesTaken, func(a, b *facts.Program) float64 {
		if share := doing.contained(a, b); share >= leastOfAnother && !isCluster(a) {
			return share
		}
		return 0
	})
	p.closest(func(p *facts.Program) string { return strconv.FormatBool(isCluster(p)) }, func(a, b *facts.Program) float64 {
		share, taken := doing.inCommon(a, b), sharedShapes(a, b)
		if share >= 1 && total(doing.of(a).operations) >= manyOperations {
			taken = max(taken, sharedResults(a, b))
		}
		if share = min(share, taken); share >= leastOfAnother && !isCluster(a) {
			return share
		}
		return 0
	})
	var pairs []*Program
	for j, i := range p.was {
		pair := &Program{New: fresh[j], Replaced: replaced[fresh[j]]}
		if i >= 0 {
			pair.Old = old[i]
		}
		pairs = append(pairs, pair)
	}
	for _, o := range p.gone() {
		pairs = append(pairs, &Program{Old: o})
	}
	return joinParts(regroupClusters(pairs), doing)
}

// joinParts joins several programs that became one, and one program that became several, and compares them all together. A step that calls transform, scale and
// back inside of one jit takes the place of these three.
func joinParts(pairs []*Program, doing works) []*Program {
	alone := map[string][]*Program{} // numbered programs without a counterpart, by their names without the number
	for _, pair := range pairs {
		if pair.Old == nil || pair.New == nil {
			if stem, numbered := facts.Numbered(cmp.Or(pair.Old, pair.New).Name); numbered {
				alone[stem] = append(alone[stem], pair)
			}
		}
	}
	joined, joints := map[*Program]bool{}, []*Program{}
	for _, pair := range pairs {
		if joined[pair] {
			continue
		}
		among := pairs
		if pair.Old != nil && pair.New != nil && pair.Old.Name == pair.New.Name {
			among = slices.Concat([]*Program{pair}, alone[pair.New.Name])
		}
		for _, old := range []bool{true, false} {
			parts := partsOf(pair, among, joined, old, doing)
			if len(parts) < 2 {
				continue
			}
			sides := phrase.Map(parts, func(part *Program) *facts.Program { return sideOf(part, old) })
			joint := &Program{Were: []*facts.Program{pair.Old}, Parts: sides}
			if old {
				joint.Were, joint.Parts = sides, []*facts.Program{pair.New}
			}
			name := jointName(joint.Were, joint.Parts)
			joint.Old, joint.New = facts.Joint(name, joint.Were), facts.Joint(name, joint.Parts)
			joints, joined[pair] = append(joints, joint), true
			for _, part := range parts {
				joined[part] = true
			}
			break
		}
	}
	return append(phrase.Filter(pairs, func(pair *Program) bool { return !joined[pair] }), joints...)
}

// partsOf lists the pairs with the programs of one side that a program of the other side was made of, among some that are not joined yet. A part does hardly
// anything that the whole does not do, and has no other counterpart. If the whole has a counterpart of its own name, another part does something that the
// counterpart does not do: "step" becomes "step" and "step-2" where torch_xla.sync cuts it.
func partsOf(pair *Program, among []*Program, joined map[*Program]bool, old bool, doing works) []*Program {
	whole, counterpart := sideOf(pair, !old), sideOf(pair, old)
	if whole == nil || pair.Parts != nil || isCluster(whole) || len(among) < 2 {
		return nil
	}
	named := counterpart != nil && counterpart.Name == whole.Name
	parts := phrase.Filter(among, func(other *Program) bool {
		part := sideOf(other, old)
		if part == nil || joined[other] || other != pair && sideOf(other, !old) != nil {
			return false
		}
		isPart := !isCluster(part) && compiledTogether(part, whole) && len(doing.of(part).operations) > 0 && doing.within(part, whole) >= leastOfPart
		return isPart && (other == pair || !named || doing.within(part, counterpart) < leastOfPart)
	})
	if counterpart != nil && !slices.Contains(parts, pair) {
		return nil
	}
	return parts
}

// compiledTogether reports whether it is known which compilation of a part belongs to which one of the whole: a part was compiled once, or as often.
func compiledTogether(part, whole *facts.Program) bool {
	again := func(v *facts.Variant) bool { return len(v.Modules) > 1 }
	if slices.ContainsFunc(part.Variants, again) || slices.ContainsFunc(whole.Variants, again) {
		return false
	}
	return len(part.Variants) == 1 || len(part.Variants) == len(whole.Variants)
}

// sideOf is a program of a pair: the old one or the new one.
func sideOf(p *Program, old bool) *facts.Program {
	if old {
		return p.Old
	}
	return p.New
}

// identity spells the compilations of a program without its name.
func identity(p *facts.Program) string {
	return eachSorted(p, func(v *facts.Variant) string { return v.Fingerprint + " " + v.InputPrint })
}

// sharedShapes is the share of their arguments' shapes that two programs have in common.
func sharedShapes(a, b *facts.Program) float64 {
	was, is := shapeCounts(a), shapeCounts(b)
	return share(was, is, max(total(was), total(is)), 1)
}

// sharedResults is the share of their results' shapes that two programs have in common.
func sharedResults(a, b *facts.Program) float64 {
	results := func(p *facts.Program) []string { return hlo.ShapeText(p.Variants[0].Result).Elements() }
	was, is := countOf(results(a)), countOf(results(b))
	return share(was, is, max(total(was), total(is)), 0)
}

// shapeCounts counts the shapes of the arguments of a program's first compilation.
func shapeCounts(p *facts.Program) map[string]int {
	counts := map[string]int{}
	if len(p.Variants) > 0 {
		for i := range p.Variants[0].Params {
			counts[p.Variants[0].Params[i].Shape]++
		}
	}
	return counts
}

// signatures spells the arguments of a program's compilations.
func signatures(p *facts.Program) string {
	return eachSorted(p, func(v *facts.Variant) string { return v.Signature })
}

// shapesTaken spells the shapes of the arguments of a program's compilations, sorted.
func shapesTaken(p *facts.Program) string {
	return eachSorted(p, func(v *facts.Variant) string {
		shapes := strings.Split(shapesOf(v), ";")
		slices.Sort(shapes)
		return strings.Join(shapes, ";")
	})
}

func eachSorted(p *facts.Program, spell func(*facts.Variant) string) string {
	list := texts(p.Variants, spell)
	slices.Sort(list)
	return strings.Join(list, "\n")
}

// pairVariants joins the compilations of a program: those with the same arguments, then those with the same content, then those with arguments of the same
// shapes, then of the same ranks, then any. In the last three steps those go together first that do most of the same, and the rest in order.
func pairVariants(old, fresh *facts.Program) (pairs [][2]*facts.Variant) {
	p := newPairing(compilations(old), compilations(fresh))
	p.inTurn(onVariant(func(v *facts.Variant) string { return v.Signature + "\n" + v.Fingerprint }))
	p.inTurn(onVariant(func(v *facts.Variant) string { return "(" + cmp.Or(v.Signature, v.Fingerprint) })) // of joint programs no arguments are known
	p.inTurn(onVariant(func(v *facts.Variant) string { return "is " + v.Fingerprint }))
	doing := works{}
	alike := func(a, b *facts.Program) float64 {
		if share := doing.inCommon(a, b); share >= leastOfGraphs {
			return share * asMany(a.Variants[0], b.Variants[0])
		}
		return 0
	}
	for _, key := range []func(*facts.Variant) string{shapesOf, ranksOf, func(*facts.Variant) string { return "any" }} {
		if old, fresh := p.left(); len(old) > 0 && len(fresh) > 0 {
			p.closest(onVariant(key), alike)
			p.inTurn(onVariant(func(v *facts.Variant) string { return "(" + key(v) }))
		}
	}
	for j, f := range p.fresh {
		pair := [2]*facts.Variant{nil, f.Variants[0]}
		if i := p.was[j]; i >= 0 {
			pair[0] = p.old[i].Variants[0]
		}
		pairs = append(pairs, pair)
	}
	for _, o := range p.gone() {
		pairs = append(pairs, [2]*facts.Variant{o.Variants[0], nil})
	}
	return pairs
}

// compilations lists the variants of a program as programs of one variant.
func compilations(p *facts.Program) (list []*facts.Program) {
	if p == nil {
		return nil
	}
	for _, v := range p.Variants {
		list = append(list, &facts.Program{Variants: []*facts.Variant{v}})
	}
	return list
}

func onVariant(key func(*facts.Variant) string) func(*facts.Program) string {
	return func(p *facts.Program) string { return key(p.Variants[0]) }
}

// asMany is the share of arguments that two compilations can have in common. A few more or less count little. An optimizer makes its state in the first step,
// and the later steps take it as arguments: they do nearly the same, but are another compilation.
func asMany(a, b *facts.Variant) float64 {
	const few = 8
	return float64(few+min(len(a.Params), len(b.Params))) / float64(few+max(len(a.Params), len(b.Params)))
}

func shapesOf(v *facts.Variant) string { return eachParam(v, shapeOf) }

func ranksOf(v *facts.Variant) string { return eachParam(v, rankOf) }

func eachParam(v *facts.Variant, spell func(*facts.Parameter) string) string {
	var b strings.Builder
	for i := range v.Params {
		b.WriteString(spell(&v.Params[i]))
		b.WriteByte(';')
	}
	return b.String()
}

// NameGraphs renames programs that share a name, and so are numbered in the order of compilation: each takes the name of its counterpart in the old report.
func NameGraphs(old, fresh *facts.Report) {
	was, is := byStem(old.Programs), byStem(fresh.Programs)
	for stem, graphs := range is {
		_, nameless := facts.NumberedGraph(stem)
		shared := len(was[stem])+len(graphs) > 2
		if len(was[stem]) > 0 && (nameless || shared || was[stem][0].Name != graphs[0].Name) {
			nameGraphs(stem, was[stem], graphs)
		}
	}
	slices.SortFunc(fresh.Programs, func(a, b *facts.Program) int { return strings.Compare(a.Name, b.Name) })
}

// byStem lists the programs whose names differ only by a number, by the rest of the name.
func byStem(list []*facts.Program) map[string][]*facts.Program {
	found := map[string][]*facts.Program{}
	for _, p := range list {
		stem, _ := facts.Numbered(p.Name)
		found[stem] = append(found[stem], p)
	}
	return found
}

// nameGraphs gives each graph the name of its counterpart: of the one that does nearly the same, else of one that takes and returns the same, else of the one that
// it has most in common with, or that does the same in other types. How many arguments they take counts too: the first step and the later ones do the same, and
// the later ones take the optimizer's state. A graph without a counterpart keeps its name if that is free, or if the old graph of this name has something in
// common with it.
func nameGraphs(stem string, old, fresh []*facts.Program) {
	doing := works{}
	p := newPairing(old, fresh)
	handed := func(a, b *facts.Program) float64 {
		if share := doing.inCommon(a, b); share >= leastOfNumber && len(a.Variants[0].Params) > 1 && signatures(a) == signatures(b) && sharedResults(a, b) == 1 {
			return share + leastOfGraphs
		}
		return 0
	}
	nearly := func(a, b *facts.Program) float64 {
		if share := doing.inCommon(a, b); share >= leastOfPart {
			return share
		}
		return 0
	}
	for _, likeness := range []func(a, b *facts.Program) float64{nearly, handed, doing.inCommon, doing.untyped} {
		p.closest(func(*facts.Program) string { return "" }, func(a, b *facts.Program) float64 {
			if share := likeness(a, b); share >= leastOfGraphs {
				return share * asMany(a.Variants[0], b.Variants[0])
			}
			return 0
		})
	}
	taken := map[string]bool{}
	for j, i := range p.was {
		if i >= 0 {
			fresh[j].Name = old[i].Name
			taken[old[i].Name] = true
		}
	}
	left := slices.DeleteFunc(p.added(), func(f *facts.Program) bool {
		other := func(o *facts.Program) bool { return o.Name == f.Name && doing.inCommon(o, f) < leastOfNumber }
		keeps := !taken[f.Name] && !slices.ContainsFunc(old, other)
		taken[f.Name] = taken[f.Name] || keeps
		return keeps
	})
	for _, o := range old {
		taken[o.Name] = true
	}
	for _, f := range left {
		for n := 2; taken[f.Name]; n++ {
			f.Name = fmt.Sprintf("%s-%d", stem, n)
		}
		taken[f.Name] = true
	}
}

// works counts what programs do. Of each program it takes, for each operation, the compilation that has most of it. It keeps the counts, because each of many
// programs is compared with each of as many others.
type works map[*facts.Program]work

// work is what a program does. Kernels are only counted where no operations are known.
type work struct {
	operations map[string]int
	kernels    func() map[string]int
}

func (w works) of(p *facts.Program) work {
	known, ok := w[p]
	if !ok {
		known = work{most(p, operationsOf), sync.OnceValue(func() map[string]int { return most(p, kernelsOf) })}
		w[p] = known
	}
	return known
}

// both returns what two programs do: the operations of their models where both are known, else their kernels.
func (w works) both(a, b *facts.Program) (was, is map[string]int) {
	old, fresh := w.of(a), w.of(b)
	if len(old.operations) == 0 || len(fresh.operations) == 0 {
		return old.kernels(), fresh.kernels()
	}
	return old.operations, fresh.operations
}

// most counts what a program does most often in one of its compilations.
func most(p *facts.Program, count func(*facts.Variant) map[string]int) map[string]int {
	counts := map[string]int{}
	for _, v := range p.Variants {
		for key, n := range count(v) {
			counts[key] = max(counts[key], n)
		}
	}
	return counts
}

// inCommon is the share that two programs have in common of what the larger one does. It is 2 if they have an equal compilation.
func (w works) inCommon(old, fresh *facts.Program) float64 {
	if shareCompilation(old, fresh) {
		return 2
	}
	was, is := w.both(old, fresh)
	return share(was, is, max(total(was), total(is)), 0)
}

// untyped is the share that two programs have in common of what the larger one does, in whatever types.
func (w works) untyped(old, fresh *facts.Program) float64 {
	was, is := w.both(old, fresh)
	was, is = withoutTypes(was), withoutTypes(is)
	return share(was, is, max(total(was), total(is)), 0)
}

func withoutTypes(counts map[string]int) map[string]int {
	merged := map[string]int{}
	for key, n := range counts {
		do, _, _ := strings.Cut(key, " ")
		merged[do] += n
	}
	return merged
}

func shareCompilation(old, fresh *facts.Program) bool {
	return slices.ContainsFunc(old.Variants, func(a *facts.Variant) bool {
		return slices.ContainsFunc(fresh.Variants, func(b *facts.Variant) bool { return a.Fingerprint == b.Fingerprint && a.Signature == b.Signature })
	})
}

// contained is the share that two programs have in common of what the smaller one does: a program may grow or shrink.
func (w works) contained(old, fresh *facts.Program) float64 {
	was, is := w.both(old, fresh)
	return share(was, is, min(total(was), total(is)), 0)
}

// within is the share of what a part does that the whole does too.
func (w works) within(part, whole *facts.Program) float64 {
	does, all := w.both(part, whole)
	return share(does, all, total(does), 0)
}

// besides is the share of the operations of a part that a program has now besides those that it had.
func (w works) besides(p *Program, part *facts.Program) float64 {
	does, added := w.of(part).operations, maps.Clone(w.of(p.New).operations)
	for do, n := range w.of(p.Old).operations {
		added[do] = max(0, added[do]-n)
	}
	return share(does, added, total(does), 0)
}

// another reports whether two programs of one name differ in most arguments and most operations.
func (w works) another(old, fresh *facts.Program) bool {
	if shareCompilation(old, fresh) {
		return false
	}
	was, is := w.both(old, fresh)
	before, now := argumentsOf(old), argumentsOf(fresh)
	return share(was, is, max(total(was), total(is)), 1) < leastOfName && share(before, now, max(total(before), total(now)), 1) < leastOfName
}

// share is how much two counts have in common, of a whole; what it is of nothing.
func share(a, b map[string]int, whole int, ofNothing float64) float64 {
	if whole == 0 {
		return ofNothing
	}
	same := 0
	for key, n := range a {
		same += min(n, b[key])
	}
	return float64(same) / float64(whole)
}

// argumentsOf counts the arguments of a program's compilations by their names.
func argumentsOf(p *facts.Program) map[string]int {
	names := map[string]int{}
	for _, v := range p.Variants {
		for i := range v.Params {
			names[v.Params[i].Name]++
		}
	}
	return names
}

// operationsOf counts the operations of the model, by what they do in which type.
func operationsOf(v *facts.Variant) map[string]int {
	counts := map[string]int{}
	for i := range v.Model {
		for _, do := range v.Model[i].Do {
			counts[do+" "+v.Model[i].Type]++
		}
	}
	return counts
}

// kernelsOf counts the kernels, by what they do.
func kernelsOf(v *facts.Variant) map[string]int {
	counts := map[string]int{}
	for i := range v.Kernels {
		if k := &v.Kernels[i]; k.Class != facts.ClassControl {
			counts[strconv.Itoa(int(k.Class))+k.Target+"\x00"+k.Do.String()+"\x00"+k.Out]++
		}
	}
	return counts
}

func total(counts map[string]int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}
