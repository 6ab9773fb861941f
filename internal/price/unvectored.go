package price

import (
	"slices"

	"github.com/xlagate/xlagate/internal/hlo"
)

// lanes is how many elements of 32 bits LLVM computes at once in a loop of XLA for CPU, which prefers vectors of 256 bits.
const lanes = 8

// oneLane multiplies what a loop computes that LLVM does not put into vectors.
func (w *Work) oneLane() {
	for _, a := range []Amount{Vector, Special} {
		w[a] *= lanes
	}
	for _, a := range []Amount{Vector64, Special64} {
		w[a] *= lanes / 2
	}
}

// isUnvectored reports whether LLVM does not put the loop of a fused computation into vectors: what it reads next is not next in memory, or it cannot know. It
// is found out once for all computations that are alike.
func (m *Meter) isUnvectored(c hlo.CompID) bool {
	b := m.body(m.alike.First(c), true)
	if !b.vectored {
		b.vectored, b.unvectored = true, m.family == CPU && m.hidesWhatIsNext(c)
	}
	return b.unvectored
}

// hidesWhatIsNext reports whether a loop reads by a remainder, or at what it looks up in a function of its own.
func (m *Meter) hidesWhatIsNext(c hlo.CompID) bool {
	first, end := m.m.Body(c)
	sliced := false
	for id := first; id < end; id++ {
		switch m.m.Instrs[id].Opcode {
		case hlo.OpBroadcast:
			if m.isSplit(id) {
				return true
			}
		case hlo.OpDynamicSlice:
			sliced = true
		}
	}
	return sliced && m.looksUpInAFunction(first, end)
}

// looksUpInAFunction reports whether an instruction between first and end is a function and computed from a slice that begins at a value in memory.
func (m *Meter) looksUpInAFunction(first, end hlo.InstrID) bool {
	looksUp := make([]bool, end-first)
	for id := first; id < end; id++ {
		operands := m.m.Operands(id)
		if m.m.Instrs[id].Opcode == hlo.OpDynamicSlice {
			looksUp[id-first] = len(operands) > 0 && slices.ContainsFunc(operands[1:], func(o hlo.InstrID) bool { return m.m.Instrs[o].Opcode != hlo.OpConstant })
		} else {
			looksUp[id-first] = slices.ContainsFunc(operands, func(o hlo.InstrID) bool { return looksUp[o-first] })
		}
		if looksUp[id-first] && m.isFunction(id) {
			return true
		}
	}
	return false
}

// isFunction reports whether several instructions take different parts of one, which XLA makes a function for them. In a function that looks up where its own
// operand begins, LLVM cannot see that what the loop writes is not what is looked up.
func (m *Meter) isFunction(id hlo.InstrID) bool {
	users := m.users.Of(id)
	return len(users) > 1 && slices.ContainsFunc(users, func(u hlo.InstrID) bool { return isSelection(m.m.Instrs[u].Opcode) && m.m.Operands(u)[0] == id })
}

// innermost are the dimensions of an instruction that the innermost loop of its fusion goes along: one, or several that the result of the fusion has as one.
func (m *Meter) innermost(id hlo.InstrID) (dims []int64) {
	root := m.m.Comps[m.m.Instrs[id].Comp].Root
	s, row, size := m.m.Shape(m.m.Instrs[id].Shape), minor(m.m.Shape(m.m.Instrs[root].Shape)), int64(1)
	for _, d := range s.DimensionOrder() {
		if d < 0 || d >= int64(len(s.Dims)) {
			return nil
		}
		if s.Dims[d] != 1 {
			dims = append(dims, d)
		}
		if size *= s.Dims[d]; size >= row {
			break
		}
	}
	return dims
}

// isSplit reports whether the innermost loop goes along several dimensions of an instruction as if they were one, and the instruction broadcasts along the last
// of them: an element of its operand is found by a remainder. LLVM knows that one found by a quotient is the same for a vector.
func (m *Meter) isSplit(id hlo.InstrID) bool {
	if !m.isJoined(id) {
		return false
	}
	along, from := m.innermost(id), m.m.Integers(id, "dimensions")
	outer := func(d int64) bool { return !slices.Contains(from, d) }
	return len(along) > 1 && !outer(along[0]) && slices.ContainsFunc(along, outer) && m.isInStep(id)
}

// isJoined reports whether an instruction broadcasts an array, and its rows are shorter than those of the result of its fusion.
func (m *Meter) isJoined(id hlo.InstrID) bool {
	in := &m.m.Instrs[id]
	operands := m.m.Operands(id)
	if len(operands) == 0 || len(m.m.Shape(m.m.Instrs[operands[0]].Shape).Dims) == 0 {
		return false
	}
	return minor(m.m.Shape(in.Shape)) < minor(m.m.Shape(m.m.Instrs[m.m.Comps[in.Comp].Root].Shape))
}

// isInStep reports whether the loop of a fusion computes an element of an instruction for each of its own, in the same order.
func (m *Meter) isInStep(id hlo.InstrID) bool {
	for range maxDepth {
		if id == m.m.Comps[m.m.Instrs[id].Comp].Root {
			return true
		}
		users := m.users.Of(id)
		if len(users) == 0 {
			return false
		}
		op := m.m.Instrs[users[0]].Opcode
		if op != hlo.OpBitcast && op != hlo.OpReshape && (int(op) >= hlo.NumOpcodes || workOf[op] == noWork) {
			return false
		}
		id = users[0]
	}
	return false
}
