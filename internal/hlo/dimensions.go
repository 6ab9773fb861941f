package hlo

import (
	"slices"
	"strconv"
)

func (p *attrPrinter) dotDimensions() { p.contraction(p.body(30)) }

// contraction prints a DotDimensionNumbers. Only the batch dimensions are left out when there are none.
func (p *attrPrinter) contraction(body Range) {
	n := p.inside(body)
	p.listIfAny("lhs_batch_dims", n.list(3))
	p.braced("lhs_contracting_dims", n.list(1))
	p.listIfAny("rhs_batch_dims", n.list(4))
	p.braced("rhs_contracting_dims", n.list(2))
}

func (p *attrPrinter) raggedDotDimensions() {
	n := p.inside(p.body(90))
	p.contraction(n.body(1))
	p.listIfAny("lhs_ragged_dims", n.list(2))
	p.listIfAny("rhs_group_dims", n.list(3))
}

var precisions = []string{"default", "high", "highest", "packed_nibble"}

var dotAlgorithms = []string{
	"unset", "dot_any_f8_any_f8_f32", "dot_any_f8_any_f8_f32_fast_accum", "dot_f16_f16_f16", "dot_f16_f16_f32",
	"dot_bf16_bf16_bf16", "dot_bf16_bf16_f32", "dot_bf16_bf16_f32_x3", "dot_bf16_bf16_f32_x6", "dot_tf32_tf32_f32",
	"dot_tf32_tf32_f32_x3", "dot_f32_f32_f32", "dot_f64_f64_f64", "dot_bf16_bf16_f32_x9",
}

// precision prints the parts of a PrecisionConfig that are not the default.
func (p *attrPrinter) precision() {
	config := p.inside(p.body(51)) // operand_precision, algorithm
	operands := config.list(1)
	if slices.ContainsFunc(operands, func(precision int64) bool { return precision != 0 }) {
		p.operandPrecision(operands)
	}
	if algorithm := config.number(2); algorithm != 0 {
		p.name("algorithm", dotAlgorithms, algorithm)
	}
}

func (p *attrPrinter) operandPrecision(operands []int64) {
	p.value = append(p.value, '{')
	for i, n := range operands {
		if i > 0 {
			p.value = append(p.value, ',')
		}
		p.value = append(p.value, precisions[min(uint64(n), uint64(len(precisions)-1))]...)
	}
	p.value = append(p.value, '}')
	p.emit("operand_precision")
}

func (p *attrPrinter) gatherDimensions() {
	n := p.inside(p.body(33))
	p.braced("offset_dims", n.list(1))
	p.braced("collapsed_slice_dims", n.list(2))
	p.braced("start_index_map", n.list(3))
	p.listIfAny("operand_batching_dims", n.list(5))
	p.listIfAny("start_indices_batching_dims", n.list(6))
	p.integer("index_vector_dim", n.number(4))
}

func (p *attrPrinter) scatterDimensions() {
	n := p.inside(p.body(48))
	p.braced("update_window_dims", n.list(1))
	p.braced("inserted_window_dims", n.list(2))
	p.braced("scatter_dims_to_operand_dims", n.list(3))
	p.listIfAny("input_batching_dims", n.list(5))
	p.listIfAny("scatter_indices_batching_dims", n.list(6))
	p.integer("index_vector_dim", n.number(4))
}

func (p *attrPrinter) featureGroups() {
	p.integerUnless("feature_group_count", max(p.number(50), 1), 1)
}

func (p *attrPrinter) batchGroups() {
	p.integerUnless("batch_group_count", max(p.number(58), 1), 1)
}

// windowFields holds the parts of a window in printed order: their names, the field numbers of WindowDimension, and the value that is
// left out when all dimensions have it.
var windowFields = []struct {
	name   string
	field  int
	normal int64
}{{"size", 1, -1}, {"stride", 2, 1}, {"pad", 3, 0}, {"lhs_dilate", 6, 1}, {"rhs_dilate", 5, 1}, {"rhs_reversal", 7, 0}}

func (p *attrPrinter) window() {
	dims := p.dimensionsOf(p.body(15))
	if len(dims) == 0 {
		return
	}
	p.value = append(p.value, '{')
	for _, w := range windowFields {
		if windowHas(dims, w.field, w.normal) {
			p.appendWindow(w.name, dims, w.field)
		}
	}
	p.value = append(p.value, '}')
	p.emit("window")
}

// dimensionsOf reads a Window or a PaddingConfig: a list of messages of numbers.
func (p *attrPrinter) dimensionsOf(body Range) (dims [][8]int64) {
	all := p.inside(body)
	for _, dimension := range all.bodies(1) {
		dims = append(dims, p.numbersOf(dimension))
	}
	return dims
}

func windowHas(dims [][8]int64, field int, normal int64) bool {
	for _, d := range dims {
		if d[field] != normal || field == 3 && d[4] != normal {
			return true
		}
	}
	return false
}

func (p *attrPrinter) appendWindow(name string, dims [][8]int64, field int) {
	if p.value[len(p.value)-1] != '{' {
		p.value = append(p.value, ' ')
	}
	p.value = append(append(p.value, name...), '=')
	for i, d := range dims {
		if i > 0 {
			p.value = append(p.value, 'x')
		}
		p.value = strconv.AppendInt(p.value, d[field], 10)
		if field == 3 {
			p.value = strconv.AppendInt(append(p.value, '_'), d[4], 10)
		}
	}
}

// dimLabels prints a ConvolutionDimensionNumbers: "b01f_01io->b01f".
func (p *attrPrinter) dimLabels() {
	if !p.has(16) {
		return
	}
	n := p.inside(p.body(16))
	b := appendLabels(p.value, 'b', n.number(7), 'f', n.number(8), n.list(11))
	b = appendLabels(append(b, '_'), 'i', n.number(3), 'o', n.number(4), n.list(6))
	p.value = appendLabels(append(b, "->"...), 'b', n.number(9), 'f', n.number(10), n.list(12))
	p.emit("dim_labels")
}

func appendLabels(b []byte, first byte, firstAt int64, second byte, secondAt int64, spatial []int64) []byte {
	start := len(b)
	for range len(spatial) + 2 {
		b = append(b, '?')
	}
	place := func(label byte, at int64) {
		if at >= 0 && at < int64(len(b)-start) {
			b[start+int(at)] = label
		}
	}
	place(first, firstAt)
	place(second, secondAt)
	for i, at := range spatial {
		place('0'+byte(i), at)
	}
	return b
}

// padding prints "1_1x0_1", with the interior padding of all dimensions when one has some.
func (p *attrPrinter) padding() {
	dims := p.dimensionsOf(p.body(21))
	interior := slices.ContainsFunc(dims, func(d [8]int64) bool { return d[3] != 0 })
	for i, d := range dims {
		if i > 0 {
			p.value = append(p.value, 'x')
		}
		p.value = strconv.AppendInt(p.value, d[1], 10)
		p.value = strconv.AppendInt(append(p.value, '_'), d[2], 10)
		if interior {
			p.value = strconv.AppendInt(append(p.value, '_'), d[3], 10)
		}
	}
	p.emit("padding")
}
