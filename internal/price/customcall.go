package price

import (
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
)

// customCall adds what a call of a library, of Python or of a kernel that was written by hand asks for.
func (m *Meter) customCall(w *Work, id hlo.InstrID) {
	target := m.m.AttrText(id, "custom_call_target")
	written := m.m.Kernel(id)
	switch {
	case strings.Contains(target, "callback"):
		m.called(w, id)
	case strings.Contains(target, "TopK"):
		m.topK(w, id)
	case written != nil: // what its body computes is not known, how often it runs is
		w[Steps], w[Unknown] = written.Steps(), 1
	case strings.Contains(target, "cub_sort"), strings.Contains(target, "DeviceRadixSort"):
		// Six passes, each of which waits some microseconds, and the elements that they move: measured on an H200.
		const waits, each = 40, 35
		n := m.operandElements(id)
		w[Launches], w[Scalar] = waits, each*n*float64(len(m.m.Operands(id)))
		if float64(m.lastSize(id)) < n { // rows of a larger array take twice as long
			w[Scalar] *= 2
		}
	case strings.HasPrefix(target, "lapack_"):
		w[Serial] = m.factorized(id, target)
	case strings.HasPrefix(target, "cusolver_"), strings.HasPrefix(target, "hipsolver_"), strings.HasSuffix(target, "$triangularSolve"):
		w[Launches] = m.matrixRows(id) * factorizationOf(target).launches
	case target == "Cholesky", strings.HasPrefix(target, "InvertDiagBlocks"):
		w[Iterations] = m.matrixRows(id) // each row waits for the one before
		w[Vector] = w[Iterations] * m.operandElements(id)
	case strings.HasPrefix(target, "X64"): // halves of wide numbers are put together, or apart
	default:
		w[Unknown] = 1
	}
}

// called adds a call of Python. Each operand is handed over as an array of JAX, which takes as long as the call itself. A call with an effect, such as a print,
// takes the program off the fast path of JAX's dispatch; one that is ordered also hands a token to the next run.
func (m *Meter) called(w *Work, id hlo.InstrID) {
	operands := m.m.Operands(id)
	w[Calls] = float64(1+len(operands)) / 2
	if m.m.AttrText(id, "custom_call_has_side_effect") == "true" {
		w[Effects] = 1
	}
	if len(operands) > 0 && m.m.Shape(m.m.Instrs[operands[0]].Shape).Type == hlo.Token {
		w[Calls], w[Effects] = float64(len(operands))/2, 2
	}
}

// operandDims are the dimensions of the first operand; none where it has none, or where there is no operand.
func (m *Meter) operandDims(id hlo.InstrID) []int64 {
	if operands := m.m.Operands(id); len(operands) > 0 {
		return m.m.Shape(m.m.Instrs[operands[0]].Shape).Dims
	}
	return nil
}

// lastSize is the size of the last dimension of the first operand; 1 where it has none.
func (m *Meter) lastSize(id hlo.InstrID) int64 {
	if dims := m.operandDims(id); len(dims) > 0 {
		return dims[len(dims)-1]
	}
	return 1
}

// factorization is what a routine takes that takes matrices apart.
type factorization struct {
	name               string
	flat, by, launches float64
}

// factorizations are what LAPACK's routines take on one core, in nanoseconds: for each element of the matrices, and for each as often as a matrix has rows. On
// a GPU each row waits for the one before: launches are as many as take as long as one row, measured on an H200 but for gees and geev. An unknown routine is
// the last.
var factorizations = []factorization{
	{"potrf", 1.8, 0.0125, 0.36}, {"getrf", 2, 0.023, 2}, {"geqrf", 4.2, 0.053, 2.6}, {"gqr", 4.2, 0.053, 2.6}, {"mqr", 0, 0.045, 2.6}, {"trsm", 1, 0.03, 0.3}, {"triangularSolve", 1, 0.03, 0.3},
	{"syevd", 33, 0.117, 12}, {"heevd", 33, 0.117, 12}, {"gesdd", 89, 0.306, 30}, {"gesvd", 89, 0.306, 30}, {"gees", 100, 2.5, 100}, {"geev", 100, 2.5, 100}, {"", 4, 0.1, 4},
}

func factorizationOf(target string) factorization {
	at := slices.IndexFunc(factorizations, func(f factorization) bool { return strings.Contains(target, f.name) })
	return factorizations[at]
}

// matrixRows is how many rows or columns of its matrix a routine takes one after the other; 0 where it has no matrix.
func (m *Meter) matrixRows(id hlo.InstrID) float64 {
	dims := m.operandDims(id)
	if len(dims) < 2 {
		return 0
	}
	return float64(min(dims[len(dims)-1], dims[len(dims)-2]))
}

// factorized is how long a routine of LAPACK takes, which works on its last operand that is a matrix: the operand before may be one, and vectors may be behind.
// Singular values alone take a third of what they take with their vectors.
func (m *Meter) factorized(id hlo.InstrID, target string) float64 {
	rows := m.matrixRows(id)
	if rows == 0 {
		return 0
	}
	operands, f := m.m.Operands(id), factorizationOf(target)
	dims := func(operand hlo.InstrID) []int64 { return m.m.Shape(m.m.Instrs[operand].Shape).Dims }
	last := len(operands) - 1
	for len(dims(operands[last])) < len(dims(operands[0])) {
		last--
	}
	took := (f.flat + f.by*rows) * m.elements(m.m.Instrs[operands[last]].Shape)
	if f.name == "mqr" {
		// It applies reflectors, and puts those of each block of 32 together before, one by one, if there are more. Measured with 8 to 256 rows.
		const block, one, each = 32, 200, 1.65
		if took += each * m.operandElements(id); rows > block {
			took += one * m.elements(m.m.Instrs[operands[1]].Shape)
		}
	}
	if strings.Contains(m.m.AttrText(id, "backend_config"), "mode = 78 ") { // 'N': no vectors
		return took / 3
	}
	return took
}

func (m *Meter) operandElements(id hlo.InstrID) float64 {
	if operands := m.m.Operands(id); len(operands) > 0 {
		return m.elements(m.m.Instrs[operands[0]].Shape)
	}
	return 0
}

// topK adds a pass over the operand: each element is compared with the smallest that is kept. On a GPU one unit goes through a row. A TPU sorts the rows.
func (m *Meter) topK(w *Work, id hlo.InstrID) {
	n := m.operandElements(id)
	switch m.family {
	case GPU:
		const each, start = 7, 50e3 // steps of an element, and of a row: measured on an H200 with the 8 largest
		rows := n / float64(max(1, m.lastSize(id)))
		w[Scalar], w[Tiles] = each*n+start*rows, rows
	case TPU:
		if operands := m.m.Operands(id); len(operands) > 0 {
			w[Vector] = vectorStage * network(n*m.shapes[m.m.Instrs[operands[0]].Shape].padding, m.lastSize(id), 2)
		}
	default:
		w[Scalar] = 1.5 * n
	}
}
