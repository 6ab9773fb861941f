package price

import (
	"math"
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
)

// convolution adds what a convolution takes on a CPU beside its products. A library has each group as a product of its own, whose channels are put into whole
// vectors. Eigen also gathers what each place of the result is made of; the library that XLA puts into a fusion does so for groups alone. Measured with windows of
// 1 to 1,024 places in JAX 0.10.2, on an EPYC.
func (m *Meter) convolution(w *Work, id hlo.InstrID, p Product, looped bool) {
	operands := m.m.Operands(id)
	c := m.costs.analyzer.convolution(id)
	if !c.whole || len(operands) < 2 { // damaged
		return
	}
	kernel, result := m.m.Shape(m.m.Instrs[operands[1]].Shape), m.m.Shape(m.m.Instrs[id].Shape)
	outputs, found := labelled(kernel, c.labels.rhs, 'o')
	inputs, alsoFound := labelled(kernel, c.labels.rhs, 'i')
	if !found || !alsoFound || outputs == 0 || isTiled(result) {
		return
	}
	if !c.inLibrary(result) {
		w[Serial] += m.plain(id, c, p.Flops)
		return
	}
	const lanes, lanesInFusion = 16, 8
	channels, together := float64(outputs)/float64(c.features), float64(lanes)
	if id != m.launch {
		together = lanesInFusion
	}
	w[unit(p, looped)] += p.Flops * (math.Ceil(channels/together)*together/channels - 1)
	if id == m.launch || c.features > 1 {
		w[Serial] += float64(result.ElementCount()) / channels * c.gathered(float64(inputs))
	}
}

// gathered is what Eigen takes to gather what a place of the result is made of, in nanoseconds: each place of the window by eight channels, a rest one by one.
func (c *convolution) gathered(channels float64) float64 {
	const begin, eight, single = 24, 1, 0.44
	places := 1.0
	for _, w := range c.window {
		places *= float64(max(1, w.size/w.lhsDilate)) // holes are skipped
	}
	if len(c.window) == 3 {
		return places * gatheredInVolume(channels)
	}
	eights := math.Floor(channels / 8)
	return begin + places*(eight*eights+single*(channels-8*eights))
}

// inLibrary reports whether Eigen or another library computes a convolution on a CPU: one of numbers of floating point, with the batch first and the channels
// last. XLA brings those of the entry computation into this form, and none in a loop or a branch: see conv_canonicalization.cc and
// PotentiallyImplementedAsEigenConvolution in xla/service/cpu.
func (c *convolution) inLibrary(result *hlo.Shape) bool {
	places := "012"[:min(3, len(c.window))]
	order := result.DimensionOrder()
	return !isInteger(result.Type) && c.labels == convLabels{"b" + places + "f", places + "io", "b" + places + "f"} &&
		(len(order) == 0 || int(order[0]) == len(result.Dims)-1)
}

// gatheredInVolume is what Eigen takes to gather one place of a window over three dimensions, in steps of a nanosecond: it finds each eight channels by
// divisions, and a rest one by one. Measured with windows of 1 to 125 places over 1 to 64 channels in JAX 0.10.2, on an EPYC.
func gatheredInVolume(channels float64) float64 {
	const eight, single, rest = 16, 12, 33
	eights := math.Floor(channels / 8)
	switch {
	case eights == 0:
		return min(rest, single*channels)
	case channels > 8*eights:
		return eight*eights + rest
	}
	return eight * eights
}

// plain is what a convolution takes that no library computes, in steps of a nanosecond: loops over the window, and in them over the channels. Each
// multiply-add waits for the one before, unless LLVM puts many into a vector; of short sums the next begins before the last ends, and those of the shortest
// are written out side by side. Measured with 50 convolutions in loops of JAX 0.10.2, on an EPYC.
func (m *Meter) plain(id hlo.InstrID, c convolution, flops float64) float64 {
	const writtenOut, inVector, waiting = 0.06, 0.1, 0.45
	const shortest, short = 24, 80 // multiply-adds
	operands := m.m.Operands(id)
	sum := flops / 2 / max(1, m.elements(m.m.Instrs[id].Shape))
	switch {
	case sum <= shortest:
		return writtenOut * flops
	case c.inVectors(m.m.Shape(m.m.Instrs[operands[0]].Shape), m.m.Shape(m.m.Instrs[operands[1]].Shape)):
		return inVector * flops
	}
	return waiting * flops * sum / (sum + short)
}

// inVectors reports whether LLVM puts the multiply-adds of a plain convolution into vectors: channels that are adjacent in the input, or columns of the
// window that are adjacent on both sides. It writes out a loop of few channels instead, and one of a few more columns than a vector has.
func (c *convolution) inVectors(lhs, rhs *hlo.Shape) bool {
	const channelsInVectors, columnsInVector, columnsWrittenOut = 64, 4, 8
	if isInteger(lhs.Type) {
		return true // their sum is the same in any order
	}
	left, last := adjacent(lhs, c.labels.lhs), len(c.window)-1
	if left == 'f' {
		n, _ := labelled(rhs, c.labels.rhs, 'i')
		return n >= channelsInVectors
	}
	if last < 0 || left != byte('0'+last) || left != adjacent(rhs, c.labels.rhs) {
		return false
	}
	columns := c.window[last]
	return columns.lhsDilate == 1 && columns.rhsDilate == 1 && (columns.size <= columnsInVector || columns.size > columnsWrittenOut)
}

// adjacent is the label of the dimension whose elements are adjacent, 0 where there is none.
func adjacent(s *hlo.Shape, labels string) byte {
	if order := s.DimensionOrder(); len(order) > 0 && order[0] >= 0 && int(order[0]) < len(labels) {
		return labels[order[0]]
	}
	return 0
}

func isInteger(t hlo.Type) bool { return t >= hlo.S8 && t <= hlo.U64 }

// What cuDNN takes for a convolution, beside a product of as many flops. Measured on an H200 with 256 channels, and on an H100 with 1 to 256, in f32 and bf16.
const (
	wideResult   = 170 // channels of the result: tensor cores wait for the windows of a narrower one, and take as long
	fewChannels  = 8   // channels of the input: fewer, such as an image's three colors, are filled up to 16 bytes by a kernel for each operand,
	fewAreSlower = 8   // and reach an eighth of the rate
	alone        = 20  // simple operations for a flop of a convolution of one channel to one, which has no matrix
	depthwise    = 6   // the same where each channel is a group

	rowsOfATile, columnsOfATile = 64, 256 // at most: a tile has as many columns as the result has channels
)

// convolved adds what a convolution takes that cuDNN computes.
func (m *Meter) convolved(w *Work, id hlo.InstrID, p Product) {
	in, out, grouped, known := m.groupChannels(id, m.m.AttrText(id, "custom_call_target"))
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
	c := readConvolution(m.m, id)
	inputs, hasInputs := labelled(weights, c.labels.rhs, 'i')
	outputs, hasOutputs := labelled(weights, c.labels.rhs, 'o')
	in, out = float64(inputs), float64(outputs)/float64(max(1, c.features))
	if strings.HasSuffix(target, "BackwardInput") {
		in, out = out, in
	}
	return in, out, c.features > 1, hasInputs && hasOutputs && in >= 1 && out >= 1
}
