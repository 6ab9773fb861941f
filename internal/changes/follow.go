package changes

import (
	"maps"
	"slices"

	"github.com/xlagate/xlagate/internal/git"
	"github.com/xlagate/xlagate/internal/hlo"
)

// placeAtEdit puts causes without an edited line at the weightiest edit of the variant, unless another compiler may be their cause. A lost donation follows
// only if the caller still gives the buffers away, so that the edit left no result for them. Without such an edit, a result of another shape stands at an
// edited line that no operation is on, and operations that are gone at the edit of the function that they were in.
//
// An edit that sets nothing, in a function without operations, is only a guess. Beside an edit that operations pass through it is no place of operations that
// only have another type, of kernels of the same operations, nor of operations that are gone, if both edits are in one file.
func (g *Grouping) placeAtEdit(v *Variant, parts []*Part) {
	edit := slices.IndexFunc(parts, func(p *Part) bool { return p.Kind == KindCode && p.Source.Edited && !g.isUntraced(p) })
	guessed := func(p *Part) bool {
		c, at := p.Cause, slices.IndexFunc(g.untraced, p.isAt)
		if edit < 0 || at < 0 || g.untraced[at].Sets() || g.computes(g.untraced[at]) {
			return false
		}
		return len(c.Edits) == 0 || c.onlyTypes() || c.onlyGone() && p.Source.File == parts[edit].Source.File
	}
	if edit < 0 {
		edit = slices.IndexFunc(parts, func(p *Part) bool { return p.Kind == KindCode && p.Source.Edited })
	}
	if len(v.Compiler) > 0 {
		return
	}
	if edit < 0 {
		for _, p := range parts {
			var at hlo.Location
			switch {
			case p.Source.Edited:
			case p.Kind == KindResults && v.reshapesResults():
				at, _ = g.elsewhere(p.Cause, v)
			case p.Kind == KindCode:
				at = g.editOfGone(p.Cause)
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
		if follows && (!p.Source.Edited || guessed(p)) {
			p.Source, p.OpName, p.at = parts[edit].Source, parts[edit].OpName, parts[edit].at
		}
	}
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
	return len(count) > 0 && !slices.ContainsFunc(slices.Collect(maps.Values(count)), func(n int) bool { return n != 0 })
}

// onlyGone reports whether operations went, and none came.
func (c *Cause) onlyGone() bool {
	return !slices.ContainsFunc(c.Edits, func(e Edit) bool { return len(e.Added) > 0 })
}

// retypes are the types, before and now, of arguments that the part is about, or that all it computes follows from: "bf16 → f32".
func (p *Part) retypes() (types []string) {
	if p.Cause == nil || p.Kind != KindArguments && p.Kind != KindCode {
		return nil
	}
	for was, is := range p.variant.KeptParams {
		old, fresh := hlo.ShapeText(was.Shape), hlo.ShapeText(is.Shape)
		if old.SameDims(fresh) && old.Type() != fresh.Type() && (p.Kind == KindArguments || p.Cause.retypes(old.Type(), fresh.Type())) {
			types = AddNew(types, old.Type()+" → "+fresh.Type())
		}
	}
	return types
}

// retypes reports whether all that came is in one type, and all that went in another, but for conversions.
func (c *Cause) retypes(was, is string) bool {
	in := func(steps []Step, dtype string) bool {
		return !slices.ContainsFunc(steps, func(s Step) bool { return s.Opcode != "convert" && s.Type != dtype })
	}
	return len(c.Edits) > 0 && !slices.ContainsFunc(c.Edits, func(e Edit) bool { return !in(e.Removed, was) || !in(e.Added, is) })
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
