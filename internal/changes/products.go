package changes

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/price"
)

// nameProducts puts "3 products: bf16 → f32" before the title of a cause if no title says so. An operation is known by the type of its result. So a product of
// bf16 into f32 that becomes one of f32 is the same operation, and only the conversions of its operands are new.
func (v *Variant) nameProducts(causes []Cause) {
	was, is, n := v.retypedProducts()
	said := func(c Cause) bool {
		return slices.ContainsFunc(strings.Split(c.Title, "; "), func(part string) bool {
			return strings.Contains(part, ": "+was+" → "+is) && (strings.Contains(part, "dot") || strings.Contains(part, "convolution"))
		})
	}
	if n == 0 || slices.ContainsFunc(causes, said) {
		return
	}
	widens := func(s Step) bool { return s.Type == is && (s.Opcode == "convert" || multiplies(s)) }
	converts := func(s Step) bool { return s.Opcode == "convert" }
	// First a cause with conversions that are new, then one where they are to another type, then one where they are gone: what they were made for takes the
	// wide type.
	for _, fits := range []func(added, removed bool) bool{
		func(added, removed bool) bool { return added && !removed },
		func(added, _ bool) bool { return added },
		func(_, removed bool) bool { return removed },
	} {
		at := slices.IndexFunc(causes, func(c Cause) bool {
			added := slices.ContainsFunc(c.Edits, func(e Edit) bool { return slices.ContainsFunc(e.Added, widens) })
			removed := slices.ContainsFunc(c.Edits, func(e Edit) bool { return slices.ContainsFunc(e.Removed, converts) })
			return c.Kind == KindCode && fits(added, removed)
		})
		if at >= 0 {
			causes[at].products = true
			causes[at].Title = fmt.Sprintf("%s: %s → %s; %s", phrase.Some(n, "product"), was, is, causes[at].Title)
			return
		}
	}
}

func multiplies(s Step) bool {
	opcode, _ := s.split()
	return opcode == "dot" || opcode == "convolution"
}

// retypedProducts counts the products of the model that multiply another type, if as many are gone in one type as came in one other; 0 if not.
func (v *Variant) retypedProducts() (was, is string, n int) {
	if v.Old == nil || v.New == nil {
		return "", "", 0
	}
	old, fresh := ProductsByType(v.Old), ProductsByType(v.New)
	for t := range old {
		fresh[t] -= old[t]
	}
	for _, t := range slices.Sorted(maps.Keys(fresh)) {
		switch more := int(fresh[t]); {
		case more < 0 && was == "":
			was, n = t, -more
		case more > 0 && is == "":
			is = t
		case more != 0:
			return "", "", 0
		}
	}
	if was == "" || is == "" || int(fresh[is]) != n {
		return "", "", 0
	}
	return was, is, n
}

// ProductsByType counts products by the type that they multiply: those that the model asks for where the compiler multiplies in another type, else those of the
// optimized module.
func ProductsByType(v *facts.Variant) map[string]float64 {
	if asked := v.Facts.Members(facts.AskedType); len(asked) > 0 {
		return asked
	}
	return v.Facts.Members(facts.ProductType)
}

// grownProducts returns the products that came and went with a cause, the largest first, if they are as many and compute at least twice as much, and no argument
// of another size, no other sharding and no product that the model asks for says why. first is the first of them in the program.
func (s *suspect) grownProducts(v *Variant) (was, is []facts.Kernel, first *facts.Kernel) {
	says := func(step Step) bool { return constrains(step) || multiplies(step) }
	explains := func(e *Edit) bool { return slices.ContainsFunc(slices.Concat(e.Added, e.Removed), says) }
	resized := func(p ParamChange) bool { return p.Old != nil && p.New != nil && p.Old.Shape != p.New.Shape }
	product := func(k facts.Kernel) bool { return k.WorkClass() == price.Products }
	was, is = phrase.Filter(s.Before, product), phrase.Filter(s.After, product)
	was, is = unmatched(was, is), unmatched(is, was)
	if len(is) == 0 || len(was) != len(is) || s.Kind != KindCode || slices.ContainsFunc(s.edits, explains) || slices.ContainsFunc(v.Params, resized) {
		return nil, nil, nil
	}
	if flopsOf(is) < 2*flopsOf(was) || productFlops(is) < 2*productFlops(was) {
		return nil, nil, nil
	}
	at := is[0]
	size := func(k facts.Kernel) int64 { return numbersIn([]string{k.Out}) }
	for _, list := range [][]facts.Kernel{was, is} {
		slices.SortStableFunc(list, func(a, b facts.Kernel) int {
			return cmp.Or(cmp.Compare(b.Flops, a.Flops), cmp.Compare(size(b), size(a)))
		})
	}
	return was, is, &at
}

// unmatched returns the products that another side does not have.
func unmatched(products, others []facts.Kernel) []facts.Kernel {
	type product struct {
		out   string
		flops int64
	}
	had := map[product]int{}
	for i := range others {
		had[product{others[i].Out, others[i].Flops}]++
	}
	return phrase.Filter(products, func(k facts.Kernel) bool {
		had[product{k.Out, k.Flops}]--
		return had[product{k.Out, k.Flops}] < 0
	})
}

// flopsOf adds up what kernels compute each time that they run.
func flopsOf(kernels []facts.Kernel) (n float64) {
	for i := range kernels {
		n += float64(kernels[i].Flops)
	}
	return n
}

// growthTitle says that products compute much more: "8 products compute 10 times as much: f32[64,256] → f32[640,256]". An edit that pads, repeats or joins what
// they multiply is else known by that alone: "new: pad".
func growthTitle(was, is []facts.Kernel) string {
	n := 0
	for i := range is {
		n += max(1, is[i].Do.Times("dot")+is[i].Do.Times("convolution"))
	}
	text := "a product computes "
	if n > 1 {
		text = fmt.Sprintf("%d products compute ", n)
	}
	text += phrase.Times(math.Round(10*flopsOf(is)/flopsOf(was))/10) + " as much"
	if was[0].Out != is[0].Out {
		text += ": " + was[0].Out + " → " + is[0].Out
	}
	return text
}
