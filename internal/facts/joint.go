package facts

import (
	"slices"
	"strings"
)

// IsCluster says whether a program is one of TensorFlow's clusters: numbered in the order in which they were made, so that the name tells
// nothing about what is in it.
func (p *Program) IsCluster() bool {
	rest, ok := strings.CutPrefix(p.Name, "cluster_")
	return ok && rest != "" && strings.Trim(rest, "0123456789_") == ""
}

// Joint is several programs, each compiled once, as if they were one: what they launch, compute and keep all together. The arguments are left
// out, because values that one hands to the next are arguments of neither.
func Joint(name string, parts []*Program) *Program {
	v := &Variant{Facts: Values{}}
	var prints, inputs []string
	for _, p := range parts {
		part := p.Variants[0]
		prints, inputs = append(prints, part.Fingerprint), append(inputs, part.InputPrint)
		v.add(part)
	}
	v.Facts = sum(parts)
	v.Fingerprint, v.InputPrint = strings.Join(sortedCopy(prints), " "), strings.Join(sortedCopy(inputs), " ")
	first := parts[0].Variants[0]
	v.Modules, v.File, v.ModelAfter = first.Modules, first.File, first.ModelAfter
	return &Program{Name: name, Variants: []*Variant{v}}
}

// add appends what a part lists. What its kernels read from is counted on from those that are there.
func (v *Variant) add(part *Variant) {
	before := int32(len(v.Kernels))
	for _, k := range part.Kernels {
		k.From = k.From.shifted(before)
		v.Kernels = append(v.Kernels, k)
	}
	v.Constants = append(v.Constants, part.Constants...)
	v.Buffers = append(v.Buffers, part.Buffers...)
	v.Model = append(v.Model, part.Model...)
	v.Walls = append(v.Walls, part.Walls...)
	v.Products = append(v.Products, part.Products...)
	v.Unlike = append(v.Unlike, part.Unlike...)
	v.Results = append(v.Results, part.Results...)
	v.Unstable = append(v.Unstable, part.Unstable...)
	v.Missing = append(v.Missing, part.Missing...)
}

// sum adds up the facts. What was not dumped of one part is not known of the whole; of what is counted by name a part may simply have none.
func sum(parts []*Program) Values {
	total := Values{}
	for _, p := range parts {
		for id, n := range p.Variants[0].Facts {
			if id == RegistersMax {
				total[id] = max(total[id], n)
			} else {
				total[id] += n
			}
		}
	}
	for id := range total {
		if About(id).PerPart && slices.ContainsFunc(parts, func(p *Program) bool { return !p.Variants[0].Facts.Known(id) }) {
			delete(total, id)
		}
	}
	return total
}

func sortedCopy(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return list
}
