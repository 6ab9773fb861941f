package diff

import (
	"cmp"
	"maps"
	"slices"

	"github.com/xlagate/xlagate/internal/facts"
)

// Compare tells what changed from the old measurement to the new one.
func Compare(old, fresh *facts.Report) *Report {
	facts.PriceAlike(old, fresh)
	r := &Report{Old: old.Dump, New: fresh.Dump, Identical: true, Flags: compareFlags(facts.ComparableFlags(&old.Toolchain, &fresh.Toolchain))}
	compiler, cut := compilerChanges(&old.Toolchain, &fresh.Toolchain, r.Flags), CutBy(old.Clusters, fresh.Clusters)
	for _, pair := range pairPrograms(old.Programs, fresh.Programs) {
		p := compareProgram(pair, compiler)
		p.blameCut(cut)
		r.Programs = append(r.Programs, p)
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

// compilerChanges are versions and flags that may be why equal programs are compiled to different ones. Another version has other
// defaults: beside one, flags only count that are set on both sides.
func compilerChanges(old, fresh *facts.Toolchain, flags []FlagChange) []FlagChange {
	changes := compareFlags(old.Versions, fresh.Versions)
	changes = slices.DeleteFunc(changes, unknown)
	if len(changes) == 0 {
		return flags
	}
	return append(changes, slices.DeleteFunc(compareFlags(old.Flags, fresh.Flags), unknown)...)
}

// unknown says whether one side does not tell.
func unknown(f FlagChange) bool { return f.Old == "" || f.New == "" || f.Name == facts.DigestFlag }

func compareProgram(pair programs, compiler []FlagChange) *Program {
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
		p.Variants = append(p.Variants, compareVariant(pair.old, pair.fresh, compiler))
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
