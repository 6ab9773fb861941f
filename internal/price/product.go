package price

import (
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
)

// dotFlops: a multiply-add for each element of the result and of the contracted dimensions.
func (p *pricer) dotFlops(i hlo.InstrID, results float64) float64 {
	lhs := p.argShape(i, 0).Dims
	width := int64(1)
	for _, d := range hlo.Ints(p.attr(i, "lhs_contracting_dims")) {
		if d < 0 || d >= int64(len(lhs)) {
			p.giveUp(i)
			return 0
		}
		width *= lhs[d]
	}
	return 2 * results * float64(width)
}

// ungroupedElements is the number of elements of a ragged dot's result without a leading dimension for each group dimension
// of the right-hand side.
func (p *pricer) ungroupedElements(i hlo.InstrID) float64 {
	dims := p.m.Shape(p.m.Instrs[i].Shape).Dims
	groups := hlo.Ints(p.attr(i, "rhs_group_dims"))
	n := float64(1)
	for _, size := range dims[min(len(groups), len(dims)):] {
		n *= float64(size)
	}
	return n
}

// convolution holds the attributes that a convolution's price depends on.
type convolution struct {
	window          []windowDim
	labels          convLabels
	features, batch int64 // groups
}

func readConvolution(m *hlo.Module, i hlo.InstrID) (c convolution, ok bool) {
	c.features, c.batch, ok = 1, 1, true
	for key, value := range m.Attrs(i) {
		switch key {
		case "window":
			c.window, ok = parseWindow(value)
		case "dim_labels":
			c.labels = parseConvLabels(value)
		case "feature_group_count":
			c.features, _ = strconv.ParseInt(value, 10, 64)
		case "batch_group_count":
			c.batch, _ = strconv.ParseInt(value, 10, 64)
		}
	}
	return c, ok && c.features > 0 && c.batch > 0
}

// convLabels are the three parts of dim_labels, such as b01f_01io->b01f: a letter for each dimension.
type convLabels struct{ lhs, rhs, out string }

func parseConvLabels(s string) (l convLabels) {
	s, l.out, _ = strings.Cut(s, "->")
	l.lhs, l.rhs, _ = strings.Cut(s, "_")
	return l
}

// labelled is the size of the dimension that a label names.
func labelled(s *hlo.Shape, labels string, label byte) (int64, bool) {
	d := strings.IndexByte(labels, label)
	if d < 0 || d >= len(s.Dims) {
		return 0, false
	}
	return s.Dims[d], true
}

// maxKernel keeps a damaged shape from taking for ever; no kernel has that many positions in one dimension.
const maxKernel = 1 << 24

// convolutionFlops: a multiply-add wherever a weight meets an input that is neither padding nor a hole of a dilation.
func (p *pricer) convolutionFlops(i hlo.InstrID) float64 {
	c, ok := readConvolution(p.m, i)
	lhs, rhs, out := p.argShape(i, 0), p.argShape(i, 1), p.m.Shape(p.m.Instrs[i].Shape)
	batch, okBatch := labelled(lhs, c.labels.lhs, 'b')
	inputs, okInputs := labelled(lhs, c.labels.lhs, 'f')
	outputs, okOutputs := labelled(out, c.labels.out, 'f')
	if !ok || !okBatch || !okInputs || !okOutputs {
		p.giveUp(i)
		return 0
	}
	flops := 2 * float64(inputs/c.features) * float64(outputs) * float64(batch/c.batch)
	for d, w := range c.window {
		digit := byte('0' + d)
		input, okInput := labelled(lhs, c.labels.lhs, digit)
		kernel, okKernel := labelled(rhs, c.labels.rhs, digit)
		output, okOutput := labelled(out, c.labels.out, digit)
		if !okInput || !okKernel || !okOutput || kernel > maxKernel {
			p.giveUp(i)
			return 0
		}
		flops *= float64(w.meetings(input, kernel, output))
	}
	return flops
}

// meetings counts the pairs of a position in the kernel and one in the output that read an input, in one dimension.
func (w windowDim) meetings(input, kernel, output int64) (n int64) {
	for k := range kernel {
		n += w.inputsRead(k*w.rhsDilate-w.low, input, output)
	}
	return n
}

// inputsRead counts the outputs o in [0,output) for which base + o·stride is lhsDilate times an index in [0,input).
func (w windowDim) inputsRead(base, input, output int64) int64 {
	period := w.lhsDilate / gcd(w.stride, w.lhsDilate) // between outputs that do not fall into a hole
	first := int64(0)
	for (base+first*w.stride)%w.lhsDilate != 0 {
		if first++; first == period {
			return 0
		}
	}
	start, step := (base+first*w.stride)/w.lhsDilate, period*w.stride/w.lhsDilate // of the index
	steps := ceilDiv(output-first, period)
	from := max(0, ceilDiv(-start, step))
	to := min(steps, ceilDiv(input-start, step))
	return max(0, to-from)
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// ceilDiv rounds a/b up; b is positive.
func ceilDiv(a, b int64) int64 {
	q := a / b
	if a%b > 0 {
		q++
	}
	return q
}
