package price

import (
	"slices"

	"github.com/xlagate/xlagate/internal/hlo"
)

// demand returns how many elements of each instruction a loop computes for a result, as a share of all that the instruction has: 0 where the result does not
// use it, less than 1 where a slice or a gather takes a part, more than 1 where a broadcast needs an element again.
func (m *Meter) demand(first, result hlo.InstrID) []float64 {
	count := m.m.Comps[m.m.Instrs[result].Comp].Count
	shares, most := make([]float64, count), make([]float64, count)
	shares[result-first] = 1
	for id := result; id >= first; id-- {
		for n, o := range m.m.Operands(id) {
			share := shares[id-first] * m.needed(id, n)
			if share > 1 && m.m.Instrs[id].Opcode == hlo.OpBroadcast && !m.repeats(id) {
				share = 1
			}
			most[o-first] = max(1, most[o-first], share)
			shares[o-first] = min(shares[o-first]+share, most[o-first])
		}
	}
	return shares
}

// selects reports whether an instruction between first and end takes a part of what another one computes, or repeats it.
func (m *Meter) selects(first, end hlo.InstrID) bool {
	for id := first; id < end; id++ {
		op, operands := m.m.Instrs[id].Opcode, m.m.Operands(id)
		if !isSelection(op) && op != hlo.OpBroadcast || len(operands) == 0 {
			continue
		}
		from := m.m.Instrs[operands[0]].Opcode
		if from != hlo.OpParameter && from != hlo.OpConstant && (isSelection(op) || m.repeats(id)) {
			return true
		}
	}
	return false
}

func isSelection(op hlo.Opcode) bool {
	return op == hlo.OpSlice || op == hlo.OpDynamicSlice || op == hlo.OpGather
}

// repeats reports whether a loop of a CPU computes an element again for each place that a broadcast puts it. It does so where the innermost loop goes along
// the broadcast value, which LLVM then cannot move out of that loop. It does move one that stays for a vector.
func (m *Meter) repeats(id hlo.InstrID) bool {
	in := &m.m.Instrs[id]
	if m.family != CPU || in.Opcode != hlo.OpBroadcast {
		return false
	}
	order, operands := m.m.Shape(in.Shape).DimensionOrder(), m.m.Operands(id)
	if len(order) == 0 || len(operands) == 0 {
		return false
	}
	if m.isJoined(id) && m.isUnvectored(in.Comp) {
		from := m.m.Integers(id, "dimensions")
		return slices.ContainsFunc(m.innermost(id), func(d int64) bool { return slices.Contains(from, d) })
	}
	innermost := m.m.Shape(in.Shape).Dims[order[0]]
	return slices.Contains(m.m.Shape(m.m.Instrs[operands[0]].Shape).Dims, innermost) && slices.Contains(m.m.Integers(id, "dimensions"), order[0])
}

// needed returns how many elements of its operand n an instruction reads for all of its own, as a share of those that the operand has.
func (m *Meter) needed(id hlo.InstrID, n int) float64 {
	in := &m.m.Instrs[id]
	if in.Opcode == hlo.OpBroadcast || n == 0 && isSelection(in.Opcode) {
		return m.elements(in.Shape) / max(1, m.elements(m.m.Instrs[m.m.Operands(id)[n]].Shape))
	}
	return 1
}
