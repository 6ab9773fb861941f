package facts

import (
	"slices"

	"github.com/xlagate/xlagate/internal/hlo"
)

// stops reports whether surely more than how far a counter got decides on another iteration. What is added to an element may be its step, as in
// speculative decoding, or what was found, as where finished rows are counted: that is known only where another element counts the iterations.
func (l *loopReader) stops() bool {
	elements, known := l.decisive()
	if !known {
		return false
	}
	var counter, found bool
	for _, index := range elements {
		switch next := l.next(index); {
		case l.kept(index):
		case l.counter(index):
			counter = true
		case l.worked(next, index), l.onlyCounts(next, index, l.loose):
		case l.drifts(index):
			found = true
		default:
			return l.steps <= maxSteps
		}
	}
	return counter && found && l.steps <= maxSteps
}

// noElement is the index of no element of the state.
const noElement = -1

// onlyCounts reports whether a condition, or a flag of the state, tells nothing but how far counters got.
func (l *loopReader) onlyCounts(o operand, flag int32, counts func(operand) bool) bool {
	if index, ok := l.element(o); ok {
		return index == flag || l.kept(index) || flag == noElement && l.onlyCounts(l.next(index), index, counts)
	}
	o = l.behind(o)
	switch l.m.Instrs[o.id].Opcode {
	case hlo.OpNot, hlo.OpAnd, hlo.OpOr:
		return l.ofAll(o, func(term operand) bool { return l.onlyCounts(term, flag, counts) })
	case hlo.OpCompare:
		return l.ofAll(o, counts)
	}
	return false
}

// ofAll reports whether something holds of all operands.
func (l *loopReader) ofAll(o operand, holds func(operand) bool) bool {
	operands := l.m.Operands(o.id)
	return l.steps <= maxSteps && len(operands) > 0 && !slices.ContainsFunc(operands, func(id hlo.InstrID) bool { return !holds(operand{id, o.outer}) })
}

// loose reports whether a value may be a counter's, or is a number that the body leaves alone.
func (l *loopReader) loose(o operand) bool {
	if l.fixed(o) {
		return true
	}
	index, ok := l.drifted(o)
	return ok && l.drifts(index)
}

// exact reports whether a value is surely a counter's, or a single number that the body leaves alone.
func (l *loopReader) exact(o operand) bool {
	if l.fixed(o) {
		return l.scalar(o)
	}
	if index, ok := l.element(o); ok {
		return l.counter(index)
	}
	index, ok := l.drifted(o)
	return ok && l.counter(index) && l.grows(o, index)
}

// fixed reports whether a value is a constant or an element of the state that the body leaves alone.
func (l *loopReader) fixed(o operand) bool {
	if index, ok := l.element(o); ok {
		return l.kept(index)
	}
	return l.m.Instrs[l.behind(o).id].Opcode == hlo.OpConstant
}

// scalar reports whether a value is a single one.
func (l *loopReader) scalar(o operand) bool {
	return len(l.m.Shape(l.m.Instrs[o.id].Shape).Dims) == 0
}

// drifts reports whether whatever the body computes is added to an element of the state.
func (l *loopReader) drifts(index int32) bool {
	from, ok := l.drifted(l.next(index))
	return ok && from == index
}

// drifted is the element of the state that a value is a sum with, or that it leaves as it is.
func (l *loopReader) drifted(o operand) (index int32, ok bool) {
	if index, ok = l.element(o); ok {
		return index, true
	}
	o = l.behind(o)
	terms := l.m.Operands(o.id)
	if l.steps > maxSteps || len(terms) < 2 {
		return 0, false
	}
	term := func(i int) (int32, bool) { return l.drifted(operand{terms[i], o.outer}) }
	switch l.m.Instrs[o.id].Opcode {
	case hlo.OpAdd, hlo.OpMinimum, hlo.OpMaximum:
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

// worked reports whether a value is plain arithmetic on constants, what the body leaves alone, what may be counters, and an element itself.
func (l *loopReader) worked(o operand, self int32) bool {
	if l.steps > maxSteps || l.fixed(o) {
		return true
	}
	if index, ok := l.element(o); ok {
		return index == self || l.drifts(index)
	}
	o = l.behind(o)
	return arithmetic(l.m.Instrs[o.id].Opcode) && l.ofAll(o, func(term operand) bool { return l.worked(term, self) })
}

// arithmetic reports whether an operation is one that counting is done with.
func arithmetic(op hlo.Opcode) bool {
	switch op {
	case hlo.OpAdd, hlo.OpSubtract, hlo.OpMultiply, hlo.OpDivide, hlo.OpRemainder, hlo.OpNegate, hlo.OpMinimum, hlo.OpMaximum, hlo.OpClamp,
		hlo.OpShiftLeft, hlo.OpShiftRightArithmetic, hlo.OpShiftRightLogical, hlo.OpBroadcast, hlo.OpSelect, hlo.OpCompare, hlo.OpNot, hlo.OpAnd, hlo.OpOr:
		return true
	}
	return false
}

// counter reports whether an element of the state is surely a counter: a single whole number that moves on in every iteration.
func (l *loopReader) counter(index int32) bool {
	next := l.next(index)
	return l.scalar(next) && whole(l.m.Shape(l.m.Instrs[next.id].Shape).Type) && l.grows(next, index)
}

func whole(t hlo.Type) bool { return t >= hlo.S8 && t <= hlo.U64 }

// grows reports whether a value is an element of the state and something that is surely added to it, or taken from it.
func (l *loopReader) grows(o operand, index int32) bool {
	o = l.behind(o)
	terms := l.m.Operands(o.id)
	if l.steps > maxSteps || len(terms) < 2 {
		return false
	}
	term := func(i int) operand { return operand{terms[i], o.outer} }
	switch opcode := l.m.Instrs[o.id].Opcode; opcode {
	case hlo.OpAdd, hlo.OpSubtract:
		amounts, ok := l.amounts(o, index, opcode)
		return ok && (slices.ContainsFunc(amounts, l.positive) || !slices.ContainsFunc(amounts, func(amount operand) bool { return !l.steady(amount) }))
	case hlo.OpMinimum, hlo.OpMaximum:
		return l.grows(term(0), index) && l.fixed(term(1)) || l.fixed(term(0)) && l.grows(term(1), index)
	case hlo.OpSelect:
		return l.grows(term(1), index) && l.grows(term(len(terms)-1), index)
	}
	return false
}

// amounts are what sums of one kind add to an element of the state, or take from it.
func (l *loopReader) amounts(o operand, index int32, opcode hlo.Opcode) (amounts []operand, ok bool) {
	if from, is := l.element(o); is {
		return nil, from == index
	}
	o = l.behind(o)
	terms := l.m.Operands(o.id)
	if l.steps > maxSteps || l.m.Instrs[o.id].Opcode != opcode || len(terms) != 2 {
		return nil, false
	}
	left, right := operand{terms[0], o.outer}, operand{terms[1], o.outer}
	if amounts, ok = l.amounts(left, index, opcode); ok {
		return append(amounts, right), true
	}
	if opcode == hlo.OpSubtract {
		return nil, false
	}
	amounts, ok = l.amounts(right, index, opcode)
	return append(amounts, left), ok
}

// steady reports whether an amount is a constant, an element that the body leaves alone, or chosen among such.
func (l *loopReader) steady(o operand) bool {
	if l.fixed(o) {
		n, known := l.constant(o)
		return !known || n != 0
	}
	return l.chosen(o, l.steady)
}

// positive reports whether an amount is a constant above zero, something and such a constant, or chosen among such.
func (l *loopReader) positive(o operand) bool {
	if n, known := l.literal(o); known {
		return n > 0
	}
	o = l.behind(o)
	if l.m.Instrs[o.id].Opcode == hlo.OpAdd {
		return !l.ofAll(o, func(term operand) bool { return !l.positive(term) })
	}
	return l.chosen(o, l.positive)
}

// chosen reports whether a value is the smaller or the larger of two, or either of two, of which something holds.
func (l *loopReader) chosen(o operand, holds func(operand) bool) bool {
	o = l.behind(o)
	terms := l.m.Operands(o.id)
	switch l.m.Instrs[o.id].Opcode {
	case hlo.OpMinimum, hlo.OpMaximum:
	case hlo.OpSelect:
		terms = terms[min(1, len(terms)):]
	default:
		return false
	}
	return l.steps <= maxSteps && len(terms) > 1 && !slices.ContainsFunc(terms, func(id hlo.InstrID) bool { return !holds(operand{id, o.outer}) })
}

// exit is how a loop of unknown length ends.
type exit struct {
	early bool  // something that its body computes ends it, at once if need be; else it counts to a number that nobody knows
	stops bool  // of one that ends early: surely more than how far a counter got ends it
	most  int64 // of one that ends early: after how many iterations it ends at the latest; 0 where that is not known

	counts bool // surely nothing but how far counters got ends it; of a loop that neither stops nor counts it is not known
}

// exitOf reads off what a loop of unknown length compares how it ends.
func exitOf(m *hlo.Module, id hlo.InstrID) exit {
	l, ok := loopAt(m, id)
	if !ok {
		return exit{}
	}
	early := !l.counts()
	l.steps = 0
	e := exit{counts: l.onlyCounts(operand{id: m.Comps[l.condition].Root}, noElement, l.exact)}
	if l.steps = 0; early {
		e.early, e.most = true, max(0, l.latest())
		l.steps = 0
		e.stops = !e.counts && l.stops()
	}
	return e
}

// counts reports whether nothing but counters, and what the body leaves alone, decides on another iteration, as far as can be seen.
func (l *loopReader) counts() bool {
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
func (l *loopReader) decisive() (elements []int32, known bool) {
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

// demand is a condition that has to hold for another iteration, or, with not, must not hold.
type demand struct {
	operand
	not bool
}

// latest is how often the loop runs at most: as often as the first of several conditions that it has to meet lets it.
func (l *loopReader) latest() int64 {
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

// demands are the conditions that must hold for one of several: both sides of an and, neither side of an or.
func (l *loopReader) demands(d demand) (all []demand, several bool) {
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
