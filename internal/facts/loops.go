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

// loop is a while, and how often it runs.
type loop struct {
	id    hlo.InstrID
	trips int64 // unknownTrips when neither the compiler says so nor the loop is a plain count
	exit  exit  // where trips is unknown
}

// loop reads off a while how often it runs: as the compiler says, or as a loop of the form `for (i = first; i < bound; i += step)` does. Compilers before
// 2024, and the one for TPU, do not write it down.
func (v *values) loop(id hlo.InstrID) *loop {
	if l := v.loops[id]; l != nil {
		return l
	}
	l := &loop{id, v.m.KnownTrips(id), exit{}}
	operands, callees := v.m.Operands(id), v.m.Callees(id)
	if known := len(operands) == 1 && len(callees) == 2; l.trips < 0 && !known {
		l.trips, l.exit.early = unknownTrips, true
	} else if l.trips < 0 {
		read := loopReader{values: v, init: operands[0], body: callees[0], condition: callees[1], terms: map[value]*term{}}
		if l.trips = read.until(read.decision(), false); l.trips == unknownTrips {
			read.steps = 0
			l.exit = read.exit()
		}
	}
	v.loops[id] = l
	return l
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
	*values
	init            hlo.InstrID
	body, condition hlo.CompID
	terms           map[value]*term
	steps           int     // that were taken from one instruction to another
	flags           []int32 // elements of the state whose setting latestBy follows
}

// maxSteps bounds how far a loop is followed; a model's is followed through dozens of instructions. Whoever is asked then says nothing.
const maxSteps = 1 << 11

// term is a value of a loop as what computes it: behind copies, bitcasts, conversions, fusions and calls.
type term struct {
	value
	op    hlo.Opcode
	shape *hlo.Shape // of the value
	state int32      // the element of the loop's state that it is, or noElement
}

// noElement is the index of no element of the state.
const noElement = -1

func (l *loopReader) term(of value) *term {
	if t := l.terms[of]; t != nil {
		return t
	}
	from := l.behind(of)
	t := &term{value: from, op: l.m.Instrs[from.Instr].Opcode, shape: l.m.Shape(l.Shape(of.Array)), state: noElement}
	if t.op == hlo.OpParameter && from.in == nil {
		t.state = from.Number
	}
	l.terms[of] = t
	return t
}

// operands are the terms that a value which is no element of the state is computed from; none once too many steps were taken.
func (l *loopReader) operands(t *term) (terms []*term) {
	operands := l.m.Operands(t.Instr)
	if l.steps += 1 + len(operands); t.state != noElement || l.steps > maxSteps {
		return nil
	}
	for _, id := range operands {
		for _, array := range l.Of(id) {
			terms = append(terms, l.term(value{array, t.in}))
		}
	}
	return terms
}

// element is an array of a loop's state as an instruction makes it.
func (l *loopReader) element(id hlo.InstrID, index int32) *term {
	at, known := l.nth(id, index, nil)
	if !known { // of a broken module
		at.Instr = id
	}
	return l.term(at)
}

// decision is what decides on another iteration.
func (l *loopReader) decision() *term { return l.element(l.m.Comps[l.condition].Root, 0) }

// behind follows a value to what computes it.
func (l *loopReader) behind(at value) value {
	for range maxDepth {
		if l.steps++; l.steps > maxSteps {
			return at
		}
		operands, callees := l.m.Operands(at.Instr), l.m.Callees(at.Instr)
		next, known := value{}, false
		switch op := l.m.Instrs[at.Instr].Opcode; {
		case (op == hlo.OpCopy || op == hlo.OpBitcast || op == hlo.OpConvert || op == hlo.OpReshape) && len(operands) == 1:
			next, known = l.nth(operands[0], at.Number, at.in)
		case (op == hlo.OpFusion || op == hlo.OpCall) && len(callees) == 1:
			next, known = l.result(at, callees[0])
		case op == hlo.OpParameter && at.in != nil:
			next, known = l.argument(at)
		}
		if !known {
			return at
		}
		at = next
	}
	return at
}

// until is how often a comparison of the counter, `state[index] direction bound`, lets the loop run; with not, one that must not hold.
func (l *loopReader) until(v *term, not bool) int64 {
	sides := l.operands(v)
	if v.op != hlo.OpCompare || len(sides) != 2 {
		return unknownTrips
	}
	direction := l.m.AttrText(v.Instr, "direction")
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
func (l *loopReader) counted(v *term) (index int32, more int64) {
	if terms := l.operands(v); v.op == hlo.OpAdd && len(terms) == 2 {
		if n, known := l.literal(terms[1]); known {
			return terms[0].state, n
		}
	}
	return v.state, 0
}

// constant is an integer constant, or an element of the state that starts as one and that the body hands on unchanged.
func (l *loopReader) constant(v *term) (int64, bool) {
	if v.state != noElement && l.kept(v.state) {
		return l.initial(v.state)
	}
	return l.literal(v)
}

// kept reports whether the body hands an element of the state on unchanged.
func (l *loopReader) kept(index int32) bool { return l.next(index).state == index }

func (l *loopReader) literal(v *term) (int64, bool) {
	if v.op != hlo.OpConstant {
		return 0, false
	}
	n, err := strconv.ParseInt(l.m.Literal(v.Instr), 10, 64)
	return n, err == nil
}

// initial is what an element of the state starts with.
func (l *loopReader) initial(index int32) (int64, bool) { return l.literal(l.element(l.init, index)) }

// next is what the body leaves in an element of the state.
func (l *loopReader) next(index int32) *term { return l.element(l.m.Comps[l.body].Root, index) }

// step is what the body adds to the counter.
func (l *loopReader) step(index int32) (int64, bool) {
	sum := l.next(index)
	terms := l.operands(sum)
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
