package changes

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/git"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
)

// findUntraced finds the silent edits, on whose lines there is no operation, and chooses those of them that may cause what no edited line explains: the edits
// in files that operations come from. Else it chooses the only edit of code besides options of the compilation, unless that is in a new file, which the code
// that was there before cannot use.
// If the dump has no lines, it chooses all edits, provided that they are in one function. If the model is in other repositories, or if more than one thing is
// to be explained, it chooses none.
// It chooses those outside of the functions that have operations a second time, as if nothing else were edited: they may cause other arguments.
func (g *Grouping) findUntraced() {
	hunks := g.lines.Code
	traced, named, files, frames := map[string]bool{}, map[git.Hunk]bool{}, map[string]bool{}, g.frames()
	for _, l := range frames {
		file := g.lines.Edits.File(l.File)
		files[file], g.computing[file+"\x00"+lastName(l.NamedFunction())] = true, true
		if h, hit := g.lines.Edits.At(l.File, int(l.Line)); hit {
			if !named[h] {
				g.passed = append(g.passed, withoutColumn(l))
			}
			traced[editOfHunk(h)], named[h] = true, true
		}
	}
	g.silent = phrase.Filter(hunks, func(h git.Hunk) bool { return !named[h] })
	hunks = phrase.Filter(hunks, func(h git.Hunk) bool { return files[h.File] || !h.OfTests() })
	switch {
	case len(hunks) == 0 || g.unexplained() > 1:
		return
	case len(frames) == 0: // the dump has no lines
		first := hunks[0]
		if !slices.ContainsFunc(hunks, func(h git.Hunk) bool { return !h.Python() || h.File != first.File || h.Function != first.Function }) {
			g.untraced = hunks
		}
		return
	}
	delete(files, "")
	choose := func(hunks []git.Hunk) []git.Hunk {
		only := func(h git.Hunk) bool {
			return h.OldFile != "" && len(files) > 0 && !slices.ContainsFunc(hunks, func(other git.Hunk) bool { return other != h && !other.Compiles() })
		}
		return phrase.Filter(hunks, func(h git.Hunk) bool { return !traced[editOfHunk(h)] && (files[h.File] || only(h)) })
	}
	g.untraced = choose(hunks)
	g.outside = choose(phrase.Filter(hunks, func(h git.Hunk) bool { return !g.computes(h) }))
}

// computes reports whether the function of an edit has operations.
func (g *Grouping) computes(h git.Hunk) bool { return g.computing[h.File+"\x00"+lastName(h.Function)] }

// unexplained counts what differs in code that no edit is in or around. An edit elsewhere explains one of these:
//   - The model differs, by itself or with its arguments.
//   - The model is called once more, unless the call takes results of another call that differ.
//   - The caller keeps buffers that it gave away, unless an option of the compilation was edited.
//
// The last two do not count if the arguments differ, because they may follow from that.
func (g *Grouping) unexplained() (n int64) {
	hunks := g.lines.Code
	apart := func(stack ...hlo.Location) bool {
		stack = slices.DeleteFunc(slices.Clone(stack), func(l hlo.Location) bool { return g.lines.Edits.File(l.File) == "" })
		return len(stack) > 0 && !slices.ContainsFunc(stack, func(l hlo.Location) bool {
			_, edited := g.lines.Edits.At(l.File, int(l.Line))
			return edited || slices.ContainsFunc(hunks, func(h git.Hunk) bool { return isIn(l, h, g.lines.Edits) })
		})
	}
	var model, argued, called, kept bool
	for _, p := range g.programs {
		for _, v := range p.Variants {
			called = called || v.Old == nil && p.Old != nil && !p.feedsItself(v.New) && apart(v.New.CallSite)
			for i := range v.Causes {
				switch c := &v.Causes[i]; {
				case c.Kind == KindToolchain || !apart(linesThrough(c)...):
				case c.Kind == KindDonation && !v.StillDonated():
					kept = true
				case c.Kind == KindArguments || c.Kind == KindSharding:
					argued = true
				default:
					model = true
				}
			}
		}
	}
	says := slices.ContainsFunc(hunks, func(h git.Hunk) bool { return h.Compiles() })
	return Flag(model || argued) + Flag(called && !argued) + Flag(kept && !says && !argued)
}

// feedsItself reports whether a variant of a program takes results of another variant that are not what they were: a state that comes back in another type.
func (p *Program) feedsItself(fresh *facts.Variant) bool {
	return slices.ContainsFunc(p.Variants, func(v *Variant) bool {
		return slices.ContainsFunc(v.LostResults(), func(l LostResult) bool {
			return slices.ContainsFunc(fresh.Params, func(a facts.Parameter) bool { return a.Shape == l.Is })
		})
	})
}

// elsewhere returns an edited line that no operation passes through. It prefers an option of the compilation if donation is what changed, and any other line if
// not, then a line of the cause's own file, of its own function, and one that sets a name which a line uses that the cause passes through.
// What a program computes does not follow from an option of the compilation. If it takes the same arguments as before, it does not follow from a line that only
// makes one of them, such as "batch = next(train)". These lines are left out, unless nothing else was edited: "state = create(optimizer)" hands over what the
// program calls.
func (g *Grouping) elsewhere(c *Cause, v *Variant) (hlo.Location, bool) {
	near, kind := c.Source, c.Kind
	hunks := g.untraced
	if kind == KindArguments && len(g.outside) > 0 {
		hunks = g.outside
	}
	leaveOut := func(needless func(git.Hunk) bool) {
		others := phrase.Filter(hunks, func(h git.Hunk) bool { return !needless(h) })
		if len(others) > 0 || len(hunks) < len(g.lines.Code) {
			hunks = others
		}
	}
	leaveOut(func(h git.Hunk) bool { // the head of a class computes nothing
		l := lineOf(h, g.lines.Edits)
		return strings.HasPrefix(g.lines.Edits.Text(l.File, int(l.Line), ""), "class ")
	})
	if kind == KindCode && v != nil {
		leaveOut(func(h git.Hunk) bool { return h.Compiles() })
		if len(c.Edits) > 0 { // another float is another constant, in the same operations
			leaveOut(func(h git.Hunk) bool { return h.OnlyFloats })
		}
		if call := v.New.CallSite; len(v.Params) == 0 {
			text := g.lines.Edits.Text(call.File, int(call.Line), "")
			leaveOut(func(h git.Hunk) bool { return h.Hands(text) })
		}
	}
	if len(hunks) == 0 {
		return hlo.Location{}, false
	}
	var lines strings.Builder // that the cause passes through
	if len(hunks) > 1 {
		for _, l := range linesThrough(c) {
			lines.WriteString(g.lines.Edits.Text(l.File, int(l.Line), "") + "\n")
		}
	}
	used, taken := git.NamesIn(lines.String()), map[string]bool{} // the names of the arguments that differ
	if kind == KindArguments && v != nil {
		for _, p := range v.Params {
			names := strings.FieldsFunc(p.Name, func(r rune) bool { return strings.ContainsRune("[]().'\"", r) })
			if len(names) > 0 {
				taken[names[len(names)-1]] = true
			}
		}
	}
	h := slices.MaxFunc(hunks, func(a, b git.Hunk) int {
		fits := func(h git.Hunk) int64 {
			return 32*Flag(h.Compiles() == (kind == KindDonation)) + 16*Flag(h.Names(taken)) + 8*Flag(path.Base(h.File) == path.Base(near.File)) +
				4*Flag(h.Function != "" && isIn(near, h, g.lines.Edits)) + 2*Flag(h.SetsAny(used)) + Flag(h.Lines > 0)
		}
		return cmp.Compare(fits(a), fits(b))
	})
	return lineOf(h, g.lines.Edits), true
}

// linesThrough lists the lines that a cause passes through.
func linesThrough(c *Cause) []hlo.Location {
	stack := []hlo.Location{c.Source}
	for i := range c.Edits {
		stack = append(stack, c.Edits[i].Stack...)
	}
	for i := range c.After {
		stack = append(stack, c.After[i].Frames()...)
	}
	return stack
}
