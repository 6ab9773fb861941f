package gate

import (
	"slices"
	"sort"

	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/rules"
)

// fold puts findings that follow from another one under it: those that its rule is known to explain, and growth that the same place
// of the model brought about. A finding is folded only under one of the same target and program that is at least as bad, so
// nothing can hide behind less.
func fold(findings []result.Finding) []result.Finding {
	f := &folding{findings: findings, under: make([]int, len(findings)), echoes: make([]bool, len(findings)), beside: map[programOf][]int{}}
	for i := range f.under {
		f.under[i] = -1
		at := programOf{findings[i].Target, findings[i].Program}
		f.beside[at] = append(f.beside[at], i)
	}
	order := f.order()
	for _, follows := range []func(cause, echo *result.Finding) bool{explains, acrossVariants, samePlace} {
		for _, i := range order {
			f.gather(i, follows)
		}
	}
	return slices.DeleteFunc(f.assemble(), isBare)
}

// folding notes which finding stands under which.
type folding struct {
	findings []result.Finding
	under    []int  // -1: it stands by itself
	echoes   []bool // something stands under it
	beside   map[programOf][]int
}

// programOf is what a finding is about.
type programOf struct{ target, program string }

// order lists findings with causes before effects: by how much follows from their rule, then by how much they tell.
func (f *folding) order() []int {
	list := make([]int, len(f.findings))
	for i := range list {
		list[i] = i
	}
	sort.SliceStable(list, func(a, b int) bool {
		x, y := f.findings[list[a]].Rule, f.findings[list[b]].Rule
		if rules.Reach(x) != rules.Reach(y) {
			return rules.Reach(x) > rules.Reach(y)
		}
		return rules.GrowthRank(x) < rules.GrowthRank(y)
	})
	return list
}

// gather puts what follows from one finding under it.
func (f *folding) gather(i int, follows func(cause, echo *result.Finding) bool) {
	if f.under[i] >= 0 {
		return
	}
	for _, j := range f.beside[programOf{f.findings[i].Target, f.findings[i].Program}] {
		if j != i && f.under[j] < 0 && !f.echoes[j] && alike(&f.findings[i], &f.findings[j]) && follows(&f.findings[i], &f.findings[j]) {
			f.under[j], f.echoes[i] = i, true
		}
	}
}

// alike says whether two findings are about the same program, and the second is no worse. One that is waived stands by itself, and
// takes nothing along that would fail above it.
func alike(cause, echo *result.Finding) bool {
	same := cause.Target == echo.Target && cause.Program == echo.Program && rank[cause.Level] <= rank[echo.Level]
	return same && !echo.Waived && (!cause.Waived || isEcho(cause, echo))
}

// isEcho says whether a finding only says again, in another amount, that something grew against the baseline: no limit is broken.
func isEcho(cause, echo *result.Finding) bool {
	return echo.Rule == cause.Rule && echo.Subject == cause.Subject || echo.Drift && rules.GrowthRank(echo.Rule) >= 0
}

// explains says whether a rule's findings are known to follow from another's.
func explains(cause, echo *result.Finding) bool {
	rule := rules.ByID(cause.Rule)
	return rule != nil && sameVariant(cause, echo) && slices.Contains(rule.Explains, echo.Rule)
}

func sameVariant(a, b *result.Finding) bool {
	return a.Variant == "" || b.Variant == "" || a.Variant == b.Variant
}

// acrossVariants says whether one place of the model broke the same rule in several compilations of a program.
func acrossVariants(cause, echo *result.Finding) bool {
	return cause.Rule == echo.Rule && cause.Subject == echo.Subject && cause.Variant != echo.Variant && causeOf(cause) != "" && causeOf(cause) == causeOf(echo)
}

// samePlace says whether a growth came from the same place of the model. Where no line is known, growth folds under growth only.
func samePlace(cause, echo *result.Finding) bool {
	place := causeOf(cause)
	if rules.GrowthRank(echo.Rule) < 0 || place == "" || place == nowhere && rules.GrowthRank(cause.Rule) < 0 {
		return false
	}
	return sameVariant(cause, echo) && place == causeOf(echo)
}

// nowhere is the place of causes without a source line.
const nowhere = "nowhere"

// causeOf spells the place of a finding's cause: the function of the model; one place where no line is known; "" without a cause.
func causeOf(f *result.Finding) string {
	switch c := f.Cause; {
	case c == nil:
		return ""
	case c.Source.File != "":
		return c.Source.File + "\x00" + c.Source.Function
	default:
		return nowhere
	}
}

func (f *folding) assemble() []result.Finding {
	out := []result.Finding{}
	at := make([]int, len(f.findings))
	for i := range f.findings {
		if f.under[i] < 0 {
			at[i] = len(out)
			out = append(out, f.findings[i])
		}
	}
	for i := range f.findings {
		if f.under[i] >= 0 {
			adopt(&out[at[f.under[i]]], &f.findings[i])
		}
	}
	return out
}

// adopt makes a finding a consequence of another one, which borrows its cause where it has none, or none with a source line.
func adopt(head, f *result.Finding) {
	head.Consequences = append(head.Consequences, result.Consequence{Rule: f.Rule, ID: f.ID, Message: f.Message, AskedAt: f.AskedAt})
	if f.Cause == nil {
		return
	}
	if head.Cause == nil {
		head.Cause = f.Cause
		return
	}
	if head.Cause.Source.File == "" && f.Cause.Source.File != "" && head.Cause.OpName == "" {
		head.Cause.Source, head.Cause.OpName = f.Cause.Source, f.Cause.OpName
	}
}

// isBare says whether a finding says only that the arguments are others: where nothing grew with them, nothing is wrong.
func isBare(f result.Finding) bool {
	return f.Rule == "baseline-present" && f.Subject == rules.ArgumentsSubject && len(f.Consequences) == 0
}
