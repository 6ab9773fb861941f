package price

import (
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
)

// convolution adds what a convolution takes beside its products where no matrix unit does it: each group is a product by itself, whose channels
// are put into whole vectors, and each place of the result gathers what it is made of.
func (m *Meter) convolution(w *Work, id hlo.InstrID, p Product, looped bool) {
	operands := m.m.Operands(id)
	kernel, result := m.m.Shape(m.m.Instrs[operands[1]].Shape), m.m.Shape(m.m.Instrs[id].Shape)
	labels, _ := m.m.Attr(id, "dim_labels")
	_, labels, _ = strings.Cut(labels, "_")
	labels, _, _ = strings.Cut(labels, "->")
	out := strings.IndexByte(labels, 'o')
	if out < 0 || out >= len(kernel.Dims) || kernel.Dims[out] == 0 || strings.Contains(result.Layout, "T(") {
		return
	}
	groups := m.groups(id)
	channels := float64(kernel.Dims[out]) / groups
	w[unit(p, looped)] += p.Flops * (whole(channels)/channels - 1)
	const gathered = 12 // steps for each place
	w[Scalar] += gathered * float64(result.ElementCount()) / channels
}

func (m *Meter) groups(id hlo.InstrID) float64 {
	text, _ := m.m.Attr(id, "feature_group_count")
	if n := hlo.Ints(text); len(n) == 1 {
		return float64(max(1, n[0]))
	}
	return 1
}

// whole is a number of channels in whole vectors.
func whole(n float64) float64 {
	const lanes = 16
	return float64(int((n+lanes-1)/lanes) * lanes)
}
