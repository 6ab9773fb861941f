package diff

import (
	"cmp"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
)

type programs struct {
	old, fresh *facts.Program
	replaced   *facts.Program   // another program that fresh has the name of
	parts      []*facts.Program // what fresh is joined of; see regroupClusters
}

// pairPrograms joins programs of one name, then those that are the same under another name.
func pairPrograms(old, fresh []*facts.Program) []programs {
	byName := map[string]*facts.Program{}
	for _, p := range old {
		byName[p.Name] = p
	}
	var pairs, added []programs
	for _, p := range fresh {
		pair := programs{old: byName[p.Name], fresh: p}
		delete(byName, p.Name)
		if pair.old != nil && another(pair.old, p) {
			pair.old, pair.replaced = nil, pair.old
		}
		if pair.old == nil {
			added = append(added, pair)
			continue
		}
		pairs = append(pairs, pair)
	}
	var removed []*facts.Program
	for _, p := range old {
		if byName[p.Name] == p {
			removed = append(removed, p)
		}
	}
	pairs = append(pairs, pairRenamed(removed, added)...)
	return regroupClusters(pairs)
}

// pairRenamed joins removed and added programs whose compilations are the same, then those that are nearly so.
func pairRenamed(removed []*facts.Program, added []programs) []programs {
	waiting := map[string][]*facts.Program{}
	for _, p := range removed {
		key := identity(p)
		waiting[key] = append(waiting[key], p)
	}
	for i := range added {
		if list := waiting[identity(added[i].fresh)]; len(list) > 0 {
			added[i].old = list[0]
			waiting[identity(added[i].fresh)] = list[1:]
		}
	}
	same := map[*facts.Program]bool{}
	for i := range added {
		same[added[i].old] = true
	}
	removed = slices.DeleteFunc(removed, func(p *facts.Program) bool { return same[p] })
	removed, added = pairChanged(removed, added)
	for _, p := range removed {
		added = append(added, programs{old: p})
	}
	return added
}

// identity spells the compilations of a program, whatever it is called.
func identity(p *facts.Program) string {
	var prints []string
	for _, v := range p.Variants {
		prints = append(prints, v.Fingerprint+" "+v.InputPrint)
	}
	slices.Sort(prints)
	return strings.Join(prints, "\n")
}

type variants struct{ old, fresh *facts.Variant }

// pairVariants joins the compilations of a program: with the same arguments first, then with the same content, then with
// arguments of the same shapes, then of the same ranks, then those that do most of the same, then in order. Of several with arguments of the
// same shapes or ranks those that do most of the same go together.
func pairVariants(old, fresh *facts.Program) []variants {
	var left []*facts.Variant
	if old != nil {
		left = slices.Clone(old.Variants)
	}
	var pairs []variants
	if fresh != nil {
		for _, v := range fresh.Variants {
			pairs = append(pairs, variants{fresh: v})
		}
	}
	for _, by := range variantKeys {
		if by.content {
			left = pairAlike(left, pairs, by.key)
		}
		left = pairInTurn(left, pairs, by.key)
	}
	for _, o := range left {
		pairs = append(pairs, variants{old: o})
	}
	return pairs
}

// pairInTurn joins compilations of the same key in their order, and returns those that are left.
func pairInTurn(left []*facts.Variant, pairs []variants, key func(*facts.Variant) string) []*facts.Variant {
	waiting := map[string][]int{}
	for j, o := range left {
		k := key(o)
		waiting[k] = append(waiting[k], j)
	}
	taken := make([]bool, len(left))
	for i := range pairs {
		if pairs[i].old != nil {
			continue
		}
		same := key(pairs[i].fresh)
		if list := waiting[same]; len(list) > 0 {
			pairs[i].old, taken[list[0]], waiting[same] = left[list[0]], true, list[1:]
		}
	}
	return untaken(left, taken)
}

// pairAlike joins compilations that share something and do most of the same, the most alike first: those with about as many arguments.
func pairAlike(left []*facts.Variant, pairs []variants, key func(*facts.Variant) string) []*facts.Variant {
	taken := make([]bool, len(left))
	for _, m := range resemblances(left, pairs, key) {
		if pairs[m.pair].old == nil && !taken[m.left] {
			pairs[m.pair].old, taken[m.left] = left[m.left], true
		}
	}
	return untaken(left, taken)
}

func untaken(left []*facts.Variant, taken []bool) (rest []*facts.Variant) {
	for j, o := range left {
		if !taken[j] {
			rest = append(rest, o)
		}
	}
	return rest
}

// resemblance is how much a compilation without a counterpart and one that is left have in common.
type resemblance struct {
	pair, left int
	share      float64
}

// maxResemblances bounds the compilations that are held against each other. Where more are left, all of them have other arguments than
// before, and they go together in order.
const maxResemblances = 1 << 18

// resemblances lists those that may be each other, the most alike first.
func resemblances(left []*facts.Variant, pairs []variants, key func(*facts.Variant) string) (all []resemblance) {
	if len(left)*len(pairs) > maxResemblances {
		return nil
	}
	var work contents
	programs, keys := make([]*facts.Program, len(left)), make([]string, len(left))
	for j, o := range left {
		programs[j], keys[j] = alone(o), key(o)
	}
	for i := range pairs {
		if pairs[i].old != nil {
			continue
		}
		f := pairs[i].fresh
		program, shares := alone(f), key(f)
		for j, o := range left {
			if keys[j] != shares {
				continue
			}
			if share := work.inCommon(programs[j], program); share >= leastCommon {
				all = append(all, resemblance{i, j, share * asMany(o, f)})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b resemblance) int { return cmp.Compare(b.share, a.share) })
	return all
}

// asMany is the share of the arguments that two compilations can have in common. An optimizer makes its state in the first step: that of the
// later ones does nearly the same, with arguments in place of what the first begins with. A few more or less say little.
func asMany(a, b *facts.Variant) float64 {
	const few = 8
	return float64(few+min(len(a.Params), len(b.Params))) / float64(few+max(len(a.Params), len(b.Params)))
}

// alone is a program of one compilation.
func alone(v *facts.Variant) *facts.Program { return &facts.Program{Variants: []*facts.Variant{v}} }

// variantKeys are what two compilations may share, the most telling first, and whether of several that do their content is compared.
var variantKeys = []struct {
	key     func(*facts.Variant) string
	content bool
}{
	{key: func(v *facts.Variant) string { return v.Signature + "\n" + v.Fingerprint }},
	{key: func(v *facts.Variant) string { return v.Signature }},
	{key: func(v *facts.Variant) string { return v.Fingerprint }},
	{key: func(v *facts.Variant) string { return shapesOf(v, func(p *facts.Parameter) string { return p.Shape }) }, content: true},
	{key: func(v *facts.Variant) string {
		return shapesOf(v, func(p *facts.Parameter) string {
			return hlo.ShapeText(p.Shape).Type() + strings.Repeat("*", len(hlo.ShapeText(p.Shape).Dims()))
		})
	}, content: true},
	{key: func(*facts.Variant) string { return "" }, content: true},
}

func shapesOf(v *facts.Variant, spell func(*facts.Parameter) string) string {
	var b strings.Builder
	for i := range v.Params {
		b.WriteString(spell(&v.Params[i]))
		b.WriteByte(';')
	}
	return b.String()
}
