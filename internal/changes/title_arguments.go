package changes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
)

// argumentsTitle says which arguments have other shapes or types, came or went. follow reports that they only came or went, with an edit of the model.
func argumentsTitle(v *Variant) (text string, follow bool) {
	var parts []string
	var come, gone []*facts.Parameter
	var reshaped []ParamChange
	for _, p := range v.Params {
		switch {
		case p.Old == nil:
			if !readByEdits(v, p.New) && !bakedIn(&Variant{Old: v.New, New: v.Old}, p.New) {
				come = append(come, p.New)
			}
		case p.New == nil:
			if !readByEdits(v, p.Old) && !bakedIn(v, p.Old) {
				gone = append(gone, p.Old)
			}
		case p.Old.Shape != p.New.Shape:
			reshaped = append(reshaped, p)
		case p.Old.Constant != p.New.Constant:
			parts = append(parts, fmt.Sprintf("%s: %s → %s", p.Name, p.Old.Constant, p.New.Constant))
		}
	}
	parts = append(reshapedTitles(reshaped, countedNames(v.New.Params)), parts...)
	follow = len(parts) == 0 && len(come)+len(gone) > 0 && len(v.Model.Edits) > 0
	had, has := namesOf(v.Old.Params), namesOf(v.New.Params)
	for _, tree := range treesOf(come) {
		parts = append(parts, tree.said("new", had))
	}
	for _, tree := range treesOf(gone) {
		parts = append(parts, tree.said("gone", has))
	}
	return strings.Join(phrase.Within(parts, 4), "; "), follow
}

// reshapedTitles says what arguments became, those in one that became the same or, in another type, as large: "params['up'] and 7 more: f32[64,256] → f32[64,512]".
// Numbers are no names: "2 arguments: f32[64,256] → f32[64,512]".
func reshapedTitles(list []ParamChange, counted bool) []string {
	became := func(p ParamChange) string {
		was, is := hlo.ShapeText(p.Old.Shape), hlo.ShapeText(p.New.Shape)
		if was.Type() == is.Type() {
			return fmt.Sprint(was.Dims(), is.Dims())
		}
		return p.Old.Shape + p.New.Shape
	}
	parts, rest := retypedTrees(list)
	for _, alike := range phrase.Group(rest, became) {
		first := slices.MinFunc(alike, func(a, b ParamChange) int { return cmp.Compare(len(a.Name), len(b.Name)) })
		name := first.Name
		if n := len(alike) - 1; counted {
			name = phrase.Some(n+1, "argument")
		} else if n > 0 {
			name += fmt.Sprintf(" and %d more", n)
		}
		parts = append(parts, fmt.Sprintf("%s: %s → %s", name, first.Old.Shape, first.New.Shape))
	}
	return parts
}

// retypedTrees says which whole trees of arguments have another type, "state.mu (16 arrays, 768.0 KiB): bf16 → f32", and returns the arguments that are in none.
func retypedTrees(list []ParamChange) (parts []string, rest []ParamChange) {
	retyped := func(p ParamChange) string { // "" for one of other sizes
		was, is := hlo.ShapeText(p.Old.Shape), hlo.ShapeText(p.New.Shape)
		if slices.Equal(was.Dims(), is.Dims()) {
			return was.Type() + " → " + is.Type()
		}
		return ""
	}
	told := map[*facts.Parameter]bool{}
	for _, alike := range phrase.Group(list, retyped) {
		types := retyped(alike[0])
		for _, t := range treesOf(phrase.Map(alike, func(p ParamChange) *facts.Parameter { return p.New })) {
			if types == "" || len(t.leaves) == 1 {
				continue
			}
			parts = append(parts, t.String()+": "+types)
			for _, p := range t.leaves {
				told[p] = true
			}
		}
	}
	return parts, phrase.Filter(list, func(p ParamChange) bool { return !told[p.New] })
}

// renamedTitle says what arguments are called now: "state['opt'] is called state.opt", "state[0] is in another order"; "" if they have their names.
func renamedTitle(v *Variant) string {
	var parts []string
	for old, fresh := range v.KeptParams {
		if list := listOf(old.Name); list != "" && list == listOf(fresh.Name) && old.Name != fresh.Name {
			parts = AddNew(parts, list+" is in another order")
		} else if old.Name != fresh.Name && !(old.Captured && unnumbered(old.Name) == unnumbered(fresh.Name)) {
			was, is := withoutCommonEnd(old.Name, fresh.Name)
			parts = AddNew(parts, fmt.Sprintf("%s is called %s", was, is))
		}
	}
	return strings.Join(phrase.Within(parts, 4), ", ")
}

// withoutCommonEnd cuts off the last steps that the paths of two arrays have in common.
func withoutCommonEnd(a, b string) (string, string) {
	n := 0
	for n < min(len(a), len(b)) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	end := a[len(a)-n:]
	if at := strings.IndexAny(end, "[."); at >= 0 {
		end = end[at:]
		return strings.TrimSuffix(a, end), strings.TrimSuffix(b, end)
	}
	return a, b
}

// readByEdits reports whether an argument comes or goes because of an edit: the framework, not the model, passes captured and unnamed ones to the operations
// that read them.
func readByEdits(v *Variant, p *facts.Parameter) bool {
	return len(v.Model.Edits) > 0 && (p.Captured || countedNames(v.Old.Params) && countedNames(v.New.Params))
}
