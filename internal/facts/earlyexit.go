package facts

import (
	"github.com/xlagate/xlagate/internal/hlo"
)

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
	e := exit{counts: l.told(operand{id: m.Comps[l.condition].Root}, noElement, l.exact)}
	if l.steps = 0; early {
		e.early, e.most = true, max(0, l.latest())
		l.steps = 0
		e.stops = !e.counts && l.stops()
	}
	return e
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
