package price

import (
	"slices"

	"github.com/xlagate/xlagate/internal/hlo"
)

// demand is how often a loop computes each instruction for a result of its computation, as a share of the instruction's elements: none of what the result is
// not made of, less than once what is sliced or gathered from, more than once what is broadcast.
func (m *Meter) demand(first, result hlo.InstrID) []float64 {
	count := m.m.Comps[m.m.Instrs[result].Comp].Count
	shares, most := make([]float64, count), make([]float64, count)
	shares[result-first] = 1
	for id := result; id >= first; id-- {
		for n, o := range m.m.Operands(id) {
			share := shares[id-first] * m.needed(id, n)
			if !m.repeats(id) {
				share = min(1, share)
			}
			most[o-first] = max(1, most[o-first], share)
			shares[o-first] = min(shares[o-first]+share, most[o-first])
		}
	}
	return shares
}

// selects reports whether an instruction between two takes a part of what another of them computes, or repeats it.
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

// repeats reports whether a loop of a CPU computes anew what an instruction broadcasts: the innermost loop goes along it, so it cannot be moved out.
func (m *Meter) repeats(id hlo.InstrID) bool {
	in := &m.m.Instrs[id]
	if m.family != CPU || in.Opcode != hlo.OpBroadcast {
		return false
	}
	text, _ := m.m.Attr(id, "dimensions")
	order := m.m.Shape(in.Shape).DimensionOrder()
	return len(order) > 0 && slices.Contains(hlo.Ints(text), order[0])
}

// needed is how many elements of its operand n an instruction needs, for all of its own, as a share of the operand.
func (m *Meter) needed(id hlo.InstrID, n int) float64 {
	in := &m.m.Instrs[id]
	if in.Opcode == hlo.OpBroadcast || n == 0 && isSelection(in.Opcode) {
		return m.elements(in.Shape) / max(1, m.elements(m.m.Instrs[m.m.Operands(id)[n]].Shape))
	}
	return 1
}
