package price

import "github.com/xlagate/xlagate/internal/hlo"

// demand returns how many elements of each instruction a loop computes for a result, as a share of all that the instruction has: 0 where the result does not
// use it, less than 1 where a slice or a gather takes a part.
func (m *Meter) demand(first, result hlo.InstrID) []float64 {
	count := m.m.Comps[m.m.Instrs[result].Comp].Count
	shares := make([]float64, count)
	shares[result-first] = 1
	for id := result; id >= first; id-- {
		for n, o := range m.m.Operands(id) {
			shares[o-first] = min(1, shares[o-first]+shares[id-first]*m.needed(id, n))
		}
	}
	return shares
}

// selects reports whether an instruction between first and end takes a part of what another one computes.
func (m *Meter) selects(first, end hlo.InstrID) bool {
	for id := first; id < end; id++ {
		op, operands := m.m.Instrs[id].Opcode, m.m.Operands(id)
		if !isSelection(op) || len(operands) == 0 {
			continue
		}
		if from := m.m.Instrs[operands[0]].Opcode; from != hlo.OpParameter && from != hlo.OpConstant {
			return true
		}
	}
	return false
}

func isSelection(op hlo.Opcode) bool {
	return op == hlo.OpSlice || op == hlo.OpDynamicSlice || op == hlo.OpGather
}

// needed returns how many elements of its operand n an instruction reads for all of its own, as a share of those that the operand has.
func (m *Meter) needed(id hlo.InstrID, n int) float64 {
	in := &m.m.Instrs[id]
	if n == 0 && isSelection(in.Opcode) {
		return m.elements(in.Shape) / max(1, m.elements(m.m.Instrs[m.m.Operands(id)[n]].Shape))
	}
	return 1
}
