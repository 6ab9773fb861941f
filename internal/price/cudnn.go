package price

import (
	"math"
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
)

// What cuDNN takes for a convolution, beside a product of as many flops. Measured on an H200 with 256 channels of the result, and on an H100 with 1 to 256, in
// f32 and bf16.
const (
	wideResult   = 170 // channels of the result: tensor cores wait for the windows of a narrower one, and take as long
	fewChannels  = 8   // channels of the input: fewer, such as an image's three colors, are filled up to 16 bytes by a kernel for each operand,
	fewAreSlower = 8   // and reach an eighth of the rate
	alone        = 20  // simple operations for a flop of a convolution of one channel to one, which has no matrix
	depthwise    = 6   // the same where each channel is a group

	rowsOfATile, columnsOfATile = 64, 256 // at most: a tile has as many columns as the result has channels
)

// convolved adds what a convolution takes that cuDNN computes.
func (m *Meter) convolved(w *Work, id hlo.InstrID, p Product, target string) {
	in, out, grouped, known := m.groupChannels(id, target)
	narrow := 1.0
	if known && p.onTensorCores() {
		narrow = max(1, wideResult/out)
	}
	switch {
	case known && in == 1 && out == 1 && grouped:
		w[Vector] += depthwise * p.Flops
	case known && in == 1 && out == 1:
		w[Vector] += alone * p.Flops
	case known && in < fewChannels && !grouped: // it is not cut into tiles
		width := max(1, 16/float64(m.m.Shape(m.m.Instrs[m.m.Operands(id)[0]].Shape).Type.Bytes()))
		w[unit(p, false)] += fewAreSlower * math.Ceil(in/width) * width / in * p.Flops
		w[Launches] += 2
	case narrow > 1:
		w[unit(p, false)] += narrow * p.Flops
		w[Tiles] += p.tilesOf(rowsOfATile * min(columnsOfATile, out))
	default:
		w[unit(p, false)] += p.Flops
		w[Tiles] += p.tiles()
	}
}

// groupChannels are the channels of one group that a convolution sums over, and that its result has, and whether there are several groups.
func (m *Meter) groupChannels(id hlo.InstrID, target string) (in, out float64, grouped, known bool) {
	weights := m.m.Shape(m.m.Instrs[m.m.Operands(id)[1]].Shape)
	if strings.HasSuffix(target, "BackwardFilter") {
		if weights = m.m.Shape(m.m.Instrs[id].Shape); len(weights.Elements) > 0 {
			weights = m.m.Shape(weights.Elements[0])
		}
	}
	c, _ := readConvolution(m.m, id)
	inputs, hasInputs := labelled(weights, c.labels.rhs, 'i')
	outputs, hasOutputs := labelled(weights, c.labels.rhs, 'o')
	in, out = float64(inputs), float64(outputs)/float64(max(1, c.features))
	if strings.HasSuffix(target, "BackwardInput") {
		in, out = out, in
	}
	return in, out, c.features > 1, hasInputs && hasOutputs && in >= 1 && out >= 1
}
