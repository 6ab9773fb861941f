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
	case strings.HasPrefix(target, "lapack_"):
		w[Serial] = m.factorized(id, target)
	default:
		w[Unknown] = 1
	}
}

// factorizations are what LAPACK's routines take on one core, in nanoseconds: for each element of the matrices, and for each as often as a matrix
// has rows. An unknown one is the last.
var factorizations = []struct {
	name     string
	flat, by float64
}{
	{"potrf", 1.8, 0.0125}, {"getrf", 2, 0.023}, {"geqrf", 4.2, 0.053}, {"gqr", 4.2, 0.053}, {"trsm", 1, 0.03}, {"syevd", 33, 0.117}, {"heevd", 33, 0.117},
	{"gesdd", 89, 0.306}, {"gees", 100, 2.5}, {"geev", 100, 2.5}, {"", 4, 0.1},
}

// factorized is how long a routine of LAPACK takes. Singular values alone take a third of what they take with their vectors.
func (m *Meter) factorized(id hlo.InstrID, target string) float64 {
	operands := m.m.Operands(id)
	s := m.m.Shape(m.m.Instrs[operands[0]].Shape)
	if len(s.Dims) < 2 {
		return 0
	}
	n, elements := float64(min(s.Dims[len(s.Dims)-1], s.Dims[len(s.Dims)-2])), m.elements(m.m.Instrs[operands[len(operands)-1]].Shape)
	config, _ := m.m.Attr(id, "backend_config")
	for _, f := range factorizations {
		if !strings.Contains(target, f.name) {
			continue
		}
		if strings.Contains(config, "mode = 78 ") { // 'N': no vectors
			return (f.flat + f.by*n) * elements / 3
		}
		return (f.flat + f.by*n) * elements
	}
	return 0
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
