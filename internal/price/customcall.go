package price

import (
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
)

// customCall adds what a call of a library, of Python or of a kernel that was written by hand asks for.
func (m *Meter) customCall(w *Work, id hlo.InstrID) {
	if p, is := m.product(id); is {
		if w[unit(p, false)] += p.Flops; p.Flops == 0 {
			w[Unknown] = 1
		}
		return
	}
	target, _ := m.m.Attr(id, "custom_call_target")
	written := m.m.Kernel(id)
	switch {
	case strings.Contains(target, "callback"):
		w[Calls] = 1
	case strings.Contains(target, "TopK"):
		m.topK(w, id)
	case written != nil:
		w.handWritten(written)
	case strings.Contains(target, "cub_sort"), strings.Contains(target, "DeviceRadixSort"):
		w[Scalar] = 8 * m.operandElements(id) // a pass for every four bits
	default:
		w[Unknown] = 1
	}
}

func (m *Meter) operandElements(id hlo.InstrID) float64 {
	operands := m.m.Operands(id)
	if len(operands) == 0 {
		return 0
	}
	return m.elements(m.m.Instrs[operands[0]].Shape)
}

// topK adds a pass over the operand: each element is compared with the smallest that is kept.
func (m *Meter) topK(w *Work, id hlo.InstrID) { w[Scalar] = 1.5 * m.operandElements(id) }
