package facts

import (
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/price"
)

// inCommandBuffer is how many launches in a row XLA puts into a command buffer at least (xla_gpu_graph_min_graph_size).
const inCommandBuffer = 5

// queue marks the launches that take longer to start than others of the device.
func (r *reader) queue(launches []launch) {
	switch r.family {
	case price.GPU:
		r.queueUnrecorded(launches)
	case price.CPU:
		r.queueScheduled(launches)
	}
}

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

// XLA for CPU runs a sequence of thunks without a scheduler if it has at most shortSequence of them, if none uses a buffer of more than smallBuffer bytes, or
// if each waits for the one before it: see ThunkExecutor::Options in xla/backends/cpu/runtime/thunk_executor.h.
const (
	shortSequence = 8
	smallBuffer   = 512
)

// queueScheduled marks the launches of a CPU that a scheduler starts: those of an entry, a loop or a branch are one sequence of thunks.
func (r *reader) queueScheduled(launches []launch) {
	sequences := map[place][]int{}
	for i := range launches {
		at := launches[i].place
		sequences[at] = append(sequences[at], i)
	}
	for _, sequence := range sequences {
		if len(sequence) <= shortSequence || r.areSmall(launches, sequence) || r.isChain(launches, sequence) {
			continue
		}
		for _, i := range sequence {
			launches[i].queued = true
		}
	}
}

// areSmall reports whether no launch of a sequence reads or writes a large buffer.
func (r *reader) areSmall(launches []launch, sequence []int) bool {
	large := func(id hlo.InstrID) bool { return r.isLarge(r.m.Instrs[id].Shape) }
	return !slices.ContainsFunc(sequence, func(i int) bool {
		id := launches[i].id
		return large(id) || slices.ContainsFunc(r.m.Operands(id), large)
	})
}

// isLarge reports whether a shape has an array of more than smallBuffer bytes.
func (r *reader) isLarge(id hlo.ShapeID) bool {
	if elements := r.m.Shape(id).Elements; len(elements) > 0 {
		return slices.ContainsFunc(elements, r.isLarge)
	}
	return r.m.ShapeBytes(id) > smallBuffer
}

// isChain reports whether each launch of a sequence uses the result of the one before it.
func (r *reader) isChain(launches []launch, sequence []int) bool {
	for n, i := range sequence[1:] {
		before := launches[sequence[n]].id
		if !slices.ContainsFunc(r.m.Operands(launches[i].id), func(o hlo.InstrID) bool { return r.comesFrom(o, before) }) {
			return false
		}
	}
	return true
}

// comesFrom reports whether a value is another or a part or view of it.
func (r *reader) comesFrom(id, from hlo.InstrID) bool {
	for id > from && roleOf(r.m.Instrs[id].Opcode) == roleFree && len(r.m.Operands(id)) == 1 {
		id = r.m.Operands(id)[0]
	}
	return id == from
}
