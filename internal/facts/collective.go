package facts

import (
	"fmt"
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
)

// overlap says of every transfer that is started and waited for apart before which launch it is waited for, and of every collective how many kernels
// run in between. In a module that is not scheduled the order of instructions says nothing about that: nothing is known then.
func (r *reader) overlap(w *walk, v *Variant) {
	if !r.m.Header.IsScheduled {
		return
	}
	v.Facts[AsyncExposed], v.Facts[AsyncOverlapped] = 0, 0
	for i := range w.launches {
		k := &v.Kernels[i]
		if done := w.done(i); done != hlo.NoInstr {
			k.Until = int32(w.until(i, done))
		}
		if k.Class != ClassCollective {
			continue
		}
		k.Async, k.Overlapped = k.Until > 0, w.computing(i+1, int(k.Until))
		if k.Overlapped > 0 {
			v.Facts[AsyncOverlapped]++
		} else {
			v.Facts[AsyncExposed]++
		}
	}
}

// done is the instruction that waits for a transfer; NoInstr for one that is not started apart.
func (w *walk) done(i int) hlo.InstrID {
	l := w.launches[i]
	switch {
	case l.async != hlo.NoInstr:
		return w.waits(l.async)
	case l.moves != hlo.NoInstr && l.moves != l.id:
		return w.chainEnd(l)
	case strings.HasSuffix(w.m.OpcodeName(w.m.Instrs[l.id].Opcode), "-start"), w.m.Instrs[l.id].Opcode == hlo.OpSend, w.m.Instrs[l.id].Opcode == hlo.OpRecv:
		return w.waits(l.id)
	}
	return hlo.NoInstr
}

// waits finds the instruction that ends what another starts, through updates in between.
func (w *walk) waits(start hlo.InstrID) hlo.InstrID {
	_, end := w.m.Body(w.m.Instrs[start].Comp)
	for id := start + 1; id < end; id++ {
		operands := w.m.Operands(id)
		if len(operands) == 0 || operands[0] != start {
			continue
		}
		switch w.m.Instrs[id].Opcode {
		case hlo.OpAsyncUpdate:
			start = id
		case hlo.OpAsyncDone, hlo.OpCopyDone, hlo.OpAllReduceDone, hlo.OpAllGatherDone, hlo.OpCollectivePermuteDone, hlo.OpSendDone, hlo.OpRecvDone:
			return id
		}
	}
	return hlo.NoInstr
}

// chainEnd finds the last fusion of a collective that is spread over several.
func (w *walk) chainEnd(l launch) hlo.InstrID {
	chain := w.chain(l.moves)
	_, end := w.m.Body(w.m.Instrs[l.id].Comp)
	for id := l.id + 1; id < end && chain != ""; id++ {
		if w.m.Instrs[id].Opcode != hlo.OpFusion || !w.classification(id).free {
			continue
		}
		first, last := w.m.Body(w.m.Callees(id)[0])
		for inner := first; inner < last; inner++ {
			if roleOf(w.m.Instrs[inner].Opcode) == roleCollective && w.chain(inner) == chain {
				return id
			}
		}
	}
	return hlo.NoInstr
}

// until is the first launch after a transfer is waited for. What runs in loops and branches in between comes before it.
func (w *walk) until(i int, done hlo.InstrID) int {
	comp := w.m.Instrs[done].Comp
	for i++; i < len(w.launches); i++ {
		at := w.launches[i].id
		if async := w.launches[i].async; async != hlo.NoInstr {
			at = async
		}
		if w.m.Instrs[at].Comp == comp && at > done {
			break
		}
	}
	return i
}

// computing counts the kernels among launches.
func (w *walk) computing(from, until int) (n int32) {
	for i := from; i < until; i++ {
		if w.launches[i].class.Computes() {
			n++
		}
	}
	return n
}

// moved is what one device puts in or gets out of a collective, whichever is more: an all-gather's result, a reduce-scatter's
// operand.
func (r *reader) moved(id hlo.InstrID) int64 {
	return max(r.operandBytes(id), r.m.ShapeBytes(r.resultShape(id)))
}

// result is the shape of what a launch leaves, without what only serves its being asynchronous.
func (r *reader) result(l launch) hlo.ShapeID {
	if l.moves != hlo.NoInstr {
		return r.resultShape(l.moves)
	}
	return r.resultShape(l.id)
}

// resultShape is the shape of what an operation leaves. The dedicated -start operations return their operands and contexts
// beside it.
func (r *reader) resultShape(id hlo.InstrID) hlo.ShapeID {
	in := &r.m.Instrs[id]
	elements := r.m.Shape(in.Shape).Elements
	switch in.Opcode {
	case hlo.OpAllGatherStart, hlo.OpCollectivePermuteStart:
		if len(elements) >= 2 {
			return elements[1]
		}
	case hlo.OpCopyStart, hlo.OpSend, hlo.OpRecv:
		if len(elements) >= 1 {
			return elements[0]
		}
	}
	return in.Shape
}

// groups says over which devices a collective runs: "2 of 4" is two groups of four.
func (r *reader) groups(id hlo.InstrID) string {
	if pairs, ok := r.m.Attr(id, "source_target_pairs"); ok {
		return fmt.Sprintf("%d pairs", strings.Count(pairs, "{")-1)
	}
	printed, ok := r.m.Attr(id, "replica_groups")
	if !ok {
		return ""
	}
	if groups := parseGroups(printed); len(groups) > 0 {
		return fmt.Sprintf("%d of %d", len(groups), len(groups[0]))
	}
	return fmt.Sprintf("1 of %d", r.m.Header.ReplicaCount*r.m.Header.NumPartitions)
}

// parseGroups lists the devices of each group of a collective: none for one group of all devices, and for a spelling that is not known. It numbers
// the devices of a mesh in their order along its axes.
func parseGroups(printed string) [][]int64 {
	if mesh, ids, permuted := strings.Cut(printed, ", device_ids=("); permuted {
		_, axes, _ := strings.Cut(ids, ") {")
		printed = mesh + " {" + axes
	}
	groups, _ := hlo.ReplicaGroups([]byte(printed))
	return groups
}
