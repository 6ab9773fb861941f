package changes

import (
	"cmp"
	"slices"
)

// Marks in a pairing besides indices.
const (
	unpaired  = -1
	regrouped = -2
)

// pairing finds for each of some things which of the old ones it was. Every choice is made in order, so it is deterministic.
type pairing[T any] struct {
	old, fresh []T
	now        []int // of every old one: the new one, or a mark
	was        []int // of every new one: the old one, or a mark
	order      []int // in which the new ones are paired in turn
}

func newPairing[T any](old, fresh []T) *pairing[T] {
	p := &pairing[T]{old: old, fresh: fresh, now: slices.Repeat([]int{unpaired}, len(old)), was: slices.Repeat([]int{unpaired}, len(fresh))}
	for j := range fresh {
		p.order = append(p.order, j)
	}
	return p
}

func (p *pairing[T]) join(i, j int) { p.now[i], p.was[j] = j, i }

// left lists the old and the new ones that are not paired.
func (p *pairing[T]) left() (old, fresh []int) {
	for i, j := range p.now {
		if j == unpaired {
			old = append(old, i)
		}
	}
	for _, j := range p.order {
		if p.was[j] == unpaired {
			fresh = append(fresh, j)
		}
	}
	return old, fresh
}

// inTurn joins those with the same key, in order. A key of "" joins with nothing.
func (p *pairing[T]) inTurn(key func(T) string) {
	old, fresh := p.left()
	waiting := map[string][]int{}
	for _, i := range old {
		if k := key(p.old[i]); k != "" {
			waiting[k] = append(waiting[k], i)
		}
	}
	for _, j := range fresh {
		k := key(p.fresh[j])
		if list := waiting[k]; len(list) > 0 {
			p.join(list[0], j)
			waiting[k] = list[1:]
		}
	}
}

// maxCompared bounds the pairs with one key that are compared.
const maxCompared = 1 << 18

// closest joins, among those with the same key, the most alike first. likeness is 0 for what does not match.
func (p *pairing[T]) closest(key func(T) string, likeness func(old, fresh T) float64) {
	type match struct {
		i, j     int
		likeness float64
	}
	old, fresh := p.left()
	byKey := map[string][]int{}
	for _, i := range old {
		k := key(p.old[i])
		byKey[k] = append(byKey[k], i)
	}
	keys, pairs := make([]string, len(fresh)), map[string]int{}
	for n, j := range fresh {
		keys[n] = key(p.fresh[j])
		pairs[keys[n]] += len(byKey[keys[n]])
	}
	var all []match
	for n, j := range fresh {
		if pairs[keys[n]] > maxCompared {
			continue
		}
		for _, i := range byKey[keys[n]] {
			if l := likeness(p.old[i], p.fresh[j]); l > 0 {
				all = append(all, match{i, j, l})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b match) int { return cmp.Compare(b.likeness, a.likeness) })
	for _, m := range all {
		if p.now[m.i] == unpaired && p.was[m.j] == unpaired {
			p.join(m.i, m.j)
		}
	}
}

// inOrder joins what is left without crossing, so that the weights of the pairs add up to the most. A weight of 0 is no match.
func (p *pairing[T]) inOrder(weigh func(old, fresh T) int32) {
	old, fresh := p.left()
	width := len(fresh) + 1
	best := make([]int32, (len(old)+1)*width) // of what follows both places
	for a := len(old) - 1; a >= 0; a-- {
		for b := len(fresh) - 1; b >= 0; b-- {
			most := max(best[(a+1)*width+b], best[a*width+b+1])
			if w := weigh(p.old[old[a]], p.fresh[fresh[b]]); w > 0 {
				most = max(most, w+best[(a+1)*width+b+1])
			}
			best[a*width+b] = most
		}
	}
	for a, b := 0, 0; a < len(old) && b < len(fresh); { // of as good pairs the first ones: what is added to equal ones comes behind them
		w := weigh(p.old[old[a]], p.fresh[fresh[b]])
		switch best[a*width+b] {
		case w + best[(a+1)*width+b+1]:
			if w > 0 {
				p.join(old[a], fresh[b])
			}
			a, b = a+1, b+1
		case best[(a+1)*width+b]:
			a++
		default:
			b++
		}
	}
}

// gone lists the old ones that have no counterpart, added the new ones.
func (p *pairing[T]) gone() []T  { old, _ := p.left(); return pick(p.old, old) }
func (p *pairing[T]) added() []T { _, fresh := p.left(); return pick(p.fresh, fresh) }

func pick[T any](list []T, at []int) (picked []T) {
	for _, i := range at {
		picked = append(picked, list[i])
	}
	return picked
}
