package facts

import (
	"slices"

	"github.com/xlagate/xlagate/internal/hlo"
)

// exit is how a loop of unknown length ends.
type exit struct {
	early bool  // something that its body computes ends it, at once if need be; else it counts to a number that nobody knows
	stops bool  // of one that ends early: more than how far a counter got ends it
	most  int64 // of one that ends early: after how many iterations it ends at the latest; 0 where that is not known
}

// exitOf reads off what a loop of unknown length compares how it ends.
func exitOf(m *hlo.Module, id hlo.InstrID) exit {
	l, ok := loopAt(m, id)
	if !ok || l.counts() {
		return exit{}
	}
	most := max(0, l.latest())
	l.steps = 0
	return exit{early: true, stops: l.stops(), most: most}
}

// counts says whether nothing but counters, and what the body leaves alone, decides on another iteration, as far as can be seen.
func (l *plainLoop) counts() bool {
	elements, known := l.decisive()
	if l.steps > maxSteps {
		return true
	}
	for _, index := range elements {
		if _, steps := l.step(index); !steps && !l.kept(index) {
			return false
		}
	}
	return len(elements) > 0 || !known
}

// decisive lists the elements of the state that decide on another iteration, unless something reads the state as a whole.
func (l *plainLoop) decisive() (elements []int32, known bool) {
	seen := map[operand]bool{}
	open := []operand{{id: l.m.Comps[l.condition].Root}}
	for len(open) > 0 && len(open) <= maxSteps && l.steps <= maxSteps { // each takes a step at least
		o := l.behind(open[len(open)-1])
		open = open[:len(open)-1]
		index, reads := l.element(o)
		switch {
		case seen[o]:
		case reads:
			elements = append(elements, index)
		case l.isState(o):
			return elements, false
		default:
			for _, id := range l.m.Operands(o.id) {
				open = append(open, operand{id, o.outer})
			}
		}
		seen[o] = true
	}
	return elements, len(open) == 0 && l.steps <= maxSteps
}

// stops says whether more than how far a counter got decides on another iteration.
func (l *plainLoop) stops() bool {
	elements, known := l.decisive()
	return !known || slices.ContainsFunc(elements, func(index int32) bool {
		return !l.kept(index) && !l.advances(index) && !l.reached(l.next(index), index)
	})
}

// advances says whether an element of the state is a counter: whatever the body computes is added to it.
func (l *plainLoop) advances(index int32) bool {
	from, ok := l.counted(l.next(index))
	return ok && from == index
}

// counted is the element of the state that a value is a sum with, or that it leaves as it is.
func (l *plainLoop) counted(o operand) (index int32, ok bool) {
	if index, ok = l.element(o); ok {
		return index, true
	}
	o = l.behind(o)
	terms := l.m.Operands(o.id)
	if l.steps > maxSteps || len(terms) < 2 {
		return 0, false
	}
	term := func(i int) (int32, bool) { return l.counted(operand{terms[i], o.outer}) }
	switch l.m.Instrs[o.id].Opcode {
	case hlo.OpAdd, hlo.OpMinimum:
		if index, ok = term(0); !ok {
			index, ok = term(1)
		}
	case hlo.OpSubtract:
		index, ok = term(0)
	case hlo.OpSelect:
		if index, ok = term(1); ok {
			other, also := term(len(terms) - 1)
			ok = also && other == index
		}
	}
	return index, ok
}

// reached says whether a flag of the state tells nothing but that a counter reached a number.
func (l *plainLoop) reached(o operand, flag int32) bool {
	if index, ok := l.element(o); ok {
		return index == flag
	}
	o = l.behind(o)
	switch l.m.Instrs[o.id].Opcode {
	case hlo.OpNot, hlo.OpAnd, hlo.OpOr:
		return l.ofAll(o, func(term operand) bool { return l.reached(term, flag) })
	case hlo.OpCompare:
		return l.ofAll(o, l.told)
	}
	return false
}

// ofAll says whether something holds of all operands.
func (l *plainLoop) ofAll(o operand, holds func(operand) bool) bool {
	return l.steps <= maxSteps && !slices.ContainsFunc(l.m.Operands(o.id), func(id hlo.InstrID) bool { return !holds(operand{id, o.outer}) })
}

// told says whether a value is a counter's, or a number that the body leaves alone.
func (l *plainLoop) told(o operand) bool {
	if _, known := l.literal(o); known {
		return true
	}
	index, ok := l.counted(o)
	return ok && (l.kept(index) || l.advances(index))
}

// demand is a condition that has to hold for another iteration, or, with not, must not hold.
type demand struct {
	operand
	not bool
}

// latest is how often the loop runs at most: as often as the first of several conditions that it has to meet lets it.
func (l *plainLoop) latest() int64 {
	most := int64(unknownTrips)
	open := []demand{{operand{id: l.m.Comps[l.condition].Root}, false}}
	for len(open) > 0 && len(open) <= maxSteps && l.steps <= maxSteps {
		d := open[0]
		d.operand = l.behind(d.operand)
		open = open[1:]
		if all, several := l.demands(d); several {
			open = append(open, all...)
		} else if n := l.until(d.operand, d.not); n >= 0 && (most == unknownTrips || n < most) {
			most = n
		}
	}
	return most
}

// demands are the conditions that one of several asks for: both sides of an and, neither side of an or.
func (l *plainLoop) demands(d demand) (all []demand, several bool) {
	switch opcode := l.m.Instrs[d.id].Opcode; {
	case opcode == hlo.OpNot:
		d.not = !d.not
	case opcode == hlo.OpAnd && !d.not, opcode == hlo.OpOr && d.not:
	default:
		return nil, false
	}
	for _, id := range l.m.Operands(d.id) {
		all = append(all, demand{operand{id, d.outer}, d.not})
	}
	return all, true
}
