package hlo

import (
	"slices"
	"strconv"
	"strings"
)

// part is one attribute out of a message of dimension numbers: a list, or the number of one dimension.
type part struct {
	key   string
	field int
	kind  partKind
}

type partKind uint8

const (
	listed   partKind = iota // in braces, even when it is empty
	listedIf                 // in braces, unless it is empty
	single
)

// parts prints the attributes out of a message of dimension numbers, which may be inside others.
func parts(path []int, list ...part) func(*attrPrinter) {
	return func(p *attrPrinter) {
		n := p.message
		for _, field := range path {
			n = p.inside(n.body(field))
		}
		for _, part := range list {
			numbers := n.list(part.field)
			switch {
			case part.kind == single:
				p.integer(part.key, n.number(part.field))
			case part.kind == listed || len(numbers) > 0:
				p.braced(part.key, numbers)
			}
		}
	}
}

// contraction holds the parts of a DotDimensionNumbers.
var contraction = []part{{"lhs_batch_dims", 3, listedIf}, {"lhs_contracting_dims", 1, listed}, {"rhs_batch_dims", 4, listedIf}, {"rhs_contracting_dims", 2, listed}}

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
		names := make([]string, len(operands))
		for i, n := range operands {
			names[i] = precisions[min(uint64(n), uint64(len(precisions)-1))]
		}
		p.word("operand_precision", "{"+strings.Join(names, ",")+"}")
	}
	if algorithm := config.number(2); algorithm != 0 {
		p.name("algorithm", dotAlgorithms, algorithm)
	}
}

// windowFields holds the parts of a window in printed order: their names, their fields in WindowDimension, and the value that is left out when all have it.
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
		if !slices.ContainsFunc(dims, func(d [8]int64) bool { return d[w.field] != w.normal || w.field == 3 && d[4] != w.normal }) {
			continue
		}
		if p.value[len(p.value)-1] != '{' {
			p.value = append(p.value, ' ')
		}
		p.value = append(append(p.value, w.name...), '=')
		p.value = appendEach(p.value, dims, "x", func(b []byte, d [8]int64) []byte {
			if b = strconv.AppendInt(b, d[w.field], 10); w.field == 3 {
				b = strconv.AppendInt(append(b, '_'), d[4], 10)
			}
			return b
		})
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
	p.value = appendEach(p.value, dims, "x", func(b []byte, d [8]int64) []byte {
		b = strconv.AppendInt(b, d[1], 10)
		b = strconv.AppendInt(append(b, '_'), d[2], 10)
		if interior {
			b = strconv.AppendInt(append(b, '_'), d[3], 10)
		}
		return b
	})
	p.emit("padding")
}
