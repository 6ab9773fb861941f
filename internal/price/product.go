package price

import (
	"math"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
)

// dotFlops: a multiply-add for each element of the result and of the contracted dimensions.
func (p *analyzer) dotFlops(i hlo.InstrID, results float64) float64 {
	lhs := p.argShape(i, 0).Dims
	width := int64(1)
	for _, d := range p.m.Integers(i, "lhs_contracting_dims") {
		if d < 0 || d >= int64(len(lhs)) {
			p.giveUp(i)
			return 0
		}
		width *= lhs[d]
	}
	return 2 * results * float64(width)
}

// ungroupedElements is the number of elements of a ragged dot's result without a leading dimension for each group dimension of the right-hand side.
func (p *analyzer) ungroupedElements(i hlo.InstrID) float64 {
	dims := p.m.Shape(p.m.Instrs[i].Shape).Dims
	groups := p.m.Integers(i, "rhs_group_dims")
	n := float64(1)
	for _, size := range dims[min(len(groups), len(dims)):] {
		n *= float64(size)
	}
	return n
}

// Product is what a matrix product or a convolution multiplies.
type Product struct {
	Type, Precision string // "f32", "highest" or the name of an algorithm
	Flops           float64
	Results         float64 // elements of its result
}

// unit is the amount that a product's arithmetic counts into.
func unit(p Product, looped bool) Amount {
	if looped {
		return Looped
	}
	switch {
	case p.Type == "f64" || p.Type == "c128":
		return ProductF64
	case strings.HasPrefix(p.Precision, "dot_bf16"), strings.HasPrefix(p.Precision, "dot_f16"):
		return ProductF16
	case p.Type == "bf16" || p.Type == "f16":
		return ProductF16
	case strings.HasPrefix(p.Type, "f8") || strings.HasPrefix(p.Type, "f4"):
		return ProductF8
	case p.Type == "s8" || p.Type == "u8" || p.Type == "s4" || p.Type == "u4":
		return ProductS8
	case p.Precision == "highest" || p.Precision == "dot_f32_f32_f32":
		return ProductHighest
	case p.Precision == "high":
		return ProductHigh
	}
	return ProductF32
}

// passes is how many products of the unit's numbers make one: four of real numbers one of complex, and as many as the name of an algorithm says, such as
// dot_bf16_bf16_f32_x6. A CPU computes those in f32.
func (p Product) passes(f Family) float64 {
	n := 1.0
	if strings.HasPrefix(p.Type, "c") {
		n = 4
	}
	if _, times, split := strings.Cut(p.Precision, "_x"); split && f != CPU {
		passes, _ := strconv.Atoi(times)
		n *= float64(max(1, passes))
	}
	return n
}

// tiles is in how many parts a GPU computes a product side by side: tiles of its result, and of few long ones also parts of the depth. Libraries
// choose larger tiles for tensor cores than for other arithmetic.
func (p Product) tiles() float64 {
	const large, small = 128 * 128, 64 * 64
	if p.onTensorCores() {
		return p.tilesOf(large)
	}
	return p.tilesOf(small)
}

// onTensorCores reports whether a GPU has units of their own for a product.
func (p Product) onTensorCores() bool {
	u := unit(p, false)
	return u != ProductHighest && u != ProductF64
}

// tilesOf is in how many parts a product is computed whose tiles have so many elements.
func (p Product) tilesOf(area float64) float64 {
	const depth = 1024
	n := math.Ceil(p.Results / area)
	if split := math.Floor(p.Flops / 2 / max(1, p.Results) / depth); split > 1 {
		n *= split
	}
	return n
}

// multiply adds a product, if the instruction is one.
func (m *Meter) multiply(w *Work, id hlo.InstrID, looped bool) bool {
	p, is := m.product(id)
	switch {
	case !is:
		return false
	case m.family == GPU && m.m.Instrs[id].Opcode == hlo.OpConvolution && p.Flops > 0 && m.m.AttrText(id, "conv_kind") != "wgrad": // in a fusion for cuDNN
		m.convolved(w, id, p)
		return true
	}
	if m.family == GPU && p.Precision == "high" {
		// Triton uses tf32 only at the default precision: IsTf32Allowed in xla/backends/gpu/codegen/triton/dot_algorithms.cc.
		p.Precision = "highest"
	}
	w[unit(p, looped)] += p.passes(m.family) * p.Flops
	if !looped && m.family == GPU {
		w[Tiles] += p.tiles()
	}
	if m.m.Instrs[id].Opcode == hlo.OpConvolution && m.family == CPU {
		m.convolution(w, id, p, looped)
	}
	return true
}

// library adds a product that a library computes.
func (m *Meter) library(w *Work, id hlo.InstrID, p Product) {
	if p.Flops == 0 {
		w[Unknown] = 1
		return
	}
	w[unit(p, false)] += p.passes(m.family) * p.Flops
	if m.family != GPU {
		return
	}
	if strings.Contains(m.m.AttrText(id, "custom_call_target"), "$fmha") { // the exponentials of the weights, of which each takes part in two products with the size of a head
		w[Special] += p.Flops / float64(4*max(1, m.lastSize(id)))
	}
	w[Tiles] += p.tiles()
}
