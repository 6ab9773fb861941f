package facts

import "github.com/xlagate/xlagate/internal/hlo"

// amount is how much a computation runs, counted through everything that it calls.
type amount struct{ launches, calls int64 }

// counting counts launches before they are walked, each computation once: a chain of calls that each repeat the next multiplies to
// more than there is memory for.
type counting struct {
	w     *walk
	known []amount // by hlo.CompID; calls is 0 where it was not counted yet
}

// count is how many launches the module has.
func (w *walk) count() (int64, error) {
	c := &counting{w: w, known: make([]amount, len(w.m.Comps))}
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
		launches, callees := c.instruction(i)
		sum.launches += launches
		for _, callee := range callees {
			more, err := c.computation(callee, depth+1)
			if err != nil {
				return amount{}, err
			}
			sum.launches, sum.calls = sum.launches+more.launches, sum.calls+more.calls
			if max(sum.launches, sum.calls) > maxLaunches {
				return amount{}, errTooDeep
			}
		}
	}
	c.known[id] = sum
	return sum, nil
}

// instruction says what an instruction launches by itself, and what it runs, as the walk does.
func (c *counting) instruction(id hlo.InstrID) (launches int64, callees []hlo.CompID) {
	switch op := c.w.m.Instrs[id].Opcode; roleOf(op) {
	case roleFree:
		return 0, nil
	case roleEnter:
		if c.w.judge(id).small {
			return 1, nil
		}
		return 0, c.w.m.Callees(id)
	case roleControl:
		return 1, c.w.m.Callees(id)
	default:
		if (op == hlo.OpFusion || op == hlo.OpCustomCall) && c.w.judge(id).free {
			return 0, nil
		}
		return 1, nil
	}
}
