package facts

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
)

// overlap counts the kernels that run while a collective is on its way: in start, a, b, done they are a and b. Only a scheduled module has that order.
func (r *reader) overlap(w *walk, v *Variant) {
	if !r.m.Header.IsScheduled {
		return
	}
	w.findWaits(v.Kernels, r.users())
	computed := w.computing()
	v.Facts[AsyncExposed], v.Facts[AsyncOverlapped] = 0, 0
	for i := range v.Kernels {
		k := &v.Kernels[i]
		if k.Class != ClassCollective {
			continue
		}
		if k.Async = k.Until > 0; k.Async {
			k.Overlapped = computed[k.Until] - computed[i+1]
		}
		if k.Overlapped > 0 {
			v.Facts[AsyncOverlapped]++
		} else {
			v.Facts[AsyncExposed]++
		}
	}
}

// computing counts the kernels before each launch, and at the end all of them.
func (w *walk) computing() []int32 {
	before := make([]int32, len(w.launches)+1)
	for i, l := range w.launches {
		before[i+1] = before[i]
		if l.class.Computes() {
			before[i+1]++
		}
	}
	return before
}

// findWaits sets Until of each asynchronous transfer to the first launch after its -done instruction. It goes from the last launch to the first, and keeps
// for each computation the launches that follow in the same call of it. Launches in loops and branches in between come before Until. What ends in a loop
// without a launch behind it ends with the iteration.
func (w *walk) findWaits(kernels []Kernel, users *hlo.Users) {
	ends := w.iterationEnds()
	following := map[hlo.CompID][]int32{} // launches, the last first
	at := func(i int32) hlo.InstrID {
		if async := w.launches[i].async; async != hlo.NoInstr {
			return async
		}
		return w.launches[i].id
	}
	for i := int32(len(w.launches)) - 1; i >= 0; i-- {
		c := w.m.Instrs[at(i)].Comp
		list := following[c]
		if len(list) > 0 && at(i) > at(list[len(list)-1]) { // the computation is called again
			list = list[:0]
		}
		done := hlo.NoInstr // the instruction that waits for the transfer or ends its chain of fusions
		switch l, op := &w.launches[i], w.m.Instrs[w.launches[i].id].Opcode; {
		case l.async != hlo.NoInstr:
			done = w.waits(l.async, users)
		case l.moves != hlo.NoInstr && l.moves != l.id:
			done = w.chainEnd(*l)
		case strings.HasSuffix(w.m.OpcodeName(op), "-start"), op == hlo.OpSend, op == hlo.OpRecv:
			done = w.waits(l.id, users)
		}
		if done != hlo.NoInstr {
			kernels[i].Until = ends[i]
			if before := sort.Search(len(list), func(k int) bool { return at(list[k]) <= done }); before > 0 {
				kernels[i].Until = list[before-1]
			}
		}
		following[c] = append(list, i)
	}
}

// iterationEnds is for each launch the first launch behind the innermost loop that it is in; for one outside of loops the number of launches.
func (w *walk) iterationEnds() []int32 {
	ends := make([]int32, len(w.launches))
	loops := w.loops
	for i, l := range w.launches {
		if ends[i] == 0 {
			ends[i] = int32(len(w.launches))
		}
		if len(loops) > 0 && loops[0].id == l.id {
			for inside := i + 1; inside < loops[0].end; inside++ {
				ends[inside] = int32(loops[0].end)
			}
			loops = loops[1:]
		}
	}
	return ends
}

// waits returns the -done instruction for the start of a transfer. There may be async-updates in between.
func (w *walk) waits(start hlo.InstrID, users *hlo.Users) hlo.InstrID {
	for start != hlo.NoInstr {
		next := hlo.NoInstr
		for _, user := range users.Of(start) {
			if user <= start || w.m.Operands(user)[0] != start { // a broken module may wait for what has not started
				continue
			}
			switch w.m.Instrs[user].Opcode {
			case hlo.OpAsyncDone, hlo.OpCopyDone, hlo.OpAllReduceDone, hlo.OpAllGatherDone, hlo.OpCollectivePermuteDone, hlo.OpSendDone, hlo.OpRecvDone:
				return user
			case hlo.OpAsyncUpdate:
				next = user
			}
			if next != hlo.NoInstr {
				break
			}
		}
		start = next
	}
	return hlo.NoInstr
}

// chainEnd finds the last fusion of a collective that is spread over several: the first one behind the launch that holds a collective of the same chain.
func (w *walk) chainEnd(l launch) hlo.InstrID {
	if w.chainEnds == nil {
		w.findChainEnds()
	}
	for _, id := range w.chainEnds[chainIn{w.m.Instrs[l.id].Comp, w.chain(l.moves)}] {
		if id > l.id {
			return id
		}
	}
	return hlo.NoInstr
}

// chainIn is a chain of collectives within a computation.
type chainIn struct {
	comp  hlo.CompID
	chain string
}

// findChainEnds finds the fusions that launch nothing themselves and hold a collective of a chain.
func (w *walk) findChainEnds() {
	w.chainEnds = map[chainIn][]hlo.InstrID{}
	within := map[hlo.CompID][]string{} // the chains in a fusion's body: many fusions may share one
	for i := range w.m.Instrs {
		id := hlo.InstrID(i)
		if w.m.Instrs[id].Opcode != hlo.OpFusion || !w.classification(id).free {
			continue
		}
		body := w.m.Callees(id)[0]
		if _, known := within[body]; !known {
			within[body] = w.chainsOf(body)
		}
		for _, chain := range within[body] {
			in := chainIn{w.m.Instrs[id].Comp, chain}
			w.chainEnds[in] = append(w.chainEnds[in], id)
		}
	}
}

// chainsOf lists the chains of the collectives in a computation, each once. A collective that is not spread has none.
func (w *walk) chainsOf(c hlo.CompID) []string {
	var chains []string
	for id, end := w.m.Body(c); id < end; id++ {
		if roleOf(w.m.Instrs[id].Opcode) == roleCollective {
			chains = append(chains, w.chain(id))
		}
	}
	slices.Sort(chains)
	chains = slices.Compact(chains)
	return slices.DeleteFunc(chains, func(chain string) bool { return chain == "" })
}

// moved returns the bytes of a collective's operand or result on one device, whichever is more: of an all-gather's result, of a reduce-scatter's operand.
func (r *reader) moved(id hlo.InstrID) int64 {
	return max(r.operandBytes(id), r.m.ShapeBytes(r.resultShape(id)))
}

// result returns the shape of a launch's result, without the operands and contexts that an asynchronous start returns beside it.
func (r *reader) result(l launch) hlo.ShapeID {
	if l.moves != hlo.NoInstr {
		return r.resultShape(l.moves)
	}
	return r.resultShape(l.id)
}

// resultShape returns the shape of an operation's result. A -start operation returns its operands and contexts beside it.
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
