package facts

import "github.com/xlagate/xlagate/internal/hlo"

// amount is how much a computation runs, counted through everything that it calls.
type amount struct {
	launches, calls int64
	operations      int64 // in its launches
}

func (a amount) and(b amount) amount {
	return amount{a.launches + b.launches, a.calls + b.calls, a.operations + b.operations}
}

// What a small module may come to by calls that repeat, and a large one for each of its instructions.
const (
	leastLaunches   = 1 << 17
	leastOperations = 4 << 20
	mostRepeated    = 16
)

// most is the most that can be looked at one by one of a module of so many instructions.
func most(instructions int64) amount {
	launches := min(max(leastLaunches, mostRepeated*instructions), maxLaunches)
	return amount{launches, launches, max(leastOperations, mostRepeated*instructions)}
}

func (a amount) within(most amount) bool {
	return a.launches <= most.launches && a.calls <= most.calls && a.operations <= most.operations
}

// counting counts launches before they are walked, each computation once: a chain of calls that each repeat the next multiplies to
// more than there is memory for.
type counting struct {
	w      *walk
	most   amount
	known  []amount // by hlo.CompID; calls is 0 where it was not counted yet
	bodies []int64  // by hlo.CompID: what a launch of it would hold
}

// count is how many launches the module has.
func (w *walk) count() (int64, error) {
	instructions, bodies := w.bodies()
	c := &counting{w: w, most: most(instructions), known: make([]amount, len(w.m.Comps)), bodies: bodies}
	all, err := c.computation(w.m.Entry, 0)
	return all.launches, err
}

func (c *counting) computation(id hlo.CompID, depth int) (amount, error) {
	if known := c.known[id]; known.calls > 0 {
		return known, nil
	}
	if depth > maxDepth {
		return amount{}, errTooDeep
	}
	sum := amount{calls: 1}
	first, end := c.w.m.Body(id)
	for i := first; i < end; i++ {
		own, callees := c.instruction(i)
		if sum = sum.and(own); !sum.within(c.most) {
			return amount{}, errTooDeep
		}
		for _, callee := range callees {
			more, err := c.computation(callee, depth+1)
			if err != nil {
				return amount{}, err
			}
			if sum = sum.and(more); !sum.within(c.most) {
				return amount{}, errTooDeep
			}
		}
	}
	c.known[id] = sum
	return sum, nil
}

// instruction says what an instruction launches by itself, and what it runs, as the walk does.
func (c *counting) instruction(id hlo.InstrID) (own amount, callees []hlo.CompID) {
	switch op := c.w.m.Instrs[id].Opcode; roleOf(op) {
	case roleFree:
		return amount{}, nil
	case roleEnter:
		if c.w.judge(id).small {
			return c.launch(id), nil
		}
		return amount{}, c.w.m.Callees(id)
	case roleControl:
		return amount{launches: 1}, c.w.m.Callees(id)
	default:
		if (op == hlo.OpFusion || op == hlo.OpCustomCall) && c.w.judge(id).free {
			return amount{}, nil
		}
		if op == hlo.OpFusion {
			return c.launch(id), nil
		}
		return amount{launches: 1}, nil
	}
}

// launch is one launch with all that its computations hold.
func (c *counting) launch(id hlo.InstrID) amount {
	own := amount{launches: 1}
	for _, callee := range c.w.m.Callees(id) {
		own.operations += c.bodies[callee]
	}
	return own
}

// bodies says how many instructions the module has, and how many stand in each computation and in what it enters, in a launch as flow
// sees it. Callees stand before callers: each computation is looked at once.
func (w *walk) bodies() (all int64, sizes []int64) {
	const enough = 1 << 40 // far above every limit, and far below what overflows
	sizes = make([]int64, len(w.m.Comps))
	for c := range w.m.Comps {
		first, end := w.m.Body(hlo.CompID(c))
		size := int64(end - first)
		all += size
		for id := first; id < end; id++ {
			if !entered(w.m.Instrs[id].Opcode) {
				continue
			}
			for _, callee := range w.m.Callees(id) {
				size = min(size+sizes[callee], enough)
			}
		}
		sizes[c] = size
	}
	return all, sizes
}
