package price

import (
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
)

// convolution holds the attributes that a convolution's price depends on.
type convolution struct {
	window          []windowDim
	labels          convLabels
	features, batch int64 // groups
	whole           bool  // all of them could be read
}

func readConvolution(m *hlo.Module, i hlo.InstrID) (c convolution) {
	c.features, c.batch = 1, 1
	ok := true
	for key, value := range m.Attrs(i) {
		switch key {
		case "window":
			c.window, ok = parseWindow(value)
		case "dim_labels":
			operands, out, _ := strings.Cut(value, "->")
			lhs, rhs, _ := strings.Cut(operands, "_")
			c.labels = convLabels{lhs, rhs, out}
		case "feature_group_count":
			c.features, _ = strconv.ParseInt(value, 10, 64)
		case "batch_group_count":
			c.batch, _ = strconv.ParseInt(value, 10, 64)
		}
	}
	c.whole = ok && c.features > 0 && c.batch > 0
	return c
}

// convLabels are the three parts of dim_labels, such as b01f_01io->b01f: a letter for each dimension.
type convLabels struct{ lhs, rhs, out string }

// labelled is the size of the dimension that a label names; false where there is none, or where nobody knows its size.
func labelled(s *hlo.Shape, labels string, label byte) (int64, bool) {
	d := strings.IndexByte(labels, label)
	if d < 0 || d >= len(s.Dims) || s.Dims[d] == hlo.Unbounded {
		return 0, false
	}
	return s.Dims[d], true
}

// maxKernel keeps a damaged shape from taking for ever; no kernel has that many positions in one dimension.
const maxKernel = 1 << 24

// convolution reads the attributes of a convolution of the module itself, once.
func (p *analyzer) convolution(i hlo.InstrID) convolution {
	c, known := p.convolutions[i]
	if !known {
		c = readConvolution(p.m, i)
		p.convolutions[i] = c
	}
	return c
}

// convolutionFlops are those of a convolution of the module itself.
func (p *analyzer) convolutionFlops(i hlo.InstrID) float64 {
	flops, ok := p.convolution(i).flops(p.argShape(i, 0), p.argShape(i, 1), p.m.Shape(p.m.Instrs[i].Shape))
	if !ok {
		p.giveUp(i)
	}
	return flops
}

// ConvolutionFlops is a multiply-add wherever a weight meets an input that is neither padding nor a hole of a dilation. The instruction has the window
// and the labels of the dimensions; the shapes are those of the input, the weights and the result.
func ConvolutionFlops(m *hlo.Module, i hlo.InstrID, lhs, rhs, out *hlo.Shape) (flops float64, ok bool) {
	return readConvolution(m, i).flops(lhs, rhs, out)
}

func (c convolution) flops(lhs, rhs, out *hlo.Shape) (flops float64, ok bool) {
	batch, okBatch := labelled(lhs, c.labels.lhs, 'b')
	inputs, okInputs := labelled(lhs, c.labels.lhs, 'f')
	outputs, okOutputs := labelled(out, c.labels.out, 'f')
	if !c.whole || !okBatch || !okInputs || !okOutputs {
		return 0, false
	}
	flops = 2 * float64(inputs/c.features) * float64(outputs) * float64(batch/c.batch)
	for d, w := range c.window {
		digit := byte('0' + d)
		input, okInput := labelled(lhs, c.labels.lhs, digit)
		kernel, okKernel := labelled(rhs, c.labels.rhs, digit)
		output, okOutput := labelled(out, c.labels.out, digit)
		if !okInput || !okKernel || !okOutput || kernel > maxKernel {
			return 0, false
		}
		meetings := int64(0) // of a position in the kernel and one in the output that read an input
		for k := range kernel {
			meetings += w.inputsRead(k*w.rhsDilate-w.low, input, output)
		}
		flops *= float64(meetings)
	}
	return flops, true
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

// windowDim is one dimension of a window.
type windowDim struct{ size, stride, low, high, lhsDilate, rhsDilate int64 }

// parseWindow reads a window attribute: {size=3x3 stride=2x2 pad=1_1x0_1 lhs_dilate=2x2 rhs_dilate=2x2}.
func parseWindow(s string) (window []windowDim, ok bool) {
	for field := range strings.FieldsSeq(strings.Trim(s, "{}")) {
		key, list, _ := strings.Cut(field, "=")
		values := strings.Split(list, "x")
		if window == nil {
			window = make([]windowDim, len(values))
			for d := range window {
				window[d] = windowDim{size: 1, stride: 1, lhsDilate: 1, rhsDilate: 1}
			}
		}
		if len(values) != len(window) {
			return nil, false
		}
		for d, value := range values {
			if !window[d].set(key, value) {
				return nil, false
			}
		}
	}
	return window, true
}

// maxDilation keeps a damaged window from taking for ever.
const maxDilation = 1 << 20

func (w *windowDim) set(key, value string) bool {
	switch key {
	case "pad":
		low, high, _ := strings.Cut(value, "_")
		return setInt(&w.low, low) && setInt(&w.high, high)
	case "size":
		return setInt(&w.size, value)
	case "stride":
		return setInt(&w.stride, value) && w.stride > 0
	case "lhs_dilate":
		return setInt(&w.lhsDilate, value) && w.lhsDilate > 0 && w.lhsDilate <= maxDilation
	case "rhs_dilate":
		return setInt(&w.rhsDilate, value)
	}
	return true // rhs_reversal
}

func setInt(to *int64, digits string) bool {
	n, err := strconv.ParseInt(digits, 10, 64)
	*to = n
	return err == nil
}

// windowElements is the number of positions in a window.
func windowElements(window []windowDim) float64 {
	n := float64(1)
	for _, w := range window {
		n *= float64(w.size)
	}
	return n
}

// window reads an instruction's window.
func (p *analyzer) window(i hlo.InstrID) []windowDim {
	window, ok := parseWindow(p.m.AttrText(i, "window"))
	if !ok {
		p.giveUp(i)
	}
	return window
}

// reductions is how often a reduce-window applies its function: for each element of the result once less than the window has
// positions. A window that reduces a whole dimension and spreads the result over it again counts as that.
func (p *analyzer) reductions(i hlo.InstrID) float64 {
	window, results := p.window(i), p.firstElements(i)
	if width := p.spreadDimension(i, window); width > 0 {
		return float64(int64(results)/width) + float64(width-1)
	}
	return (windowElements(window) - 1) * results
}

// spreadDimension is the size of the only dimension that a reduce-window reduces when every position of it sees all others: it
// is padded by one less than its size on both sides. 0 when there is none.
func (p *analyzer) spreadDimension(i hlo.InstrID, window []windowDim) int64 {
	shape := p.m.Shape(p.m.Instrs[i].Shape)
	reduced, padded, spread := 0, 0, -1
	for d, w := range window {
		if w.size != 1 {
			reduced++
		}
		if w.low != 0 || w.high != 0 {
			padded++
		}
		if spread < 0 && w.size != 1 && w.low != 0 && w.low == w.high && w.size == 2*w.low+1 {
			spread = d
		}
	}
	if reduced != 1 || padded != 1 || spread < 0 || spread >= len(shape.Dims) || window[spread].low != shape.Dims[spread]-1 {
		return 0
	}
	return shape.Dims[spread]
}

// selectAndScatter: each source element is compared with all positions of its window but one, and scattered once.
func (p *analyzer) selectAndScatter(i hlo.InstrID) Cost {
	sources := p.argElements(i, 1)
	selects := sources * (windowElements(p.window(i)) - 1)
	return p.callee(i, 0).work().times(selects).plus(p.callee(i, 1).work().times(sources))
}
