package facts

import (
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/price"
)

// queue marks the launches that take the host more than others to start.
func (r *reader) queue(launches []launch) {
	switch r.family {
	case price.GPU:
		r.queueUnrecorded(launches)
	case price.CPU:
		r.queueReady(launches)
	}
}

// queueReady marks the launches that XLA for CPU puts into a queue as soon as what they need is there: those of a computation of more than 8 launches, of which
// one at least touches more than 512 bytes, and which are no chain. All others it starts one after the other. Where more than 8 others are ready as well, the
// first leaves half of them to another thread. See ThunkExecutor in xla/backends/cpu/runtime/thunk_executor.cc.
func (r *reader) queueReady(launches []launch) {
	const short, small, split = 8, 512, 10 // launches, bytes, and queued launches that take as long as to leave some to another thread
	type sequence struct {
		place
		comp hlo.CompID
	}
	inOrder := map[sequence][]int{}
	for i := range launches {
		at := sequence{launches[i].place, r.m.Instrs[launches[i].id].Comp}
		at.depth = 0
		inOrder[at] = append(inOrder[at], i)
	}
	for at, list := range inOrder {
		first, end := r.m.Body(at.comp)
		made := make([]int, end-first) // by instruction: the last launch that it is a result of, or a part or view of one, from 1; 0 where there is none
		large, chain, ready, n := false, true, 0, 0
		for id := first; id < end; id++ {
			from := 0
			for _, o := range r.m.Operands(id) {
				from = max(from, made[o-first])
			}
			switch {
			case n < len(list) && launches[list[n]].id == id:
				if large, chain = large || r.touches(id, small), chain && from == n; from == 0 && r.m.AttrText(id, "control-predecessors") == "" {
					ready++
				}
				n++
				made[id-first] = n
			case roleOf(r.m.Instrs[id].Opcode) == roleFree:
				made[id-first] = from
			}
		}
		if len(list) <= short || !large || chain {
			continue
		}
		for _, i := range list {
			launches[i].queued = 1
		}
		if ready-1 > short {
			launches[list[0]].queued += split
		}
	}
}

// touches reports whether an instruction reads or writes an array of more bytes.
func (r *reader) touches(id hlo.InstrID, bytes int64) bool {
	var larger func(*hlo.Shape) bool
	larger = func(s *hlo.Shape) bool {
		return s.ElementCount()*s.Type.Bytes() > bytes || slices.ContainsFunc(s.Elements, func(e hlo.ShapeID) bool { return larger(r.m.Shape(e)) })
	}
	return larger(r.m.Shape(r.m.Instrs[id].Shape)) || slices.ContainsFunc(r.m.Operands(id), func(o hlo.InstrID) bool { return larger(r.m.Shape(r.m.Instrs[o].Shape)) })
}

// inCommandBuffer is how many launches in a row XLA puts into a command buffer at least (xla_gpu_graph_min_graph_size).
const inCommandBuffer = 5

// queueUnrecorded marks the launches of loops and branches that the host of a GPU starts one by one: fewer than make a command buffer are in a row. The end of
// an asynchronous one counts as well. The few that a program starts with are not among them, as the start of the program hides them.
func (r *reader) queueUnrecorded(launches []launch) {
	for first := 0; first < len(launches); {
		end, steps := first, 0
		row := launches[first].place
		for ; end < len(launches); end++ {
			row.depth = launches[end].place.depth // calls make no difference
			if end > first && (launches[end].place != row || !r.isRecorded(&launches[first]) || !r.isRecorded(&launches[end])) {
				break
			}
			if steps++; launches[end].async != hlo.NoInstr {
				steps++
			}
		}
		if l := &launches[first]; l.place.inner && l.class != ClassControl && steps < inCommandBuffer {
			for i := first; i < end; i++ {
				launches[i].queued = 1
			}
		}
		first = end
	}
}

// isRecorded reports whether a command buffer may hold a launch: kernels, copies, the products of cuBLAS and the attention of cuDNN, but no other library's
// calls. So it is in all dumps of JAX 0.11.2 from an H200. See GetCommandBufferCmdType in xla/backends/gpu/runtime/command_buffer_conversion_pass.cc.
func (r *reader) isRecorded(l *launch) bool {
	switch op := r.m.Instrs[l.id].Opcode; {
	case op == hlo.OpCustomCall && l.class == ClassLibrary:
		return r.isProduct(l.id) && !strings.Contains(r.m.AttrText(l.id, "custom_call_target"), "$conv")
	case op == hlo.OpFft, op == hlo.OpTriangularSolve, op == hlo.OpCholesky:
		return false
	}
	return l.class != ClassControl && l.class != ClassCollective
}
