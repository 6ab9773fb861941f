package diff

import (
	"cmp"
	"maps"
	"slices"

	"github.com/xlagate/xlagate/internal/facts"
)

// Compare tells what changed from the old measurement to the new one.
func Compare(old, fresh *facts.Report) *Report {
	r := &Report{Old: old.Dump, New: fresh.Dump, Identical: true, Flags: compareFlags(facts.ComparableFlags(&old.Toolchain, &fresh.Toolchain))}
	for _, pair := range pairPrograms(old.Programs, fresh.Programs) {
		r.Programs = append(r.Programs, compareProgram(pair, r.Flags))
	}
	slices.SortFunc(r.Programs, func(a, b *Program) int { return cmp.Compare(a.Name, b.Name) })
	for _, p := range r.Programs {
		r.Identical = r.Identical && p.Change == Same
	}
	return r
}

func compareFlags(old, fresh map[string]string) []FlagChange {
	var out []FlagChange
	all := maps.Clone(old)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, fresh)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if old[name] != fresh[name] {
			out = append(out, FlagChange{Name: name, Old: old[name], New: fresh[name]})
		}
	}
	return out
}

func compareProgram(pair programs, flags []FlagChange) *Program {
	old, fresh := pair.old, pair.fresh
	p := &Program{Old: old, New: fresh, Change: Same, Parts: pair.parts}
	switch {
	case old == nil:
		p.Name, p.Change = fresh.Name, Added
	case fresh == nil:
		p.Name, p.Change = old.Name, Removed
	default:
		p.Name = fresh.Name
		if old.Name != fresh.Name {
			p.Was = old.Name
		}
	}
	for _, pair := range pairVariants(old, fresh) {
		p.Variants = append(p.Variants, compareVariant(pair.old, pair.fresh, flags))
	}
	for _, v := range p.Variants {
		v.Regrouped = pair.parts != nil
	}
	if p.Change == Same && slices.ContainsFunc(p.Variants, func(v *Variant) bool { return v.Change != Same }) {
		p.Change = Changed
	}
	p.Recompile = Explain(fresh)
	return p
}
