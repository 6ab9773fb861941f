package changes

import (
	"slices"

	"github.com/xlagate/xlagate/internal/git"
	"github.com/xlagate/xlagate/internal/hlo"
)

// placeAtEdit puts causes without an edited line, and those whose line is a guess, at the weightiest edit of the variant, unless another compiler may be their
// cause. A lost donation follows only if the caller still gives the buffers away, so that the edit left no result for them. Without such an edit, a result of
// another shape stands at an edited line that no operation is on, operations that are gone at the edit of the function that they were in, and kernels of the same
// operations at the only edit that operations pass through.
func (g *Grouping) placeAtEdit(v *Variant, parts []*Part) {
	edited := func(p *Part) bool { return p.Kind == KindCode && p.Source.Edited }
	edit := slices.IndexFunc(parts, func(p *Part) bool { return edited(p) && !g.isUntraced(p) })
	passed := edit >= 0 // operations pass through it
	if !passed {
		edit = slices.IndexFunc(parts, edited)
	}
	if len(v.Compiler) > 0 {
		return
	}
	argued := slices.IndexFunc(parts, func(p *Part) bool { return p.Kind == KindArguments && p.Source.Edited && len(p.given) > 0 })
	for _, p := range parts {
		if argued >= 0 && p.Kind == KindCode && p.Cause.arranges() && (!p.Source.Edited || g.isUntraced(p)) { // what moves data follows from the shapes that it moves
			p.Source, p.OpName, p.at = parts[argued].Source, parts[argued].OpName, parts[argued].at
		}
	}
	if edit < 0 {
		for _, p := range parts {
			var at hlo.Location
			switch {
			case p.Source.Edited:
			case p.Kind == KindResults && v.reshapesResults():
				at, _ = g.elsewhere(p.Cause, v)
			case p.Kind == KindCode && len(p.Cause.Edits) == 0 && len(g.passed) == 1: // only kernels differ, so no line of theirs tells
				at = g.passed[0]
			case p.Kind == KindCode:
				at, _ = g.editOfGone(p.Cause)
			}
			if at.File != "" {
				p.Source = g.editedAt(at)
				p.at = FunctionOf(p.Source)
			}
		}
		return
	}
	for _, p := range parts {
		follows := p.Kind == KindCode || p.Kind == KindResults || p.Kind == KindDonation && v.StillDonated()
		if follows && (!p.Source.Edited || passed && g.isGuess(p, parts[edit])) {
			p.Source, p.OpName, p.at = parts[edit].Source, parts[edit].OpName, parts[edit].at
		}
	}
}

// isGuess reports whether a part stands at an edit that sets nothing, in a function without operations, although it may follow from an edit that operations pass
// through. Operations that only have another type do, and kernels of the same operations; so do operations that are gone, if the edits are in one file.
func (g *Grouping) isGuess(p, edit *Part) bool {
	at := slices.IndexFunc(g.untraced, p.isAt)
	if at < 0 || g.untraced[at].Sets() || g.computes(g.untraced[at]) {
		return false
	}
	return len(p.Cause.Edits) == 0 || p.Cause.onlyTypes() || p.Cause.onlyGone() && p.Source.File == edit.Source.File
}

// onlyTypes reports whether the operations that came are those that went, in other types, but for conversions.
func (c *Cause) onlyTypes() bool {
	count := map[string]int{}
	for _, e := range c.Edits {
		for _, s := range e.Added {
			count[s.Opcode] += s.Count
		}
		for _, s := range e.Removed {
			count[s.Opcode] -= s.Count
		}
	}
	delete(count, "convert")
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return len(count) > 0
}

// onlyGone reports whether operations went, and none came.
func (c *Cause) onlyGone() bool {
	return !slices.ContainsFunc(c.Edits, func(e Edit) bool { return len(e.Added) > 0 })
}

// retypes are the types, before and now, of arguments that the part is about, or that all it computes follows from: "bf16 → f32".
func (p *Part) retypes() (types []string) {
	if p.Cause == nil || p.Kind != KindArguments && (p.Kind != KindCode || len(p.Cause.Edits) == 0) {
		return nil
	}
	for was, is := range p.variant.KeptParams {
		old, fresh := hlo.ShapeText(was.Shape), hlo.ShapeText(is.Shape)
		if old.SameDims(fresh) && old.Type() != fresh.Type() && (p.Kind == KindArguments || p.Cause.onlyRetypes(old.Type(), fresh.Type())) {
			types = AddNew(types, old.Type()+" → "+fresh.Type())
		}
	}
	return types
}

// onlyRetypes reports whether all that came is in one type, and all that went in another, but for conversions.
func (c *Cause) onlyRetypes(was, is string) bool {
	in := func(steps []Step, dtype string) bool {
		return !slices.ContainsFunc(steps, func(s Step) bool { return s.Opcode != "convert" && s.Type != dtype })
	}
	return !slices.ContainsFunc(c.Edits, func(e Edit) bool { return !in(e.Removed, was) || !in(e.Added, is) })
}

// setsType reports whether the edit of a part, which no operation passes through, sets a name that the line of the variant's arguments uses: that of their type.
func (g *Grouping) setsType(p *Part) bool {
	at := slices.IndexFunc(g.untraced, p.isAt)
	return at >= 0 && slices.ContainsFunc(g.Parts, func(of *Part) bool {
		line := of.Source
		return of.Kind == KindArguments && of.variant == p.variant && g.untraced[at].SetsAny(git.NamesIn(g.lines.Edits.Text(line.File, line.Line, "")))
	})
}

// isUntraced reports whether a part is at an edited line that no operation passes through.
func (g *Grouping) isUntraced(p *Part) bool {
	return slices.ContainsFunc(g.untraced, p.isAt)
}

// isAt reports whether an edit is the place of a part.
func (p *Part) isAt(h git.Hunk) bool {
	return p.Source.Edited && h.File == p.Source.File && h.First == p.Source.Line
}
