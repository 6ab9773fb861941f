package facts

import (
	"slices"

	"github.com/xlagate/xlagate/internal/hlo"
)

// exit is how a loop of unknown length ends.
type exit struct {
	early bool  // more than how far counters got may end it; else it counts to a number that nobody knows
	most  int64 // after how many iterations it ends at the latest; 0 where that is not known
	exact bool  // it ends after just so many, also after none: the compiler does not see it where several counters have to be below their bounds
	fills bool  // the body fills an array that has about as many places
}

// exitOf reads off what a loop of unknown length compares how it ends.
func exitOf(m *hlo.Module, id hlo.InstrID) exit {
	l, ok := loopAt(m, id)
	if !ok {
		return exit{early: true}
	}
	most, exact := l.latest(l.decision(), false)
	most = max(0, most)
	if l.steps > maxSteps {
		return exit{early: true}
	}
	l.steps = 0
	early, fills := l.early(), l.fills(most)
	early = early || l.steps > maxSteps
	return exit{early: early, most: most, exact: exact && most > 0 && !early, fills: fills}
}

// fills reports whether the body puts what it computes into an array of the state that has a place for each iteration, and not many more.
func (l *loopReader) fills(most int64) bool {
	for index := range l.m.Shape(l.m.Instrs[l.init].Shape).Elements {
		next := l.next(int32(index))
		if terms := l.terms(next); next.op == hlo.OpDynamicUpdateSlice && len(terms) > 1 && hasPlaces(next.shape.Dims, terms[1].shape.Dims, most) {
			return true
		}
	}
	return false
}

// hasPlaces reports whether an array has about as many places along one dimension for what is put into it, one of them each time.
func hasPlaces(array, part []int64, n int64) bool {
	for d, size := range array {
		if d < len(part) && part[d] == 1 && size >= max(2, n) && size <= 2*n {
			return true
		}
	}
	return false
}

// early reports whether more than how far counters got decides on another iteration, or may. What is added to an element may be its step, as in
// speculative decoding, or what was found, as where finished rows are counted: that is known only where another element counts the iterations.
func (l *loopReader) early() bool {
	elements, known := l.decisive()
	var counts, finds bool
	for _, index := range elements {
		_, steps := l.step(index)
		switch next := l.next(index); {
		case l.kept(index):
		case steps:
			counts = true
		case l.grown(next) == index && next.shape.Type >= hlo.S8 && next.shape.Type <= hlo.U64:
			finds = true
		default:
			return true
		}
	}
	return !known || counts && finds
}

// decisive lists the elements of the state that decide on another iteration, unless something reads the state as a whole. A flag stands for what the body
// sets it by.
func (l *loopReader) decisive() (elements []int32, known bool) {
	seen := map[*value]bool{}
	for open := []*value{l.decision()}; len(open) > 0; {
		v := open[len(open)-1]
		open = open[:len(open)-1]
		index := l.grown(v)
		switch {
		case seen[v]:
		case index != noElement && v.shape.Type == hlo.Pred && !l.kept(index):
			open = append(open, l.next(index))
		case index != noElement:
			elements = append(elements, index)
		case l.isState(v.operand):
			return elements, false
		default:
			open = append(open, l.terms(v)...)
		}
		seen[v] = true
	}
	return elements, true
}

// grown is the element of the state that a value is a sum with, or that it leaves as it is; noElement where it is neither.
func (l *loopReader) grown(v *value) int32 {
	terms := l.terms(v)
	if len(terms) < 2 {
		return v.state
	}
	switch v.op {
	case hlo.OpAdd, hlo.OpMinimum, hlo.OpMaximum:
		if index := l.grown(terms[0]); index != noElement {
			return index
		}
		return l.grown(terms[1])
	case hlo.OpSubtract:
		return l.grown(terms[0])
	case hlo.OpSelect:
		if index := l.grown(terms[1]); index == l.grown(terms[len(terms)-1]) {
			return index
		}
	}
	return noElement
}

// latest is how often the loop runs at most: as often as the first of several conditions that it has to meet lets it; with not, of
// conditions that must not hold. exact says that it runs just so often.
func (l *loopReader) latest(v *value, not bool) (most int64, exact bool) {
	if truth, is := l.truth(v); truth != nil {
		return l.latest(truth, not == is)
	}
	switch {
	case v.state != noElement && v.shape.Type == hlo.Pred:
		return l.latestBy(v.state, not), false
	case v.op == hlo.OpNot:
		not = !not
	case v.op == hlo.OpAnd && !not, v.op == hlo.OpOr && not: // both sides of an and, neither side of an or
	default:
		most = l.until(v, not)
		return most, most >= 0
	}
	most, exact = unknownTrips, true
	for _, term := range l.terms(v) {
		n, known := l.latest(term, not)
		exact = exact && known
		if n >= 0 && (most == unknownTrips || n < most) {
			most = n
		}
	}
	return most, exact && most >= 0
}

// latestBy is how often the loop runs at most by a flag of its state: the iteration in which the body sets it is the last one.
func (l *loopReader) latestBy(flag int32, not bool) int64 {
	if l.kept(flag) || slices.Contains(l.flags, flag) {
		return unknownTrips
	}
	l.flags = append(l.flags, flag)
	n, _ := l.latest(l.next(flag), not)
	if l.flags = l.flags[:len(l.flags)-1]; n < 0 {
		return unknownTrips
	}
	return n + 1
}

// truth is the truth value that an integer is made of, where a value compares that integer with 0; is reports whether the value is true where it is. nil where
// the value compares something else.
func (l *loopReader) truth(v *value) (truth *value, is bool) {
	sides := l.terms(v)
	if v.op != hlo.OpCompare || len(sides) != 2 || l.m.Shape(l.m.Instrs[sides[0].id].Shape).Type != hlo.Pred {
		return nil, false
	}
	direction := l.m.AttrText(v.id, "direction")
	if zero, literal := l.literal(sides[1]); !literal || zero != 0 || direction != "NE" && direction != "EQ" {
		return nil, false
	}
	return sides[0], direction == "NE"
}
