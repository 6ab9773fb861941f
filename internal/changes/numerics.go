package changes

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
)

// Sums reports whether a step sums between devices.
func (s Step) Sums() bool { return sums(s.Opcode) }

// sums reports whether an opcode, with or without the devices that it is over, sums between devices.
func sums(opcode string) bool {
	name, _, _ := strings.Cut(opcode, " ")
	return name == "all-reduce" || name == "reduce-scatter"
}

// AskedSums counts what a model sums between devices, by type.
func AskedSums(v *facts.Variant) map[string]float64 {
	n := map[string]float64{}
	for i := range v.Model {
		for _, op := range v.Model[i].Do {
			if sums(op) {
				n[v.Model[i].Type]++
			}
		}
	}
	return n
}

// CompiledSums counts the arrays that a program sums between devices, by dimensions and by type. The compiler may sum several in one collective.
func CompiledSums(v *facts.Variant) map[string]map[string]float64 {
	n := map[string]map[string]float64{}
	for i := range v.Kernels {
		k := &v.Kernels[i]
		if !sums(k.Target) {
			continue
		}
		for _, array := range hlo.ShapeText(k.Out).Elements() {
			dtype, dims, _ := strings.Cut(array, "[")
			if n[dims] == nil {
				n[dims] = map[string]float64{}
			}
			n[dims][dtype]++
		}
	}
	return n
}

// Numerics says what may change the results of a variant that was compiled to another program: the compiler alone, or which types, precisions and sums are not
// as they were. It is "" where the models are not known, and where an edit moved no type and no precision.
func (v *Variant) Numerics() string {
	if v.Change != Changed || !v.Model.Known {
		return ""
	}
	list := differing(compiledNumbers(v.Old), compiledNumbers(v.New), v.Model.Same)
	if len(list) == 0 {
		list = differing(askedNumbers(v.Old), askedNumbers(v.New), v.Model.Same)
	}
	if was, is := carried(v.Old), carried(v.New); len(list) == 0 && !v.Model.Same && was.sum() == is.sum() {
		const what = "arrays carried by loops in"
		list = differing(map[string]counts{what: was}, map[string]counts{what: is}, false)
	}
	said := strings.Join(phrase.First(list, 4), ", ")
	switch {
	case v.Model.Same && said == "":
		return "the same input program, types, precisions and orders of reduction: only the compiler can change results"
	case v.Model.Same:
		return "the same input program, but the compiler moved: " + said
	case said == "":
		return ""
	}
	return "results may differ: " + said
}

// counts are numbers of one kind by type or precision; "" where there is only one number.
type counts map[string]float64

func (c counts) sum() (n float64) {
	for _, more := range c {
		n += more
	}
	return n
}

// differing lists the numbers that differ, of all kinds or of those in which one number rose and another fell. In an edited model only the latter tell
// something: a sum that merely rose or fell follows from the edit.
func differing(was, is map[string]counts, all bool) (list []string) {
	for _, kind := range slices.Sorted(maps.Keys(is)) {
		types := maps.Clone(is[kind])
		maps.Copy(types, was[kind])
		var rose, fell bool
		var said []string
		for _, t := range slices.Sorted(maps.Keys(types)) {
			before, now := was[kind][t], is[kind][t]
			if rose, fell = rose || now > before, fell || now < before; now != before {
				said = append(said, fmt.Sprintf("%s %s → %s", strings.TrimSpace(kind+" "+t), phrase.Number(before), phrase.Number(now)))
			}
		}
		if all || rose && fell {
			list = append(list, said...)
		}
	}
	return list
}

// compiledNumbers counts what decides how the results of a program are rounded.
func compiledNumbers(v *facts.Variant) map[string]counts {
	between, reductions := counts{}, counts{}
	for i := range v.Kernels {
		k := &v.Kernels[i]
		reductions[""] += float64(k.Do.Times("reduce"))
	}
	for _, types := range CompiledSums(v) {
		for t, n := range types {
			between[t] += n
		}
	}
	return map[string]counts{
		"products in": v.Facts.Members(facts.ProductType), "products of precision": v.Facts.Members(facts.ProductPrecision),
		"sums between devices in": between, "reductions": reductions,
	}
}

// askedNumbers is the same of what the model asks for: a CPU multiplies and sums sixteen bits in f32.
func askedNumbers(v *facts.Variant) map[string]counts {
	return map[string]counts{"products of the model in": v.Facts.Members(facts.AskedType), "sums of the model between devices in": AskedSums(v)}
}

// carried counts the floating-point arrays that loops carry from step to step, such as sums: they are rounded in every step.
func carried(v *facts.Variant) counts {
	n := counts{}
	for _, loop := range v.Loops() {
		for _, array := range hlo.ShapeText(loop.Out).Elements() {
			if t := hlo.ShapeText(array).Type(); kindOfType(t) == "number" {
				n[t]++
			}
		}
	}
	return n
}
