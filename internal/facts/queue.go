package facts

import (
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
)

// inCommandBuffer is how many launches in a row XLA puts into a command buffer at least (xla_gpu_graph_min_graph_size).
const inCommandBuffer = 5

// queueUnrecorded marks the launches of loops and branches that the host of a GPU starts one by one: fewer than make a command buffer are in a row. The end of
// an asynchronous one counts as well. The few that a program starts with are not among them, as the start of the program hides them.
func (r *reader) queueUnrecorded(launches []launch) {
	for first := 0; first < len(launches); {
		end, steps := first, 0
		for ; end == first || end < len(launches) && r.inOneRow(&launches[first], &launches[end]); end++ {
			if steps++; launches[end].async != hlo.NoInstr {
				steps++
			}
		}
		if l := &launches[first]; l.place.inner && l.class != ClassControl && steps < inCommandBuffer {
			for i := first; i < end; i++ {
				launches[i].queued = true
			}
		}
		first = end
	}
}

// inOneRow reports whether two launches that follow each other in the same run of the same loop or branch can be in one command buffer. Calls make no
// difference.
func (r *reader) inOneRow(a, b *launch) bool {
	same := b.place
	same.depth = a.place.depth
	return a.place == same && r.isRecorded(a) && r.isRecorded(b)
}

// isRecorded reports whether a command buffer may hold a launch: kernels, copies and the products of cuBLAS, but no other library's calls. So it is in all
// dumps of JAX 0.11.2 from an H200.
func (r *reader) isRecorded(l *launch) bool {
	switch op := r.m.Instrs[l.id].Opcode; {
	case op == hlo.OpCustomCall && r.m.Kernel(l.id) == nil:
		return strings.Contains(r.m.AttrText(l.id, "custom_call_target"), "cublas")
	case op == hlo.OpFft, op == hlo.OpTriangularSolve, op == hlo.OpCholesky:
		return false
	}
	return l.class != ClassControl && l.class != ClassCollective
}
