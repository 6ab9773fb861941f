package diff

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/xlagate/xlagate/internal/facts"
)

// leftover is what of a statement has no counterpart yet.
type leftover struct {
	*facts.Statement
	left map[string]int // by opcode; made once it is needed
	n    int
}

func leftovers(list []facts.Statement) []leftover {
	out := make([]leftover, len(list))
	for i := range list {
		out[i] = leftover{Statement: &list[i], n: len(list[i].Do)}
	}
	return out
}

// untouched says whether nothing of the statement was cancelled yet.
func (l *leftover) untouched() bool { return l.n > 0 && l.n == len(l.Do) }

// opcodes lists what is left, in order of name.
func (l *leftover) opcodes() []string {
	if l.left == nil {
		l.left = countOf(l.Do)
	}
	return slices.Sorted(maps.Keys(l.left))
}

func (l *leftover) steps() []Step {
	var out []Step
	for _, op := range l.opcodes() {
		if n := l.left[op]; n > 0 {
			out = append(out, Step{Opcode: op, Type: l.Type, Count: n})
		}
	}
	return out
}

// canceller takes away what both sides have. Every step works through hash tables over what is still left, so the whole is near
// linear, and every choice is made in program order, so it is deterministic.
type canceller struct{ old, fresh []leftover }

// statementKey is what statements must share to be cancelled against each other.
type statementKey func(*facts.Statement) string

// whole cancels statements that are alike, in order.
func (c *canceller) whole(key statementKey) {
	waiting := map[string][]int{}
	for i := range c.old {
		if c.old[i].untouched() {
			k := key(c.old[i].Statement)
			waiting[k] = append(waiting[k], i)
		}
	}
	for j := range c.fresh {
		if !c.fresh[j].untouched() {
			continue
		}
		k := key(c.fresh[j].Statement)
		if list := waiting[k]; len(list) > 0 {
			c.old[list[0]].n, c.fresh[j].n = 0, 0
			waiting[k] = list[1:]
		}
	}
}

// single cancels operation against operation of the same type among statements that have a key in common.
func (c *canceller) single(key statementKey) {
	waiting := map[string][]int{}
	for i := range c.old {
		o := &c.old[i]
		if o.n == 0 {
			continue
		}
		for _, op := range o.opcodes() {
			if o.left[op] > 0 {
				k := kindOf(key, o) + "\x00" + op
				waiting[k] = append(waiting[k], i)
			}
		}
	}
	for _, j := range c.surestLast(key) {
		f := &c.fresh[j]
		for _, op := range f.opcodes() {
			k := kindOf(key, f) + "\x00" + op
			waiting[k] = c.take(waiting[k], f, op)
		}
	}
}

// surestLast orders the new statements that still have something left. Those with operations that the old model has nowhere are
// surely new and come last, so that what stands beside them on the same line stays new with them; and behind them one that is all
// that there is more of.
func (c *canceller) surestLast(key statementKey) []int {
	had := map[string]bool{}
	for i := range c.old {
		for _, op := range c.old[i].Do {
			had[op] = true
		}
	}
	more := c.surplus(key)
	unheard := make([]int, len(c.fresh))
	var order []int
	for j := range c.fresh {
		f := &c.fresh[j]
		if f.n == 0 {
			continue
		}
		order = append(order, j)
		for _, op := range f.Do {
			if !had[op] {
				unheard[j]++
			}
		}
		if f.untouched() && maps.Equal(countOf(f.Do), more[kindOf(key, f)]) {
			unheard[j] = math.MaxInt
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(unheard[a], unheard[b]) })
	return order
}

func kindOf(key statementKey, l *leftover) string { return key(l.Statement) + "\x00" + l.Type }

// surplus counts what the new statements with a key in common have more of than the old ones.
func (c *canceller) surplus(key statementKey) map[string]map[string]int {
	more := map[string]map[string]int{}
	count := func(list []leftover, sign int) {
		for i := range list {
			l := &list[i]
			if l.n == 0 {
				continue
			}
			kind := kindOf(key, l)
			if more[kind] == nil {
				more[kind] = map[string]int{}
			}
			for _, op := range l.opcodes() {
				more[kind][op] += sign * l.left[op]
			}
		}
	}
	count(c.fresh, 1)
	count(c.old, -1)
	for _, ops := range more {
		maps.DeleteFunc(ops, func(_ string, n int) bool { return n <= 0 })
	}
	return more
}

// take cancels one opcode of a new statement against the old ones that wait.
func (c *canceller) take(waiting []int, fresh *leftover, op string) []int {
	for len(waiting) > 0 && fresh.left[op] > 0 {
		old := &c.old[waiting[0]]
		n := min(old.left[op], fresh.left[op])
		old.left[op], old.n = old.left[op]-n, old.n-n
		fresh.left[op], fresh.n = fresh.left[op]-n, fresh.n-n
		if old.left[op] == 0 {
			waiting = waiting[1:]
		}
	}
	return waiting
}
