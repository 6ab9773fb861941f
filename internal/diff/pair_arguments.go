package diff

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
)

// pairing finds for every argument the old one that it was.
type pairing struct {
	old, fresh []facts.Parameter
	was        []int  // of every new argument: the old one, or unpaired
	taken      []bool // of every old one
}

func newPairing(old, fresh []facts.Parameter) *pairing {
	return &pairing{old: old, fresh: fresh, was: filled(len(fresh)), taken: make([]bool, len(old))}
}

// by pairs what is left and has a key in common, in order.
func (p *pairing) by(key func(*facts.Parameter) string) {
	p.where(func(*facts.Parameter) bool { return true }, key)
}

func (p *pairing) where(fits func(*facts.Parameter) bool, key func(*facts.Parameter) string) {
	waiting := map[string][]int{}
	for i := range p.old {
		if o := &p.old[i]; !p.taken[i] && fits(o) {
			waiting[key(o)] = append(waiting[key(o)], i)
		}
	}
	for j := range p.fresh {
		if f := &p.fresh[j]; p.was[j] == unpaired && fits(f) && len(waiting[key(f)]) > 0 {
			p.join(waiting[key(f)][0], j)
			waiting[key(f)] = waiting[key(f)][1:]
		}
	}
}

func (p *pairing) join(i, j int) { p.was[j], p.taken[i] = i, true }

// byNames pairs arguments of one name; those in a part of the state that was renamed; and what is captured, which is called after the operation
// that reads it. Of what is left those may be each other that are used alike. Where none came or went, the others are, too.
func (p *pairing) byNames() {
	shape := func(a *facts.Parameter) string { return a.Shape }
	p.by(func(a *facts.Parameter) string { return a.Name })
	p.by(func(a *facts.Parameter) string { return keyOfPath(steps(a.Name)) })
	p.where(func(a *facts.Parameter) bool { return a.Captured }, shape)
	p.renamedTrees(shape)
	p.renamedTrees(func(a *facts.Parameter) string { return fmt.Sprint(hlo.ShapeText(a.Shape).Dims()) })
	p.by(func(a *facts.Parameter) string { return fmt.Sprint(a.Shape, a.Aliased, a.Donated, a.Unused) })
	if len(p.old) == len(p.fresh) {
		p.by(shape)
		p.by(func(*facts.Parameter) string { return "" })
	}
}

// steps is the way to an array in the model's state: state, params, w of "state.params['w']" and of "state['params']['w']".
func steps(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("[]'\"./", r) })
}

// subtree is a part of the state with the arrays in it that are not paired yet.
type subtree struct {
	path   []string
	leaves []int
	rests  []string        // of each the way from here
	print  strings.Builder // of each that and what it has to be alike in
}

// renamedTrees pairs parts of the state that hold the same arrays under another name, the largest first, and with them what else has moved
// from the one name to the other.
func (p *pairing) renamedTrees(alikeIn func(*facts.Parameter) string) {
	was := subtreesOf(p.old, alikeIn, func(i int) bool { return !p.taken[i] })
	is := subtreesOf(p.fresh, alikeIn, func(j int) bool { return p.was[j] == unpaired })
	alike := map[string][]*subtree{}
	for _, o := range was.largestFirst() {
		alike[o.print.String()] = append(alike[o.print.String()], o)
	}
	for _, t := range is.largestFirst() {
		for _, o := range alike[t.print.String()] {
			if !p.taken[o.leaves[0]] && p.was[t.leaves[0]] == unpaired {
				from, to := o.path, t.path
				for len(from) > 1 && len(to) > 1 && from[len(from)-1] == to[len(to)-1] { // a step before these was renamed
					from, to = from[:len(from)-1], to[:len(to)-1]
				}
				p.rename(was[keyOfPath(from)], is[keyOfPath(to)])
				break
			}
		}
	}
}

// rename pairs what is left under two names by the rest of the way.
func (p *pairing) rename(from, to *subtree) {
	at := map[string]int{}
	for n, i := range from.leaves {
		if !p.taken[i] {
			at[from.rests[n]] = i
		}
	}
	for n, j := range to.leaves {
		if i, there := at[to.rests[n]]; there && p.was[j] == unpaired && !p.taken[i] {
			p.join(i, j)
		}
	}
}

type subtrees map[string]*subtree

func keyOfPath(path []string) string { return strings.Join(path, "\x00") }

// subtreesOf finds the parts of the state with arrays that are left.
func subtreesOf(params []facts.Parameter, alikeIn func(*facts.Parameter) string, left func(int) bool) subtrees {
	all := subtrees{}
	for i := range params {
		path := steps(params[i].Name)
		for n := 1; n < len(path) && left(i); n++ {
			key, rest := keyOfPath(path[:n]), keyOfPath(path[n:])
			if all[key] == nil {
				all[key] = &subtree{path: path[:n]}
			}
			t := all[key]
			t.leaves, t.rests = append(t.leaves, i), append(t.rests, rest)
			t.print.WriteString(rest + "\x00" + alikeIn(&params[i]) + "\n")
		}
	}
	return all
}

// largestFirst orders parts by how much is in them, those of one size as they stand in the state.
func (s subtrees) largestFirst() []*subtree {
	return slices.SortedFunc(maps.Values(s), func(a, b *subtree) int {
		return cmp.Or(cmp.Compare(len(b.leaves), len(a.leaves)), cmp.Compare(a.leaves[0], b.leaves[0]), cmp.Compare(len(a.path), len(b.path)))
	})
}
