package facts

import (
	"slices"

	"github.com/xlagate/xlagate/internal/hlo"
)

// exit is how a loop of unknown length ends.
type exit struct {
	early bool  // something other than its counters may end it
	most  int64 // the highest number of iterations; 0 if it is not known
	exact bool  // it runs exactly most times; the compiler does not see this when the condition compares several counters
	fills bool  // the body fills an array that has about most places
}

// exit reads from the condition of a loop of unknown length how the loop ends.
func (l *loopReader) exit() exit {
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

// fills reports whether the loop collects the results of its iterations. Each iteration writes one place of an array of the state. The array has a place for each
// of most iterations, and at most twice as many.
func (l *loopReader) fills(most int64) bool {
	for index := range l.Of(l.init) {
		next := l.next(int32(index))
		terms := l.operands(next)
		if next.op != hlo.OpDynamicUpdateSlice || len(terms) < 2 {
			continue
		}
		part := terms[1].shape.Dims
		for d, size := range next.shape.Dims {
			if d < len(part) && part[d] == 1 && size >= max(2, most) && size <= 2*most {
				return true
			}
		}
	}
	return false
}

// early reports whether something other than counters may end the loop. A loop until x < 1e-6 is one; a loop until i = n is not. An element that
// grows by a computed amount is either a counter with a varying step, as in speculative decoding, or a count of what was found, such as finished rows.
// It is taken for the latter if another element counts the iterations.
func (l *loopReader) early() bool {
	var counts, finds bool
	for _, index := range l.decisive() {
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
	return counts && finds
}

// decisive lists the elements of the state that the condition depends on. For a flag it lists the elements that the body sets the flag from.
func (l *loopReader) decisive() (elements []int32) {
	seen := map[*term]bool{}
	for open := []*term{l.decision()}; len(open) > 0; {
		v := open[len(open)-1]
		open = open[:len(open)-1]
		index := l.grown(v)
		switch {
		case seen[v]:
		case index != noElement && v.shape.Type == hlo.Pred && !l.kept(index):
			open = append(open, l.next(index))
		case index != noElement:
			elements = append(elements, index)
		default:
			open = append(open, l.operands(v)...)
		}
		seen[v] = true
	}
	return elements
}

// grown returns the element of the state that a value is, or comes from by additions, subtractions and bounds, as n for min(n + 1, 8); noElement if none is.
func (l *loopReader) grown(v *term) int32 {
	terms := l.operands(v)
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

// latest returns the highest number of iterations for which a condition holds, or with not, does not hold. For i < 10 and j < 4, both from 0 in steps
// of 1, it is 4. exact says that the loop runs exactly that often.
func (l *loopReader) latest(v *term, not bool) (most int64, exact bool) {
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
	for _, term := range l.operands(v) {
		n, known := l.latest(term, not)
		exact = exact && known
		if n >= 0 && (most == unknownTrips || n < most) {
			most = n
		}
	}
	return most, exact && most >= 0
}

// latestBy returns the highest number of iterations for a flag of the state. The iteration in which the body sets the flag is the last one.
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

// truth looks through a comparison of 0 with an integer that was converted from a truth value, and returns that truth value. is reports whether the
// comparison equals it or its opposite. truth is nil for other values.
func (l *loopReader) truth(v *term) (truth *term, is bool) {
	sides := l.operands(v)
	if v.op != hlo.OpCompare || len(sides) != 2 || l.m.Shape(l.Shape(sides[0].Array)).Type != hlo.Pred {
		return nil, false
	}
	direction := l.m.AttrText(v.Instr, "direction")
	if zero, literal := l.literal(sides[1]); !literal || zero != 0 || direction != "NE" && direction != "EQ" {
		return nil, false
	}
	return sides[0], direction == "NE"
}
