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
			return true
		}
	}
	return counter && found
}

// onlyCounts reports whether a condition, or a flag of the state, tells nothing but how far counters got.
func (l *loopReader) onlyCounts(v *value, flag int32, counts func(*value) bool) bool {
	switch index := v.state; {
	case index != noElement:
		return index == flag || l.kept(index) || flag == noElement && l.onlyCounts(l.next(index), index, counts)
	case v.op == hlo.OpCompare:
		return all(l.terms(v), counts)
	case v.op == hlo.OpNot || v.op == hlo.OpAnd || v.op == hlo.OpOr:
		return all(l.terms(v), func(term *value) bool { return l.onlyCounts(term, flag, counts) })
	}
	return false
}

// all reports whether something holds of all of one or more values.
func all(terms []*value, holds func(*value) bool) bool {
	return len(terms) > 0 && !slices.ContainsFunc(terms, func(v *value) bool { return !holds(v) })
}

// loose reports whether a value may be a counter's, or is a number that the body leaves alone.
func (l *loopReader) loose(v *value) bool {
	index := l.drifted(v)
	return l.fixed(v) || index != noElement && l.drifts(index)
}

// exact reports whether a value is surely a counter's, or a single number that the body leaves alone.
func (l *loopReader) exact(v *value) bool {
	switch index := l.drifted(v); {
	case l.fixed(v):
		return len(v.shape.Dims) == 0
	case index != noElement:
		return l.counter(index) && (v.state == index || l.grows(v, index))
	}
	return false
}

// fixed reports whether a value is a constant or an element of the state that the body leaves alone.
func (l *loopReader) fixed(v *value) bool {
	return v.op == hlo.OpConstant || v.state != noElement && l.kept(v.state)
}

// drifts reports whether whatever the body computes is added to an element of the state.
func (l *loopReader) drifts(index int32) bool { return l.drifted(l.next(index)) == index }

// drifted is the element of the state that a value is a sum with, or that it leaves as it is, or noElement.
func (l *loopReader) drifted(v *value) int32 {
	terms := l.terms(v)
	if len(terms) < 2 {
		return v.state
	}
	switch v.op {
	case hlo.OpAdd, hlo.OpMinimum, hlo.OpMaximum:
		if index := l.drifted(terms[0]); index != noElement {
			return index
		}
		return l.drifted(terms[1])
	case hlo.OpSubtract:
		return l.drifted(terms[0])
	case hlo.OpSelect:
		if index := l.drifted(terms[1]); index == l.drifted(terms[len(terms)-1]) {
			return index
		}
	}
	return noElement
}

// worked reports whether a value is plain arithmetic on constants, what the body leaves alone, what may be counters, and an element itself.
func (l *loopReader) worked(v *value, self int32) bool {
	if v.state != noElement {
		return l.kept(v.state) || v.state == self || l.drifts(v.state)
	}
	return l.fixed(v) || arithmetic(v.op) && all(l.terms(v), func(term *value) bool { return l.worked(term, self) })
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
	return len(next.shape.Dims) == 0 && next.shape.Type >= hlo.S8 && next.shape.Type <= hlo.U64 && l.grows(next, index)
}

// grows reports whether a value is an element of the state and something that is surely added to it, or taken from it.
func (l *loopReader) grows(v *value, index int32) bool {
	grows := func(term *value) bool { return l.grows(term, index) }
	switch terms := l.terms(v); {
	case len(terms) < 2:
	case v.op == hlo.OpAdd || v.op == hlo.OpSubtract:
		amounts, ok := l.amounts(v, index, v.op)
		return ok && (slices.ContainsFunc(amounts, l.positive) || all(amounts, l.steady))
	case v.op == hlo.OpMinimum || v.op == hlo.OpMaximum:
		return grows(terms[0]) && l.fixed(terms[1]) || l.fixed(terms[0]) && grows(terms[1])
	case v.op == hlo.OpSelect:
		return all(terms[1:], grows)
	}
	return false
}

// amounts are what sums of one kind add to an element of the state, or take from it.
func (l *loopReader) amounts(v *value, index int32, op hlo.Opcode) (amounts []*value, ok bool) {
	terms := l.terms(v)
	if v.op != op || len(terms) != 2 {
		return nil, v.state == index
	}
	if amounts, ok = l.amounts(terms[0], index, op); ok {
		return append(amounts, terms[1]), true
	}
	if op == hlo.OpSubtract {
		return nil, false
	}
	amounts, ok = l.amounts(terms[1], index, op)
	return append(amounts, terms[0]), ok
}

// steady reports whether an amount is a constant, an element that the body leaves alone, or chosen among such.
func (l *loopReader) steady(v *value) bool {
	if l.fixed(v) {
		n, known := l.constant(v)
		return !known || n != 0
	}
	return l.chosen(v, l.steady)
}

// positive reports whether an amount is a constant above zero, something and such a constant, or chosen among such.
func (l *loopReader) positive(v *value) bool {
	if n, known := l.literal(v); known {
		return n > 0
	}
	if v.op == hlo.OpAdd {
		return slices.ContainsFunc(l.terms(v), l.positive)
	}
	return l.chosen(v, l.positive)
}

// chosen reports whether a value is the smaller or the larger of two, or either of two, of which something holds.
func (l *loopReader) chosen(v *value, holds func(*value) bool) bool {
	switch terms := l.terms(v); {
	case v.op == hlo.OpMinimum || v.op == hlo.OpMaximum:
		return all(terms, holds)
	case v.op == hlo.OpSelect && len(terms) > 0:
		return all(terms[1:], holds)
	}
	return false
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
	e := exit{early: !l.counts(), counts: l.onlyCounts(l.decision(), noElement, l.exact)}
	if e.early {
		e.most = max(0, l.latest(l.decision(), false))
		e.stops = !e.counts && l.stops()
	}
	if l.steps > maxSteps {
		return exit{}
	}
	return e
}

// counts reports whether nothing but counters, and what the body leaves alone, decides on another iteration, as far as can be seen.
func (l *loopReader) counts() bool {
	elements, known := l.decisive()
	for _, index := range elements {
		if _, steps := l.step(index); !steps && !l.kept(index) {
			return false
		}
	}
	return len(elements) > 0 || !known
}

// decisive lists the elements of the state that decide on another iteration, unless something reads the state as a whole.
func (l *loopReader) decisive() (elements []int32, known bool) {
	seen := map[*value]bool{}
	for open := []*value{l.decision()}; len(open) > 0; {
		v := open[len(open)-1]
		open = open[:len(open)-1]
		switch {
		case seen[v]:
		case v.state != noElement:
			elements = append(elements, v.state)
		case l.isState(v.operand):
			return elements, false
		default:
			open = append(open, l.terms(v)...)
		}
		seen[v] = true
	}
	return elements, true
}

// latest is how often the loop runs at most: as often as the first of several conditions that it has to meet lets it; with not, of
// conditions that must not hold.
func (l *loopReader) latest(v *value, not bool) int64 {
	switch {
	case v.op == hlo.OpNot:
		not = !not
	case v.op == hlo.OpAnd && !not, v.op == hlo.OpOr && not: // both sides of an and, neither side of an or
	default:
		return l.until(v, not)
	}
	most := int64(unknownTrips)
	for _, term := range l.terms(v) {
		if n := l.latest(term, not); n >= 0 && (most == unknownTrips || n < most) {
			most = n
		}
	}
	return most
}
