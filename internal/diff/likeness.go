package diff

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
)

// contents remembers what programs do: each of many is held against each of as many others.
type contents map[*facts.Program]*content

// content counts what the compilation does that does most of it, one of many being no more than one.
type content struct{ asked, launched map[string]int }

func (c *contents) of(p *facts.Program) *content {
	if *c == nil {
		*c = contents{}
	}
	if (*c)[p] == nil {
		(*c)[p] = &content{busiest(p, asked), busiest(p, launched)}
	}
	return (*c)[p]
}

// inCommon is the share of what either program does that both do; more than all of it where a compilation is just the same.
func (c *contents) inCommon(old, fresh *facts.Program) float64 {
	for _, a := range old.Variants {
		for _, b := range fresh.Variants {
			if a.Fingerprint == b.Fingerprint && a.Signature == b.Signature {
				return 2
			}
		}
	}
	was, is := c.of(old).asked, c.of(fresh).asked
	if len(was) == 0 || len(is) == 0 {
		was, is = c.of(old).launched, c.of(fresh).launched
	}
	same, all := 0, max(total(was), total(is))
	if all == 0 {
		return 0
	}
	for key, n := range was {
		same += min(n, is[key])
	}
	return float64(same) / float64(all)
}

func busiest(p *facts.Program, count func(*facts.Program) map[string]int) map[string]int {
	most := map[string]int{}
	for _, v := range p.Variants {
		for key, n := range count(alone(v)) {
			most[key] = max(most[key], n)
		}
	}
	return most
}

// leastAlike is the share of what they do that two programs have to have in common to be the same one under another name.
const leastAlike = 0.75

// pairChanged joins removed and added programs that take arguments of the same shapes, in whatever order and under whatever names, and still do most
// of the same: renamed and changed at once. Of several the most alike go together.
func pairChanged(removed []*facts.Program, added []programs) ([]*facts.Program, []programs) {
	taken := map[*facts.Program]bool{}
	for _, m := range matches(removed, added) {
		if pair, p := &added[m.added], removed[m.removed]; pair.old == nil && !taken[p] {
			pair.old, taken[p] = p, true
		}
	}
	return slices.DeleteFunc(removed, func(p *facts.Program) bool { return taken[p] }), added
}

// match is an added program that may be a removed one.
type match struct {
	added, removed int
	share          float64
}

// maxMatches bounds how many programs that take the same arguments are held against each other. Of more than a thousand that all have other
// names and do something else, none is told from the rest by what is left of it.
const maxMatches = 1 << 20

// matches lists programs that may be the same, the most alike first.
func matches(removed []*facts.Program, added []programs) (all []match) {
	var counts doings
	byShapes := map[string][]int{}
	for j, p := range removed {
		if !isCluster(p) {
			byShapes[shapesTaken(p)] = append(byShapes[shapesTaken(p)], j)
		}
	}
	tried := map[string]int{}
	for i := range added {
		takes := shapesTaken(added[i].fresh)
		if tried[takes] += len(byShapes[takes]); added[i].old != nil || tried[takes] > maxMatches {
			continue
		}
		for _, j := range byShapes[takes] {
			if share := counts.likeness(removed[j], added[i].fresh); share >= leastAlike {
				all = append(all, match{i, j, share})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b match) int { return cmp.Compare(b.share, a.share) })
	return all
}

// shapesTaken spells the shapes of the arguments of all compilations of a program.
func shapesTaken(p *facts.Program) string {
	var list []string
	for _, v := range p.Variants {
		var shapes []string
		for i := range v.Params {
			shapes = append(shapes, v.Params[i].Shape)
		}
		slices.Sort(shapes)
		list = append(list, strings.Join(shapes, ";"))
	}
	slices.Sort(list)
	return strings.Join(list, "\n")
}

// leastKept is the share of its arguments or of its operations that a program has to keep to be the same one under the same name.
const leastKept = 0.25

// another reports whether two programs of one name have hardly anything in common: neither arguments nor what they do.
func another(old, fresh *facts.Program) bool {
	was, is := asked(old), asked(fresh)
	if len(was) == 0 || len(is) == 0 {
		was, is = launched(old), launched(fresh)
	}
	return common(was, is) < leastKept && common(argumentsOf(old), argumentsOf(fresh)) < leastKept
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

// common is the share that two counts have in common, of the one that counts more; 1 where neither counts anything.
func common(a, b map[string]int) float64 {
	same, all := 0, max(total(a), total(b))
	for key, n := range a {
		same += min(n, b[key])
	}
	if all == 0 {
		return 1
	}
	return float64(same) / float64(all)
}

// doing counts what a program does: what its model asks for, and what is launched.
type doing struct {
	asked, launched       map[string]int
	allAsked, allLaunched int
}

// doings remembers what each program does.
type doings map[*facts.Program]*doing

func (d *doings) of(p *facts.Program) *doing {
	if *d == nil {
		*d = doings{}
	}
	if (*d)[p] == nil {
		a, l := asked(p), launched(p)
		(*d)[p] = &doing{a, l, total(a), total(l)}
	}
	return (*d)[p]
}

// likeness is the share of operations that both ask for, of the one that asks for fewer: a program may grow or shrink. Where it is not known
// what the models ask for, kernels are compared.
func (d *doings) likeness(a, b *facts.Program) float64 {
	old, fresh := d.of(a), d.of(b)
	was, is, fewer := old.asked, fresh.asked, min(old.allAsked, fresh.allAsked)
	if len(was) == 0 || len(is) == 0 {
		was, is, fewer = old.launched, fresh.launched, min(old.allLaunched, fresh.allLaunched)
	}
	if fewer == 0 {
		return 0
	}
	same := 0
	for key, n := range was {
		same += min(n, is[key])
	}
	return float64(same) / float64(fewer)
}

// asked counts the operations of the model, by what they do in which type.
func asked(p *facts.Program) map[string]int {
	ops := map[string]int{}
	for _, v := range p.Variants {
		for i := range v.Model {
			for _, do := range v.Model[i].Do {
				ops[do+" "+v.Model[i].Type]++
			}
		}
	}
	return ops
}

// launched counts the kernels, by what they do.
func launched(p *facts.Program) map[string]int {
	work := map[string]int{}
	for _, v := range p.Variants {
		for i := range v.Kernels {
			if k := &v.Kernels[i]; k.Class != facts.ClassControl {
				work[strconv.Itoa(int(k.Class))+k.Target+"\x00"+k.Do.String()+"\x00"+k.Out]++
			}
		}
	}
	return work
}

func total(counts map[string]int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}
