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
	in, out, known := m.groupChannels(id, target)
	narrow := 1.0
	if known && p.onTensorCores() {
		narrow = max(1, wideResult/out)
	}
	grouped := m.groups(id) > 1
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

// groupChannels are the channels of one group that a convolution sums over, and that its result has.
func (m *Meter) groupChannels(id hlo.InstrID, target string) (in, out float64, known bool) {
	weights := m.m.Shape(m.m.Instrs[m.m.Operands(id)[1]].Shape)
	if strings.HasSuffix(target, "BackwardFilter") {
		if weights = m.m.Shape(m.m.Instrs[id].Shape); len(weights.Elements) > 0 {
			weights = m.m.Shape(weights.Elements[0])
		}
	}
	labels := parseConvLabels(m.m.AttrText(id, "dim_labels")).rhs
	inputs, hasInputs := labelled(weights, labels, 'i')
	outputs, hasOutputs := labelled(weights, labels, 'o')
	in, out = float64(inputs), float64(outputs)/m.groups(id)
	if strings.HasSuffix(target, "BackwardInput") {
		in, out = out, in
	}
	return in, out, hasInputs && hasOutputs && in >= 1 && out >= 1
}
