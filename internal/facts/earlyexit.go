package facts

import "github.com/xlagate/xlagate/internal/hlo"

// exit is how a loop of unknown length ends.
type exit struct {
	early bool  // something that its body computes ends it, at once if need be; else it counts to a number that nobody knows
	most  int64 // of one that ends early: after how many iterations it ends at the latest; 0 where that is not known
}

// exitOf reads off what a loop of unknown length compares how it ends.
func exitOf(m *hlo.Module, id hlo.InstrID) exit {
	l, ok := loopAt(m, id)
	if !ok || l.counts() {
		return exit{}
	}
	return exit{early: true, most: max(0, l.latest(operand{id: m.Comps[l.condition].Root}))}
}

// counts says whether nothing but counters, and what the body leaves alone, decides on another iteration.
func (l *plainLoop) counts() bool {
	first, end := l.m.Body(l.condition)
	counters := 0
	for id := first; id < end; id++ {
		index, ok := l.element(operand{id: id})
		if !ok || l.m.Instrs[id].Opcode != hlo.OpGetTupleElement {
			continue
		}
		if !l.kept(index) {
			if _, ok := l.step(index); !ok {
				return false
			}
		}
		counters++
	}
	return counters > 0
}

// maxConditions bounds how many conditions of a loop are looked at: models have a few, and in a chain of ands each may stand twice.
const maxConditions = 64

// latest is how often the loop runs at most: as often as the first of several conditions that it has to meet lets it.
func (l *plainLoop) latest(condition operand) int64 {
	most := int64(unknownTrips)
	open := []operand{condition}
	for looked := 0; len(open) > 0 && looked < maxConditions; looked++ {
		o := l.behind(open[0])
		open = open[1:]
		if l.m.Instrs[o.id].Opcode == hlo.OpAnd {
			for _, id := range l.m.Operands(o.id) {
				open = append(open, operand{id, o.outer})
			}
			continue
		}
		if n := l.until(o); n >= 0 && (most == unknownTrips || n < most) {
			most = n
		}
	}
	return most
}
