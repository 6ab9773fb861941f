package diff

import (
	"slices"
	"strconv"

	"github.com/xlagate/xlagate/internal/facts"
)

// works counts what programs do, each in the compilation that does most of it. It remembers that: each of many is compared with each of as many others.
type works struct {
	operations, kernels map[*facts.Program]map[string]int
}

// both returns what two programs do: the operations of their models where both are known, else their kernels.
func (w *works) both(a, b *facts.Program) (was, is map[string]int) {
	was, is = most(&w.operations, a, operationsOf), most(&w.operations, b, operationsOf)
	if len(was) == 0 || len(is) == 0 {
		return most(&w.kernels, a, kernelsOf), most(&w.kernels, b, kernelsOf)
	}
	return was, is
}

func most(known *map[*facts.Program]map[string]int, p *facts.Program, count func(*facts.Variant) map[string]int) map[string]int {
	if counts := (*known)[p]; counts != nil {
		return counts
	}
	counts := map[string]int{}
	for _, v := range p.Variants {
		for key, n := range count(v) {
			counts[key] = max(counts[key], n)
		}
	}
	if *known == nil {
		*known = map[*facts.Program]map[string]int{}
	}
	(*known)[p] = counts
	return counts
}

// inCommon is the share of what either program does that both do; more than all of it where a compilation is the same.
func (w *works) inCommon(old, fresh *facts.Program) float64 {
	if shareCompilation(old, fresh) {
		return 2
	}
	was, is := w.both(old, fresh)
	return share(was, is, max(total(was), total(is)), 0)
}

func shareCompilation(old, fresh *facts.Program) bool {
	return slices.ContainsFunc(old.Variants, func(a *facts.Variant) bool {
		return slices.ContainsFunc(fresh.Variants, func(b *facts.Variant) bool { return a.Fingerprint == b.Fingerprint && a.Signature == b.Signature })
	})
}

// contained is the share of what both do, of the program that does less: it may grow or shrink.
func (w *works) contained(old, fresh *facts.Program) float64 {
	was, is := w.both(old, fresh)
	return share(was, is, min(total(was), total(is)), 0)
}

// another reports whether two programs of one name differ in most arguments and most operations.
func (w *works) another(old, fresh *facts.Program) bool {
	if shareCompilation(old, fresh) {
		return false
	}
	was, is := w.both(old, fresh)
	before, now := argumentsOf(old), argumentsOf(fresh)
	return share(was, is, max(total(was), total(is)), 1) < leastOfName && share(before, now, max(total(before), total(now)), 1) < leastOfName
}

// share is how much two counts have in common, of a whole; what it is of nothing.
func share(a, b map[string]int, whole int, ofNothing float64) float64 {
	if whole == 0 {
		return ofNothing
	}
	same := 0
	for key, n := range a {
		same += min(n, b[key])
	}
	return float64(same) / float64(whole)
}

// argumentsOf counts the arguments of a program's compilations by their names.
func argumentsOf(p *facts.Program) map[string]int {
	names := map[string]int{}
	for _, v := range p.Variants {
		for i := range v.Params {
			names[v.Params[i].Name]++
		}
	}
	return names
}

// operationsOf counts the operations of the model, by what they do in which type.
func operationsOf(v *facts.Variant) map[string]int {
	counts := map[string]int{}
	for i := range v.Model {
		for _, do := range v.Model[i].Do {
			counts[do+" "+v.Model[i].Type]++
		}
	}
	return counts
}

// kernelsOf counts the kernels, by what they do.
func kernelsOf(v *facts.Variant) map[string]int {
	counts := map[string]int{}
	for i := range v.Kernels {
		if k := &v.Kernels[i]; k.Class != facts.ClassControl {
			counts[strconv.Itoa(int(k.Class))+k.Target+"\x00"+k.Do.String()+"\x00"+k.Out]++
		}
	}
	return counts
}

func total(counts map[string]int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}
