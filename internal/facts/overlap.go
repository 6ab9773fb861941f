package facts

import (
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
)

// overlap says of every collective whether it is started and waited for apart, and how many kernels run in between. In a module
// that is not scheduled the order of instructions says nothing about that: nothing is known then.
func (r *reader) overlap(w *walk, v *Variant) {
	if !r.m.Header.IsScheduled {
		return
	}
	v.Facts[AsyncExposed], v.Facts[AsyncOverlapped] = 0, 0
	for i := range w.launches {
		k := &v.Kernels[i]
		if k.Class != ClassCollective {
			continue
		}
		if done := w.done(i); done != hlo.NoInstr {
			k.Async, k.Beside = true, int32(w.between(i, done))
		}
		if k.Beside > 0 {
			v.Facts[AsyncOverlapped]++
		} else {
			v.Facts[AsyncExposed]++
		}
	}
}

// done is the instruction that waits for a collective; NoInstr for one that is not started apart.
func (w *walk) done(i int) hlo.InstrID {
	l := w.launches[i]
	switch {
	case l.async != hlo.NoInstr:
		return w.waits(l.async)
	case l.moves != l.id:
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
		case hlo.OpAsyncDone, hlo.OpAllReduceDone, hlo.OpAllGatherDone, hlo.OpCollectivePermuteDone, hlo.OpSendDone, hlo.OpRecvDone:
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
		callees := w.m.Callees(id)
		if w.m.Instrs[id].Opcode == hlo.OpFusion && len(callees) == 1 && w.endsChain(callees[0], chain) {
			return id
		}
	}
	return hlo.NoInstr
}

func (w *walk) endsChain(c hlo.CompID, chain string) bool {
	root := w.m.Comps[c].Root
	if w.m.Instrs[root].Opcode != hlo.OpCustomCall {
		return false
	}
	if target, _ := w.m.Attr(root, "custom_call_target"); target != "AsyncCollectiveDone" {
		return false
	}
	first, end := w.m.Body(c)
	for id := first; id < end; id++ {
		if roleOf(w.m.Instrs[id].Opcode) == roleCollective && w.chain(id) == chain {
			return true
		}
	}
	return false
}

// between counts the kernels that are launched after a collective was started and before it is waited for, those in loops and
// branches in between as well.
func (w *walk) between(i int, done hlo.InstrID) int {
	comp, n := w.m.Instrs[done].Comp, 0
	for _, l := range w.launches[i+1:] {
		at := l.id
		if l.async != hlo.NoInstr {
			at = l.async
		}
		if w.m.Instrs[at].Comp == comp && at > done {
			break
		}
		if l.class.Computes() {
			n++
		}
	}
	return n
}
