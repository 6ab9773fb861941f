package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
)

// headline names a target: what was checked, and with what it was compared.
func headline(t *result.Target) line {
	l := in(strong, t.Name)
	l = l.and("   dump ").in(name, t.Dump)
	if now := tools(t.Toolchain); now != "" {
		l = l.and(" (").in(name, now).and(")")
	}
	if t.Baseline != "" {
		l = l.and("   baseline ").in(name, t.Baseline)
		if was := tools(t.Base); was != "" && was != tools(t.Toolchain) {
			l = l.and(" (accepted under ").in(name, was).and(")")
		}
	}
	if t.DeviceAssumed && t.Device != "cpu" { // for a CPU there is but one
		l = l.and("   priced on ").in(name, t.Device).and(", assumed: the dump names no device")
	}
	l = l.and("   " + phrase.Some(len(t.Programs), "program") + ", " + phrase.Some(variantCount(t), "variant"))
	if t.Helpers > 0 {
		l = l.in(dim, ", "+phrase.Some(t.Helpers, "one-op helper")+" left out")
	}
	if len(t.LeftOut) > 0 {
		l = l.and(", ").in(strong, phrase.Some(len(t.LeftOut), "program")+" left out by the configuration")
	}
	return l
}

func variantCount(t *result.Target) int {
	n := 0
	for i := range t.Programs {
		n += len(t.Programs[i].Variants)
	}
	return n
}

// maxVariants bounds the variants of one program that are shown.
const maxVariants = 6

// programRows is a row for each variant of each program, with its key facts or the use of its budgets.
func programRows(r *indexed, t *result.Target) [][]line {
	const maxPrograms = 100 // that are shown
	var rows [][]line
	programs := phrase.Pick(t.Programs, func(*result.Program) bool { return true })
	more := len(programs) - maxPrograms
	if more > 0 { // those that changed are told first
		slices.SortStableFunc(programs, func(a, b *result.Program) int {
			return phrase.CompareBools(a.Change == changes.Same, b.Change == changes.Same)
		})
		programs = programs[:maxPrograms]
	}
	for _, p := range programs {
		signatures, first := variantNames(p.Variants, maxSignature), len(rows)
		for j := range p.Variants {
			if j == maxVariants {
				rows = append(rows, []line{in(dim, "  … "+phrase.Some(len(p.Variants)-j, "more variant"))})
				break
			}
			rows = append(rows, variantRow(r, t, p, j, signatures[j]))
		}
		rows = merged(rows, first)
		if len(p.Variants) == 0 {
			rows = append(rows, []line{in(name, programName(p.Name)).and("  ").with("", changeCell(p.Change))})
		}
	}
	if more > 0 {
		rows = append(rows, []line{in(dim, "… "+phrase.Some(more, "more program")+"; -f json lists them all")})
	}
	return rows
}

// merged makes one row of those from first on that say the same one after the other.
func merged(rows [][]line, first int) [][]line {
	kept, alike := rows[:first], 1
	same := func(a, b []line) bool {
		return slices.EqualFunc(a, b, func(a, b line) bool { return a.text() == b.text() })
	}
	for i := first; i < len(rows); i++ {
		if i+1 < len(rows) && same(rows[i], rows[i+1]) {
			alike++
			continue
		}
		if alike > 1 {
			rows[i][0] = rows[i][0].in(dim, ", "+phrase.Some(alike, "variant")+" alike")
		}
		kept, alike = append(kept, rows[i]), 1
	}
	return kept
}

// variantNames returns the signatures of variants, shortened to what distinguishes them. The signature of a single variant is shortened to what differs from
// the baseline.
func variantNames(variants []result.Variant, n int) []string {
	if len(variants) == 1 && variants[0].Was != "" {
		return distinct([]string{variants[0].Signature, variants[0].Was}, n)[:1]
	}
	signatures := phrase.Map(variants, func(v result.Variant) string { return v.Signature })
	return distinct(signatures, n)
}

func variantRow(r *indexed, t *result.Target, p *result.Program, at int, signature string) []line {
	v := &p.Variants[at]
	row := []line{in(name, p.Name+signature)}
	row[0] = row[0].and("  ").with("", changeCell(p.Change))
	budgets := budgetsOf(r, t.Name, p.Name)
	for _, f := range keyFacts {
		row = append(row, factCell(f, v, budgetOf(v, f.fact, budgets[f.text], p)))
		delete(budgets, f.text)
	}
	return append(row, otherFacts(v, p, budgets))
}

// budgetOf is a program's budget as one of its variants uses it. A budget on a fact holds the largest use of all variants.
func budgetOf(v *result.Variant, fact facts.ID, budget *result.Headroom, p *result.Program) *result.Headroom {
	counts := func(v result.Variant) bool { now, ok := v.Facts[fact]; return ok && now == budget.Actual }
	if budget == nil || !slices.ContainsFunc(p.Variants, counts) {
		return budget
	}
	own := *budget
	own.Actual = v.Facts[fact]
	return &own
}

// factCell is "kernels 1 → 4", or "kernels 19 of 19" where a budget bounds it. A fact that was not dumped has no cell.
func factCell(f label, v *result.Variant, budget *result.Headroom) line {
	now, ok := v.Facts[f.fact]
	if !ok {
		return nil
	}
	base, based := v.Base[f.fact]
	switch {
	case based && base != now && !negligible(f.fact, base, now):
		l := say(f.text+" ").in(strong, change(f.fact, base, now))
		if share := growth(now-base, base); share != "" && unitOf(f.fact) == "nanoseconds" {
			l = l.and(" (" + share + ")")
		}
		if f.fact == facts.PriceStep {
			l = l.and(asBeforeText(v.Facts))
		}
		return l
	case budget != nil:
		return say(f.text + " " + of(budget.Actual, budget.Limit, budget.Unit))
	}
	return say(f.text + " " + value(f.fact, now))
}

// otherFacts are the facts that changed and the budgets that are not shown as key facts.
func otherFacts(v *result.Variant, p *result.Program, budgets map[string]*result.Headroom) line {
	const maxOthers = 3 // facts that are shown beside the key facts
	var parts []string
	for _, f := range changedFacts(v) {
		delete(budgets, f.text)
		parts = append(parts, f.text+" "+change(f.fact, v.Base[f.fact], v.Facts[f.fact]))
	}
	for _, l := range sortedKeys(budgets) {
		b := budgetOf(v, facts.ID(budgets[l].Subject), budgets[l], p)
		parts = append(parts, l+" "+of(b.Actual, b.Limit, b.Unit))
	}
	if len(parts) > maxOthers {
		parts = append(parts[:maxOthers], "…")
	}
	return say(strings.Join(parts, ", "))
}

// changedFacts returns the other facts that both sides know and that differ, the most important first.
func changedFacts(v *result.Variant) []label {
	var out []label
	differs := func(fact facts.ID) bool {
		base, based := v.Base[fact]
		now, ok := v.Facts[fact]
		static := v.Base.OfRun(fact) != fact && v.Facts.OfRun(fact) != fact
		return based && ok && base != now && !static && !negligible(fact, base, now)
	}
	for _, f := range moreFacts[:maxTelling] {
		if differs(f.fact) && (f.fact != facts.KernelsWeighted || hasLaunches(v.Base, v.Facts)) {
			out = append(out, f)
		}
	}
	for _, fact := range sortedKeys(v.Base) {
		if _, collective := facts.CollectiveCount.Member(fact); collective && differs(fact) {
			out = append(out, label{fact, factLabel(fact)})
		}
	}
	return out
}

// maxTelling is how many of moreFacts are shown with the key facts when they changed.
const maxTelling = 13

// tellingFacts are those and the key facts, which a difference always shows.
var tellingFacts = slices.Concat(keyFacts, moreFacts[:maxTelling])

// tellingGroups are groups of facts that a difference always shows.
var tellingGroups = []string{"collectives", "custom_calls", "clusters"}

// budgetsOf finds the budgets of a program, the fullest of each kind, by label.
func budgetsOf(r *indexed, target, program string) map[string]*result.Headroom {
	out := map[string]*result.Headroom{}
	for i := range r.Headroom {
		h := &r.Headroom[i]
		if h.Target != target || h.Program != program || h.Rule == "no-recompilation" {
			continue
		}
		l := budgetLabel(h.Rule, h.Subject)
		if old := out[l]; old == nil || h.Actual*old.Limit > old.Actual*h.Limit {
			out[l] = h
		}
	}
	return out
}

// changeCell says how a program compares with its baseline.
func changeCell(change string) line {
	switch change {
	case "same":
		return in(dim, "unchanged")
	case "changed":
		return in(warn, "changed")
	case "added":
		return say("new, not in the baseline")
	case "removed":
		return in(warn, "gone from the dump")
	case "unbased":
		return say("no baseline")
	}
	return say(change)
}

// tools is a toolchain in a few words: "jax 0.10.2, H100". It is empty when nothing is known.
func tools(t facts.Toolchain) string {
	parts := []string{strings.TrimSpace(t.Framework + " " + t.Versions[t.Framework])}
	for _, n := range sortedKeys(t.Versions) {
		if n != t.Framework && t.Versions[n] != t.Versions[t.Framework] {
			parts = append(parts, n+" "+t.Versions[n])
		}
	}
	return joinedBy(", ", append(parts, cmp.Or(t.Device, t.Backend))...)
}
