package price

import (
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
)

// convolution adds what a convolution takes beside its products where no matrix unit does it: each group is a product of its own, whose channels
// are put into whole vectors, and each place of the result gathers what it is made of.
func (m *Meter) convolution(w *Work, id hlo.InstrID, p Product, looped bool) {
	kernel, result := m.m.Shape(m.m.Instrs[m.m.Operands(id)[1]].Shape), m.m.Shape(m.m.Instrs[id].Shape)
	labels, _ := m.m.Attr(id, "dim_labels")
	names := parseConvLabels(labels)
	outputs, found := labelled(kernel, names.rhs, 'o')
	if !found || outputs == 0 || isTiled(result) {
		return
	}
	if order := result.DimensionOrder(); len(order) > 0 && strings.IndexByte(names.out, 'f') != int(order[0]) {
		w[Serial] += serialProduct * p.Flops // no library takes it: a plain loop
		return
	}
	channels := float64(outputs) / m.groups(id)
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
