package change

import (
	"cmp"
	"path"
	"slices"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/explain"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/git"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/result"
)

// place is where a change was made.
type place struct {
	source result.Source
	opName string
	place  string // what tells it from other places, the same from commit to commit: a function, not a line
}

// placeOf finds where the model was edited for a root of the differences: at the edited line that most of what came passes through; else at an
// edited line that no operation passes through, such as an option or a constant; else where the root itself is.
func placeOf(c *diff.Cause, v *diff.Variant, edits *git.Edits) place {
	own := c.Place()
	at := place{source: explain.SourceOf(own.Source), opName: own.OpName}
	if line, ok := editedLine(c, edits); ok {
		at.source = edited(line, edits)
	} else if line, ok := untraced(v, own.Source, edits); ok && c.Kind != result.KindToolchain {
		at.source = edited(line, edits)
	} else {
		at.source.Text = edits.Text(own.Source.File, int(own.Source.Line))
	}
	if at.place = at.source.File + "\x00" + at.source.Function; at.source.File == "" {
		at.place = at.opName
	}
	return at
}

// sourceOf is the place that a finding names by itself.
func (g *grouping) sourceOf(f *Finding) result.Source {
	s := f.Cause.Source
	s.Text = g.target.Edits.Text(s.File, s.Line)
	if h, hit := g.target.Edits.At(s.File, s.Line); hit {
		s.File, s.Edited = h.File, true
	} else if line, found := g.untracedBy(f); found && kindOf(f.Cause) == result.KindArguments {
		return edited(line, g.target.Edits)
	}
	return s
}

// edited is an edited line, in a file that is called what the repository calls it.
func edited(l hlo.Location, edits *git.Edits) result.Source {
	s := explain.SourceOf(l)
	if h, ok := edits.At(l.File, int(l.Line)); ok {
		s.File = h.File
	}
	s.Edited, s.Text = true, edits.Text(l.File, int(l.Line))
	return s
}

// editedLine is the innermost edited line on the stacks of what came: the one with the most work behind it where there are several.
func editedLine(c *diff.Cause, edits *git.Edits) (hlo.Location, bool) {
	work := map[hlo.Location]float64{}
	var order []hlo.Location
	weigh := func(stack []hlo.Location, by float64) {
		at := slices.IndexFunc(stack, func(l hlo.Location) bool { _, hit := edits.At(l.File, int(l.Line)); return hit })
		if at < 0 {
			return
		}
		line := stack[at]
		line.Column = 0
		if work[line] == 0 {
			order = append(order, line)
		}
		work[line] += by
	}
	if edits == nil {
		return hlo.Location{}, false
	}
	for i := range c.After {
		k := &c.After[i]
		weigh(k.Frames(), 1+float64(k.Flops+k.Bytes)*float64(max(k.Times, 1)))
	}
	for i := range c.Edits {
		weigh(c.Edits[i].Stack, 1)
	}
	if len(order) == 0 {
		return hlo.Location{}, false
	}
	return slices.MaxFunc(order, func(a, b hlo.Location) int { return cmp.Compare(work[a], work[b]) }), true
}

// untracedBy is an edited line that no operation of a finding's program passes through: what hands its arguments over, say.
func (g *grouping) untracedBy(f *Finding) (hlo.Location, bool) {
	for _, p := range g.target.Programs {
		if p.Name != f.Program || p.New == nil || g.target.Edits == nil {
			continue
		}
		for _, v := range p.Variants {
			if v.New != nil {
				return untraced(v, hlo.Location{File: f.Cause.Source.File}, g.target.Edits)
			}
		}
	}
	return hlo.Location{}, false
}

// untraced is an edited line that no operation of the program passes through: the one in the root's own file before others.
func untraced(v *diff.Variant, near hlo.Location, edits *git.Edits) (hlo.Location, bool) {
	var best *git.Hunk
	hunks := edits.Hunks()
	traced := map[git.Hunk]bool{}
	forEachStack(v.New, func(stack []hlo.Location) {
		for _, l := range stack {
			if h, hit := edits.At(l.File, int(l.Line)); hit {
				traced[h] = true
			}
		}
	})
	for i := range hunks {
		h := &hunks[i]
		if traced[*h] || !h.Code {
			continue
		}
		if best == nil || path.Base(best.File) != path.Base(near.File) && path.Base(h.File) == path.Base(near.File) {
			best = h
		}
	}
	if best == nil {
		return hlo.Location{}, false
	}
	return hlo.Location{File: best.File, Line: int32(best.First), Function: best.Function}, true
}

func forEachStack(v *facts.Variant, visit func([]hlo.Location)) {
	for i := range v.Kernels {
		visit(v.Kernels[i].Frames())
	}
	for i := range v.Model {
		visit(v.Model[i].Frames())
	}
}
