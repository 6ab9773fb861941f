package facts

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/price"
)

const unknownTrips = -1

// tripCount is how often a while runs its body, unknownTrips when neither the compiler says so nor the loop is a plain count.
func tripCount(m *hlo.Module, id hlo.InstrID) int64 {
	if n := m.KnownTrips(id); n >= 0 {
		return n
	}
	return countTrips(m, id)
}

// countTrips reads the trip count off a loop of the form `for (i = first; i < bound; i += step)`, as XLA's own annotator does.
// Compilers before 2024, and the one for TPU, do not write it down.
func countTrips(m *hlo.Module, id hlo.InstrID) int64 {
	l, ok := loopAt(m, id)
	if !ok {
		return unknownTrips
	}
	return l.until(l.decision(), false)
}

// mirrored are the directions of a comparison with its sides exchanged.
var mirrored = map[string]string{"LT": "GT", "LE": "GE", "GT": "LT", "GE": "LE", "NE": "NE"}

// trips counts the iterations of a loop that runs while `i direction bound`.
func trips(first, step, bound int64, direction string) int64 {
	if far(first) || far(step) || far(bound) {
		return unknownTrips
	}
	if step < 0 {
		first, step, bound = -first, -step, -bound
		direction = mirrored[direction]
	}
	if direction == "LE" {
		direction, bound = "LT", bound+1
	}
	distance := bound - first
	switch {
	case step == 0, direction == "NE" && (distance < 0 || distance%step != 0):
		return unknownTrips
	case direction != "LT" && direction != "NE":
		return unknownTrips
	case distance <= 0:
		return 0
	}
	return (distance + step - 1) / step
}

// far reports whether a number is so large that a sum of two might overflow: no loop that ends begins, steps or stops there.
func far(n int64) bool { return n > math.MaxInt64/4 || n < math.MinInt64/4 }

// loopReader answers what decides on another iteration of a loop, and what the body does to it.
type loopReader struct {
	m               *hlo.Module
	init            hlo.InstrID
	body, condition hlo.CompID
	values          map[operand]*value
	steps           int     // that were taken from one instruction to another
	flags           []int32 // elements of the state whose setting latestBy follows
}

// maxSteps bounds how far a loop is followed; a model's is followed through dozens of instructions. Whoever is asked then says nothing.
const maxSteps = 1 << 11

func loopAt(m *hlo.Module, id hlo.InstrID) (l loopReader, ok bool) {
	operands, callees := m.Operands(id), m.Callees(id)
	if len(operands) != 1 || len(callees) != 2 {
		return l, false
	}
	return loopReader{m: m, init: operands[0], body: callees[0], condition: callees[1], values: map[operand]*value{}}, true
}

// operand is an instruction seen through the fusions and calls around it, so that their parameters can be followed outwards.
type operand struct {
	id    hlo.InstrID
	outer *operand // the fusion or call whose body id is in; nil in the computation where the search began
}

// value is what computes an operand.
type value struct {
	operand
	op    hlo.Opcode
	shape *hlo.Shape // of the operand
	state int32      // the element of the loop's state that it is, or noElement
}

// noElement is the index of no element of the state.
const noElement = -1

func (l *loopReader) value(o operand) *value {
	if v := l.values[o]; v != nil {
		return v
	}
	from := l.behind(o)
	in, operands := &l.m.Instrs[from.id], l.m.Operands(from.id)
	v := &value{operand: from, op: in.Opcode, shape: l.m.Shape(l.m.Instrs[o.id].Shape), state: noElement}
	if in.Opcode == hlo.OpGetTupleElement && in.Param >= 0 && len(operands) == 1 && l.isState(l.behind(operand{operands[0], from.outer})) {
		v.state = in.Param
	}
	l.values[o] = v
	return v
}

// terms are the operands of what computes a value that is no element of the state; none once too many steps were taken.
func (l *loopReader) terms(v *value) (terms []*value) {
	operands := l.m.Operands(v.id)
	if l.steps += 1 + len(operands); v.state != noElement || l.steps > maxSteps {
		return nil
	}
	for _, id := range operands {
		terms = append(terms, l.value(operand{id, v.outer}))
	}
	return terms
}

// decision is what decides on another iteration.
func (l *loopReader) decision() *value { return l.value(operand{id: l.m.Comps[l.condition].Root}) }

// behind follows an instruction to what computes its value: through copies, bitcasts, conversions, tuples, fusions, calls and their
// parameters.
func (l *loopReader) behind(o operand) operand {
	for range maxDepth {
		next, ok := l.through(o)
		if !ok {
			return o
		}
		o = next
	}
	return o
}

// through is the instruction that has the same value as another, one step nearer to what computes it.
func (l *loopReader) through(o operand) (operand, bool) {
	if l.steps++; l.steps > maxSteps {
		return o, false
	}
	operands, callees := l.m.Operands(o.id), l.m.Callees(o.id)
	switch in := &l.m.Instrs[o.id]; {
	case passes(in.Opcode) && len(operands) == 1:
		return operand{operands[0], o.outer}, true
	case (in.Opcode == hlo.OpFusion || in.Opcode == hlo.OpCall) && len(callees) == 1:
		return operand{id: l.m.Comps[callees[0]].Root, outer: &o}, true
	case in.Opcode == hlo.OpParameter && o.outer != nil:
		if outside := l.m.Operands(o.outer.id); int(in.Param) < len(outside) {
			return operand{outside[in.Param], o.outer.outer}, true
		}
	case in.Opcode == hlo.OpGetTupleElement && len(operands) == 1:
		return l.part(operand{operands[0], o.outer}, in.Param)
	}
	return o, false
}

// part is the n-th element of a tuple that is put together in sight.
func (l *loopReader) part(o operand, n int32) (operand, bool) {
	tuple := l.behind(o)
	elements := l.m.Operands(tuple.id)
	if l.m.Instrs[tuple.id].Opcode != hlo.OpTuple || n < 0 || int(n) >= len(elements) {
		return o, false
	}
	return operand{elements[n], tuple.outer}, true
}

// passes reports whether an operation's value is its operand's.
func passes(op hlo.Opcode) bool {
	switch op {
	case hlo.OpCopy, hlo.OpBitcast, hlo.OpConvert, hlo.OpReshape:
		return true
	}
	return false
}

// isState reports whether an instruction is the state of the loop, all of it.
func (l *loopReader) isState(o operand) bool {
	return o.outer == nil && l.m.Instrs[o.id].Opcode == hlo.OpParameter
}

// until is how often a comparison of the counter, `state[index] direction bound`, lets the loop run; with not, one that must not hold.
func (l *loopReader) until(v *value, not bool) int64 {
	sides := l.terms(v)
	if v.op != hlo.OpCompare || len(sides) != 2 {
		return unknownTrips
	}
	direction := l.m.AttrText(v.id, "direction")
	counter, ahead := l.counted(sides[0])
	bound := sides[1]
	if counter == noElement {
		bound, direction = sides[0], mirrored[direction]
		counter, ahead = l.counted(sides[1])
	}
	if not {
		direction = map[string]string{"LT": "GE", "LE": "GT", "GT": "LE", "GE": "LT", "EQ": "NE"}[direction]
	}
	first, begins := l.initial(counter)
	step, grows := l.step(counter)
	end, ends := l.constant(bound)
	if counter == noElement || !begins || !grows || !ends {
		return unknownTrips
	}
	return trips(first+ahead, step, end, direction)
}

// counted is the element of the state that a value is, or is a number more than; noElement where it is neither.
func (l *loopReader) counted(v *value) (index int32, more int64) {
	if terms := l.terms(v); v.op == hlo.OpAdd && len(terms) == 2 {
		if n, known := l.literal(terms[1]); known {
			return terms[0].state, n
		}
	}
	return v.state, 0
}

// constant is an integer constant, or an element of the state that starts as one and that the body hands on unchanged.
func (l *loopReader) constant(v *value) (int64, bool) {
	if v.state != noElement && l.kept(v.state) {
		return l.initial(v.state)
	}
	return l.literal(v)
}

// kept reports whether the body hands an element of the state on unchanged.
func (l *loopReader) kept(index int32) bool { return l.next(index).state == index }

func (l *loopReader) literal(v *value) (int64, bool) {
	if v.op != hlo.OpConstant {
		return 0, false
	}
	n, err := strconv.ParseInt(l.m.Literal(v.id), 10, 64)
	return n, err == nil
}

// initial is what an element of the state starts with.
func (l *loopReader) initial(index int32) (int64, bool) {
	first, ok := l.part(operand{id: l.init}, index)
	if !ok {
		return 0, false
	}
	return l.literal(l.value(first))
}

// next is what the body leaves in an element of the state.
func (l *loopReader) next(index int32) *value {
	next, _ := l.part(operand{id: l.m.Comps[l.body].Root}, index)
	return l.value(next)
}

// step is what the body adds to the counter.
func (l *loopReader) step(index int32) (int64, bool) {
	sum := l.next(index)
	terms := l.terms(sum)
	if sum.op != hlo.OpAdd || len(terms) != 2 {
		return 0, false
	}
	for i, term := range terms {
		if n, known := l.constant(terms[1-i]); known && term.state == index {
			return n, true
		}
	}
	return 0, false
}

// Loops lists the loops of a program, in the order of the schedule.
func (v *Variant) Loops() []*Kernel {
	return slices.Collect(v.KernelsThat(func(k *Kernel) bool { return k.Root == "while" && k.Class == ClassControl }))
}

// Iterations is how often a loop runs, or is taken to run, each time that it is entered.
func (k *Kernel) Iterations() int64 { return max(k.Length, int64(k.Work[price.Iterations])) }

// Run takes a loop of unknown length, one of [Variant.Loops], to run so many times, with all that is in it. A stored baseline does not say what is in it.
func (v *Variant) Run(loop *Kernel, times int64) {
	taken, sites, inside := loop.Iterations(), map[*Site]*Site{}, false
	if taken == 0 {
		return
	}
	for i := range v.Kernels[:loop.Until] {
		k := &v.Kernels[i]
		if inside = inside || k == loop; !inside || k.Guess <= loop.Guess { // its condition
			continue
		}
		if sites[k.Site] == nil {
			site := *k.Site
			site.Guess = timesProduct(site.Guess/taken, times)
			sites[k.Site] = &site
		}
		k.Site = sites[k.Site]
	}
	if loop.Until > 0 {
		form := *loop.Form
		form.Work[price.Iterations], form.Work[price.Decisions] = float64(times), float64(times)
		form.Work = form.Work.Rounded()
		loop.Form = &form
	}
}

// EndlessLoops lists the loops whose trip count is not known.
func (v *Variant) EndlessLoops() []*Kernel {
	if v.Facts[LoopsUnknown] == 0 { // one that does not say is never run
		return nil
	}
	return slices.DeleteFunc(v.Loops(), func(k *Kernel) bool { return k.Length > 0 })
}

// KnowsTripCounts reports whether the trip count of each single loop is known, and not only the total.
func (v *Variant) KnowsTripCounts() bool {
	return v.Facts[LoopsTripCount] == 0 || slices.ContainsFunc(v.Loops(), func(k *Kernel) bool { return k.Length > 0 })
}

// Iterations returns how often loops run, all together; a loop in another counts each time that it runs.
func Iterations(loops []*Kernel) (n float64) {
	for _, k := range loops {
		n += float64(k.Length) * float64(k.Times)
	}
	return n
}

// LoopPlace returns the place of a loop in the model: "at train.py:9", or else its name.
func (k *Kernel) LoopPlace() string {
	switch {
	case k.Source.File != "":
		return "at " + k.Source.Short()
	case k.OpName != "":
		return k.OpName
	}
	return "without a name"
}

// LoopLine is a loop as evidence lists it.
func (k *Kernel) LoopLine() string {
	return fmt.Sprintf("loop of %d iterations   %s", k.Length, k.OpName)
}

// LoopWork is what one iteration of a loop launches and computes.
type LoopWork struct {
	Launches, Flops float64
}

// LoopStep returns the work of one iteration of a loop, without the loops in it.
func (v *Variant) LoopStep(loop *Kernel) (w LoopWork) {
	for k := range v.KernelsThat(func(k *Kernel) bool { return k.InLoop && k.Loop == loop.OpName && k.CostsLaunch() }) {
		w.Launches++
		w.Flops += float64(k.Flops)
	}
	return w
}
