package facts

import (
	"errors"
	"fmt"
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/price"
)

// A launch is one item of work that the program starts on the device, with its place in the program.
//
// Counted are the instructions that are reachable from the entry through while bodies and conditions, branches, calls and
// asynchronous wrappers; never those inside a fusion or inside the computation of a reduce, sort, scatter or map.
type launch struct {
	id    hlo.InstrID
	async hlo.InstrID // the async-start around it, which holds the metadata when the wrapped instruction has none
	moves hlo.InstrID // the collective itself: id, or the one that is fused in it; NoInstr for other launches
	place place
	class Class
}

// place is what surrounds a launch.
type place struct {
	loop   hlo.InstrID // the innermost while; NoInstr outside loops
	times  int64       // the product of the known trip counts around it
	depth  int         // how many calls are between it and the entry
	guess  int64       // see Site.Guess
	branch string      // see Site.Branch
	inner  bool        // in a loop or branch, so not simply once a run
}

// loop is one while that the program reaches.
type loop struct {
	id    hlo.InstrID
	trips int64 // unknownTrips when the compiler did not say
	exit  exit  // where trips is unknown
	runs  int64 // how often the loop itself is entered
	end   int   // the first launch after those in it
}

// limits that only a broken or hostile module reaches
const (
	maxLaunches = 8 << 20
	maxDepth    = 256
)

var errTooDeep = errors.New("its calls are nested too deep or repeat too often to be counted")

// walk collects a module's launches in schedule order.
type walk struct {
	m          *hlo.Module
	alike      *hlo.Alike
	classified map[uint64]classification // by what an instruction says
	launches   []launch
	loops      []loop
	branches   int // conditionals that were met
	most       amount
	sum        amount  // of what was walked
	bodies     []int64 // by hlo.CompID: how many operations a launch of it holds
	failed     error
	chains     map[string]bool // asynchronous collectives whose first fusion was seen
}

// walk finds the module's launches, once.
func (r *reader) walk() (*walk, error) {
	if r.walked == nil {
		first, end := r.m.Body(r.m.Entry)
		w := &walk{
			m: r.m, alike: r.alike(), classified: map[uint64]classification{}, chains: map[string]bool{}, launches: make([]launch, 0, end-first),
			most: most(int64(len(r.m.Instrs))), bodies: bodies(r.m),
		}
		w.failed = w.computation(r.m.Entry, place{loop: hlo.NoInstr, times: 1}, hlo.NoInstr)
		r.walked = w
	}
	return r.walked, r.walked.failed
}

func (w *walk) computation(c hlo.CompID, at place, async hlo.InstrID) error {
	if w.sum.calls++; at.depth > maxDepth || !w.sum.within(w.most) {
		return errTooDeep
	}
	first, end := w.m.Body(c)
	for id := first; id < end; id++ {
		if err := w.instruction(id, at, async); err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) instruction(id hlo.InstrID, at place, async hlo.InstrID) error {
	switch roleOf(w.m.Instrs[id].Opcode) {
	case roleFree:
		return nil
	case roleEnter:
		return w.enter(id, at, async)
	case roleControl:
		return w.control(id, at)
	}
	l := launch{id: id, async: async, moves: hlo.NoInstr, place: at}
	if !w.classify(&l) {
		return nil
	}
	return w.add(l)
}

// add adds a launch, unless there are too many, or too many operations in them: a chain of calls that each repeat the next multiplies to more than
// there is memory for.
func (w *walk) add(l launch) error {
	w.launches = append(w.launches, l)
	w.sum.launches++
	if op := w.m.Instrs[l.id].Opcode; op == hlo.OpFusion || op == hlo.OpCall {
		for _, c := range w.m.Callees(l.id) {
			w.sum.operations += w.bodies[c]
		}
	}
	if !w.sum.within(w.most) {
		return errTooDeep
	}
	return nil
}

// enter walks what a call or an asynchronous wrapper runs. XLA for CPU compiles the callee of a small call into one kernel.
func (w *walk) enter(id hlo.InstrID, at place, async hlo.InstrID) error {
	if w.classification(id).small {
		return w.add(launch{id: id, async: async, moves: hlo.NoInstr, place: at, class: ClassKernel})
	}
	if w.m.Instrs[id].Opcode == hlo.OpAsyncStart {
		async = id
	}
	at.depth++
	return w.all(w.m.Callees(id), at, async)
}

// control records a loop, a branch or a transfer with the host, and walks what it runs.
func (w *walk) control(id hlo.InstrID, at place) error {
	if err := w.add(launch{id: id, async: hlo.NoInstr, moves: hlo.NoInstr, place: at, class: ClassControl}); err != nil {
		return err
	}
	callees, inside := w.m.Callees(id), at
	inside.depth++
	inside.inner = true
	if w.m.Instrs[id].Opcode != hlo.OpWhile || len(callees) != 2 {
		return w.conditional(callees, inside)
	}
	l := loop{id: id, trips: tripCount(w.m, id), runs: at.times}
	if l.trips == unknownTrips {
		l.exit = exitOf(w.m, id)
	}
	number := len(w.loops)
	w.loops = append(w.loops, l)
	inside.loop = id
	condition := inside // once: a loop whose trip count is known is run without asking it again
	if l.trips != unknownTrips {
		inside.times = timesProduct(inside.times, l.trips)
	} else {
		inside.guess = timesProduct(max(1, inside.guess), l.guess())
	}
	if err := w.computation(callees[1], condition, hlo.NoInstr); err != nil {
		return err
	}
	err := w.computation(callees[0], inside, hlo.NoInstr)
	w.loops[number].end = len(w.launches)
	return err
}

// conditional walks the branches, each in a place of its own.
func (w *walk) conditional(branches []hlo.CompID, at place) error {
	outer, number := at.branch, w.branches
	w.branches++
	for n, c := range branches {
		at.branch = strings.TrimLeft(fmt.Sprintf("%s %d.%d", outer, number, n), " ")
		if err := w.computation(c, at, hlo.NoInstr); err != nil {
			return err
		}
	}
	return nil
}

// guessedTrips is how often a loop is taken to run that counts to a number which nobody knows.
const guessedTrips = 10

// guess is how often a loop of unknown length is taken to run: half as often as it may.
func (l *loop) guess() int64 {
	if l.exit.most > 0 {
		return max(1, l.exit.most/2)
	}
	return guessedTrips
}

// work is what the loop itself takes. One of unknown length takes a decision before each iteration.
func (l *loop) work() (w price.Work) {
	if l.trips != unknownTrips {
		w[price.Iterations] = float64(l.trips)
		return w.Rounded()
	}
	w[price.Iterations], w[price.Decisions] = float64(l.guess()), float64(l.guess())
	return w.Rounded()
}

// lengths sets how often each loop runs. Loops are in the order of their launches.
func (r *reader) lengths(w *walk, kernels []Kernel) {
	loops := w.loops
	for i, l := range w.launches {
		if len(loops) > 0 && loops[0].id == l.id {
			counted := *kernels[i].Form
			parts, wholes := r.states(l.id)
			counted.Trips = Trips{InPart: parts, Whole: wholes, Length: max(0, loops[0].trips), MaxTrips: loops[0].exit.most, ExitsEarly: loops[0].exit.stops, CounterOnly: loops[0].exit.counts}
			counted.Work = loops[0].work()
			kernels[i].Form, kernels[i].Until = r.interner.form(counted), int32(loops[0].end)
			loops = loops[1:]
		}
	}
	for i, l := range w.launches {
		kernels[i].Writes = r.rewrites[l.id]
	}
}

func (w *walk) all(callees []hlo.CompID, at place, async hlo.InstrID) error {
	for _, c := range callees {
		if err := w.computation(c, at, async); err != nil {
			return err
		}
	}
	return nil
}

// amount is how much a module runs.
type amount struct {
	launches, calls int64
	operations      int64 // in its launches
}

// What a small module may come to by calls that repeat, and a large one for each of its instructions.
const (
	leastLaunches   = 1 << 17
	leastOperations = 4 << 20
	mostRepeated    = 16
)

// most is the most launches and operations that are visited one by one, of a module of so many instructions.
func most(instructions int64) amount {
	launches := min(max(leastLaunches, mostRepeated*instructions), maxLaunches)
	return amount{launches, launches, max(leastOperations, mostRepeated*instructions)}
}

func (a amount) within(most amount) bool {
	return a.launches <= most.launches && a.calls <= most.calls && a.operations <= most.operations
}

// bodies says how many instructions are in each computation and in what it enters, in a launch as flow sees it. Callees come before callers: each
// computation is visited once.
func bodies(m *hlo.Module) []int64 {
	const enough = 1 << 40 // far above every limit, and far below what overflows
	sizes := make([]int64, len(m.Comps))
	for c := range m.Comps {
		first, end := m.Body(hlo.CompID(c))
		sizes[c] = int64(end - first)
		for id := first; id < end; id++ {
			if !entered(m.Instrs[id].Opcode) {
				continue
			}
			for _, callee := range m.Callees(id) {
				sizes[c] = min(sizes[c]+sizes[callee], enough)
			}
		}
	}
	return sizes
}
