package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
)

// diffPage is a difference from the totals down to single operations: programs, kernels, operations.
func diffPage(d *changes.Report, o Options) page {
	p := page{Title: in(name, d.Old).and(" → ").in(name, d.New)}
	if d.Identical {
		variants, kernels := 0, 0.0
		for _, prog := range d.Programs {
			variants += len(prog.Variants)
			for _, v := range prog.Variants {
				n, _ := total(v.New)
				kernels += n
			}
		}
		sum := phrase.Some(len(d.Programs), "program") + ", " + phrase.Some(variants, "variant") + ", " + phrase.Counted(kernels, "", "kernels")
		p.add(para{in(good, "identical").and(": " + sum + " (names, ids, metadata and insignificant order are ignored)")})
		return p
	}
	if len(d.Programs) > 1 { // a row for each program, as `git diff --stat` has one for each file
		stat, same := table{Head: []string{"program", "change", "kernels", "came, went, changed"}, Bare: true}, 0
		for _, prog := range d.Programs {
			if prog.Change == changes.Same {
				same++
				continue
			}
			stat.Rows = append(stat.Rows, []line{in(strong, prog.Name), changeCell(prog.Change), say(kernelTotals(prog)), tally(prog)})
		}
		if same > 0 {
			stat.Rows = append(stat.Rows, []line{in(dim, phrase.Some(same, "program")+" unchanged")})
		}
		p.add(stat)
	}
	for _, prog := range d.Programs {
		if s := diffProgram(prog, o); len(s.Blocks) > 0 || len(d.Programs) == 1 {
			p.add(s)
		}
	}
	return p
}

// kernelTotals is "kernels 482 → 484", summed over the variants that both sides know.
func kernelTotals(p *changes.Program) string {
	var old, fresh float64
	for _, v := range p.Variants {
		o, okOld := total(v.Old)
		n, okNew := total(v.New)
		if v.Old != nil && !okOld || v.New != nil && !okNew {
			return ""
		}
		old, fresh = old+o, fresh+n
	}
	switch p.Change {
	case changes.Added:
		return "kernels " + phrase.Number(fresh)
	case changes.Removed:
		return "kernels " + phrase.Number(old)
	}
	return "kernels " + change(facts.KernelsTotal, old, fresh)
}

func total(v *facts.Variant) (float64, bool) {
	if v == nil {
		return 0, false
	}
	n, ok := v.Facts[facts.KernelsTotal]
	return n, ok
}

// tally is "+2 -1 ~3": kernels that came, went and changed. The old total and these make the new one.
func tally(p *changes.Program) line {
	var added, removed, changed int
	for _, v := range p.Variants {
		came, went, other := v.Kernels.Tally()
		added, removed, changed = added+came, removed+went, changed+other
	}
	var l line
	for _, part := range []struct {
		n     int
		sign  string
		voice voice
	}{{added, "+", good}, {removed, "-", bad}, {changed, "~", warn}} {
		if part.n > 0 {
			l = l.with(" ", in(part.voice, part.sign+phrase.Number(float64(part.n))))
		}
	}
	return l
}

// diffProgram is a program that changed, variant by variant.
func diffProgram(p *changes.Program, o Options) section {
	if p.Change == changes.Same {
		return section{}
	}
	title := in(strong, p.Name)
	if p.Was != "" {
		title = title.and(" (renamed and changed: it was " + p.Was + ")")
	}
	s := section{Title: title.and("   "+variantWord(p)).with("   ", say(kernelTotals(p))).with("   ", tally(p))}
	s.add(table{Head: []string{"argument", "over the variants", ""}, Rows: argumentRows(p.Recompile), Bare: true})
	signatures := phrase.Map(p.Variants, func(v *changes.Variant) string { return cmp.Or(signature(v.New), signature(v.Old)) })
	signatures = distinct(signatures, maxName)
	for i, v := range p.Variants {
		if v.Change == changes.Same {
			continue
		}
		blocks := diffVariant(v, o)
		if len(p.Variants) > 1 {
			blocks = []block{section{Title: in(name, signatures[i]).and("   ").and(v.Change), Blocks: blocks}}
		}
		s.add(blocks...)
	}
	return s
}

func variantWord(p *changes.Program) string {
	old := len(phrase.Filter(p.Variants, func(v *changes.Variant) bool { return v.Old != nil }))
	fresh := len(phrase.Filter(p.Variants, func(v *changes.Variant) bool { return v.New != nil }))
	switch {
	case p.Change == changes.Added:
		return "new, " + phrase.Some(fresh, "variant")
	case p.Change == changes.Removed:
		return "gone, had " + phrase.Some(old, "variant")
	case old != fresh:
		return fmt.Sprintf("variants %d → %d", old, fresh)
	}
	return phrase.Some(fresh, "variant")
}

func diffVariant(v *changes.Variant, o Options) []block {
	var s section
	if v.Rescaled {
		s.add(para{in(warn, "its argument sizes changed").and(", so kernels are matched without their shapes")})
	}
	s.add(para{priceChange(v)})
	s.add(list{atMost(each(v.Causes, causeLine), o.shown(len(v.Causes), maxCauses), "cause", " (--all lists them)")})
	s.add(factBlocks(v, o)...)
	s.add(table{Head: []string{"argument", "what changed"}, Rows: paramRows(v.Params, o), Bare: true})
	s.add(list{dtypeLines(v.Dtypes)})
	s.add(list{bufferLines(v, o)})
	k := &v.Kernels
	followers := 0
	var parts []string // "8 split, 2 merged, 20 changed, 4 new, 12 gone"
	for _, part := range []struct {
		n    int
		word string
	}{
		{len(k.Split), "split"}, {len(k.Merged), "merged"}, {len(k.Unrolled), "unrolled"}, {len(k.Changed), "changed"},
		{len(k.Moved), "moved"}, {len(k.Added), "new"}, {len(k.Removed), "gone"},
	} {
		if followers += part.n; part.n > 0 {
			parts = append(parts, phrase.Number(float64(part.n))+" "+part.word)
		}
	}
	if followers > maxFollowing && len(v.Causes) > 0 && !o.All {
		s.add(para{in(dim, "resulting kernel changes: "+strings.Join(parts, ", ")+" (--all lists them)")})
	} else {
		s.add(kernelBlocks(v, o)...)
	}
	if k.Kept > 0 {
		s.add(para{in(dim, "= "+phrase.Number(float64(k.Kept))+" unchanged")})
	}
	s.add(para{say(prefixed("first differs ", v.FirstPass))})
	return s.Blocks
}

func dtypeLines(types []changes.DtypeChange) []line {
	return each(types, func(d *changes.DtypeChange) line {
		l := in(warn, "~").and(" ").in(name, d.Type).and(fmt.Sprintf(" values %d → %d", d.Old, d.New))
		if d.First.Opcode != "" {
			l = l.and("; the first is ").in(name, d.First.Opcode+" "+shortShape(d.First.Shape))
		}
		if at := location(d.First.Source); at != "" {
			l = l.and(" at ").in(name, at)
		}
		if d.First.OpName != "" {
			l = l.and(" ").in(name, d.First.OpName)
		}
		return l
	})
}

// paramRows are the arguments that differ; those with the same change share a row, unless all are wanted.
func paramRows(params []changes.ParamChange, o Options) [][]line {
	const maxGrouped = 3 // arguments with the same change that are named
	var rows [][]line
	for _, same := range phrase.Group(params, func(p changes.ParamChange) string {
		if o.All {
			return p.Name
		}
		return paramMark(&p).text() + p.What
	}) {
		names := each(same, func(p *changes.ParamChange) string { return p.Name })
		what := say(same[0].What)
		if n := len(names); n > maxGrouped {
			names = append(names[:maxGrouped], fmt.Sprintf("… %d more", n-maxGrouped))
			what = what.in(dim, fmt.Sprintf(" (%d arguments)", n))
		}
		rows = append(rows, []line{paramMark(&same[0]).and(" ").in(name, strings.Join(names, ", ")), what})
	}
	return rows
}

func paramMark(p *changes.ParamChange) line {
	switch {
	case p.Old == nil:
		return in(good, "+")
	case p.New == nil:
		return in(bad, "-")
	}
	return in(warn, "~")
}

// factBlocks are the facts that differ: the telling ones in a line, the others counted or, when all are wanted, listed. The sum
// of kernels is in the title.
func factBlocks(v *changes.Variant, o Options) []block {
	if o.All {
		t := table{Head: []string{"fact", "change"}, Bare: true}
		for _, f := range orderFacts(v.Facts) {
			t.Rows = append(t.Rows, []line{in(name, string(f.Name)), say(factChange(v, &f))})
		}
		return []block{t}
	}
	var parts []string
	rest := 0
	for _, f := range orderFacts(v.Facts) {
		switch {
		case f.Name == facts.KernelsTotal, f.Name.IsPrice(): // said in the title, and above
		case v.Knows(facts.About(f.Name).Weighted): // that of a run is shown
		case f.Name == facts.KernelsWeighted && !hasLaunches(v.Old.Facts, v.New.Facts):
		case rankIn(tellingFacts, f.Name) < len(tellingFacts), slices.Contains(tellingGroups, f.Name.Group()):
			parts = append(parts, factLabel(f.Name)+" "+factChange(v, &f))
		default:
			rest++
		}
	}
	l := say(strings.Join(parts, columnGap))
	if rest > 0 {
		l = l.with(columnGap, in(dim, phrase.Count(rest, "more fact differs", "more facts differ")+" (--all)"))
	}
	return []block{para{l}}
}

// orderFacts puts the telling facts first, the most telling of them at the head; the others stay in their order.
func orderFacts(moved []changes.FactChange) []changes.FactChange {
	return slices.SortedStableFunc(slices.Values(moved), func(a, b changes.FactChange) int {
		return cmp.Compare(rankIn(tellingFacts, a.Name), rankIn(tellingFacts, b.Name))
	})
}

// counted are the groups of facts that kinds and targets have.
var counted = []string{"kernels", "fusions", "custom_calls", "collectives", "dtypes"}

// factChange returns "1 → 4". Kinds and targets have a fact only if they occur: if kernels were counted, a missing one means none.
func factChange(v *changes.Variant, f *changes.FactChange) string {
	side := func(n float64, variant *facts.Variant) string {
		if math.IsNaN(n) && variant != nil && slices.Contains(counted, f.Name.Group()) && variant.Facts.Known(facts.KernelsTotal) {
			return "none"
		}
		return value(f.Name, n)
	}
	if math.IsNaN(f.Old) || math.IsNaN(f.New) {
		return side(f.Old, v.Old) + " → " + side(f.New, v.New)
	}
	return change(f.Name, f.Old, f.New)
}
