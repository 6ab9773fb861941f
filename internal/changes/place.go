package changes

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/git"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
)

// Place is a line of the model.
type Place struct {
	File     string
	Line     int
	Function string
	Text     string // the line itself, where the file is there; "- donate_argnums=1" where only that line was removed
	Edited   bool   // git says that the line was edited
}

// Lines are what git says was edited. Without them nothing was.
type Lines struct {
	Edits *git.Edits // nil where git does not tell
	Code  []git.Hunk // the edits of code of the model
}

// EditOf names the edit that a line is part of, in one function with those in it; "" for a line that was not edited.
func EditOf(l hlo.Location, edits *git.Edits) string {
	h, hit := edits.At(l.File, int(l.Line))
	if !hit {
		return ""
	}
	function := l.NamedFunction()
	if strings.HasSuffix(h.Function, "."+function) { // TensorFlow, PyTorch and old Pythons name a function without what is around it
		function = h.Function
	}
	function, _, _ = strings.Cut(function, ".<locals>.")
	return fmt.Sprintf("%s:%d:%s", h.File, h.Edit, function)
}

// place finds where the model was edited for a cause: the edited line of the program that most of the new work passes through, or that the cause itself is on;
// else an edited line that no operation passes through, such as a return, an option or a constant; else an edited line of the code that calls the program; else
// the cause's own line.
func (g *Grouping) place(p *Part) {
	c := p.Cause
	p.Source, p.OpName = g.named(c.Source), c.OpName
	inside, called := g.editedLine(c, p.Program, p.variant)
	silent, found := g.elsewhere(c, p.variant)
	options, compiled := g.compileOptions(p)
	policy, remats := g.checkpointPolicy(c)
	var gone hlo.Location
	var sure bool
	if c.Kind == KindCode && c.onlyGone() {
		gone, sure = g.editOfGone(c)
	}
	switch {
	case compiled:
		p.Source = g.editedAt(options)
	case remats:
		p.Source = g.editedAt(policy)
	case sure && (inside.File == "" || isSameFunction(gone.Function, inside.NamedFunction())): // what came in another function tells more
		p.Source = g.editedAt(gone)
	case c.Exact && EditOf(c.Source, g.lines.Edits) != "":
		p.Source = g.editedAt(c.Source)
	case inside.File != "":
		p.Source = g.editedAt(inside)
	case found && c.Kind != KindToolchain && c.Kind != KindResults:
		p.Source = g.editedAt(silent)
	case called.File != "":
		p.Source = g.editedAt(called)
	default:
		p.Source.Text = g.text(c.Source)
	}
	if p.at = FunctionOf(p.Source); p.Source.File == "" {
		p.at = p.OpName
	}
}

// FunctionOf names a place the same from commit to commit and from machine to machine: by its function, not its line, and without the folder of the
// checkout.
func FunctionOf(s Place) string {
	return path.Base(s.File) + "\x00" + hlo.Location{Function: s.Function}.NamedFunction()
}

// sourceOf is the place that a finding names: the edited line behind it, where git knows one, else its own.
func (g *Grouping) sourceOf(c *Cause, program string) Place {
	inside, called := g.editedLine(c, program, nil)
	if line := cmp.Or(inside, called); line.File != "" {
		return g.editedAt(line)
	}
	s := g.named(c.Source)
	if line, found := g.elsewhere(&Cause{Kind: c.Kind, Source: hlo.Location{File: s.File}}, nil); found && (KindOf(c) == KindArguments && g.compilations[program] > 0 || len(c.After) > 0) {
		return g.editedAt(line) // what hands the arguments over, or calls a new program
	}
	s.Text = g.text(c.Source)
	return s
}

// editOfHunk names the edit that lines are part of, in whatever functions.
func editOfHunk(h git.Hunk) string { return fmt.Sprintf("%s:%d", h.File, h.Edit) }

// named is a place in a file that is called what the repository calls it: a dump that was made elsewhere names it by a path of that machine.
func (g *Grouping) named(l hlo.Location) Place {
	s := PlaceOf(l)
	s.File = cmp.Or(g.lines.Edits.File(l.File), l.File)
	return s
}

// text is a line of the model that was not edited. A file is not quoted where a line that the dump names is no code of its function: the file is not the one
// that ran, such as one whose edit was taken back.
func (g *Grouping) text(l hlo.Location) string {
	edits := g.lines.Edits
	if g.misfits == nil {
		g.misfits = map[string]bool{}
		for _, named := range g.frames() {
			if text := edits.Text(named.File, int(named.Line), named.Function); text == "" || text[0] == '#' { // of a file elsewhere there is none
				g.misfits[edits.File(named.File)] = true
			}
		}
	}
	if g.misfits[edits.File(l.File)] {
		return ""
	}
	return edits.Text(l.File, int(l.Line), l.Function)
}

// frames are the lines that the operations of a target pass through, each once.
func (g *Grouping) frames() []hlo.Location {
	seen := map[hlo.Location]bool{}
	var frames []hlo.Location
	for _, p := range g.programs {
		for _, v := range p.Variants {
			for _, l := range v.New.Frames() {
				if !seen[l] {
					seen[l], frames = true, append(frames, l)
				}
			}
		}
	}
	return frames
}

// lastName is a function's own name: a dump may name it with or without what is around it.
func lastName(function string) string { return function[strings.LastIndexByte(function, '.')+1:] }

// editedAt is an edited line, in a file that is called what the repository calls it.
func (g *Grouping) editedAt(l hlo.Location) Place {
	s := PlaceOf(l)
	h, edited := g.lines.Edits.At(l.File, int(l.Line))
	if edited {
		s.File = h.File
	}
	s.Edited, s.Text = true, cmp.Or(h.Removed(), g.lines.Edits.Text(l.File, int(l.Line), "")) // an edited line is in the file that was run; of a stale dump there is a note
	return s
}

// editedLine returns the edited line on the stacks of what came; of several, the one whose kernels take longest, among those of the operations that a title names
// first. See innermostEdit. Without any line it returns the cause's own line, if that was edited.
// A line of the code that calls the program is returned as called, and only if nothing inside of the program was edited: no line, and no code that no operation
// is on, such as a return.
func (g *Grouping) editedLine(c *Cause, program string, v *Variant) (inside, called hlo.Location) {
	if g.lines.Edits == nil {
		return inside, called
	}
	var call hlo.Location
	var prices []facts.Priced
	if v != nil {
		call, prices = v.New.CallSite, pricesOf(v.New, c.After)
	}
	if c.grown != nil { // whichever edit makes it larger
		anyEdit := *c
		anyEdit.Edit = ""
		c = &anyEdit
	}
	work, outer := map[hlo.Location]float64{}, map[hlo.Location]float64{}
	weigh := func(stack []hlo.Location, by float64) {
		host := slices.IndexFunc(stack, func(l hlo.Location) bool { return call.File != "" && sameLine(l, call) })
		if host < 0 {
			host = len(stack)
		}
		if l := g.innermostEdit(c, stack[:host]); l.File != "" {
			work[l] += by
		} else if at := slices.IndexFunc(stack[host:], func(l hlo.Location) bool { return g.isEditOf(c, l) }); at >= 0 {
			outer[withoutColumn(stack[host+at])] += by
		}
	}
	weighEdits := func(least int) {
		for i := range c.Edits {
			if c.Edits[i].lead() >= least {
				weigh(c.Edits[i].Stack, 1+float64(c.Edits[i].effort()))
			}
		}
	}
	first := 0
	for i := range c.Edits {
		first = max(first, c.Edits[i].lead())
	}
	if weighEdits(first); len(work) == 0 { // the title begins with these
		weighEdits(0)
	}
	if c.grown != nil {
		weigh(c.grown.Frames(), 1+4*float64(effort("dot")))
	}
	differ := maps.Clone(work)
	for i := range c.After {
		k := &c.After[i]
		by := float64(k.Flops+k.Bytes) * k.Runs()
		if prices != nil {
			by = prices[i].NS()
		}
		weigh(k.Frames(), 1+by)
	}
	if c.grown != nil { // what follows a product does not make it larger, unless nothing comes before it
		at, before := c.grown.Source, maps.Clone(work)
		maps.DeleteFunc(before, func(l hlo.Location, _ float64) bool {
			return l.File == at.File && l.Function == at.Function && l.Line > at.Line
		})
		if len(before) > 0 {
			work = before
		}
	}
	most := 0.0
	for l := range work {
		most = max(most, differ[l])
	}
	// An edited line that adds little is no place: where a product returns f32, the line behind it converts that to bf16.
	maps.DeleteFunc(work, func(l hlo.Location, _ float64) bool { return differ[l] < most/8 })
	if len(work)+len(outer) == 0 {
		if _, hit := g.lines.Edits.At(c.Source.File, int(c.Source.Line)); hit && call.File != "" && sameLine(c.Source, call) {
			return inside, c.Source
		} else if hit {
			return c.Source, called
		}
		if c.Kind == KindResults {
			inside = g.returned(c.Source, program)
		}
		return inside, called
	}
	return mostWork(work), mostWork(outer)
}

// isEditOf reports whether a line was edited, by the edit of a cause if that is known.
func (g *Grouping) isEditOf(c *Cause, l hlo.Location) bool {
	edit := EditOf(l, g.lines.Edits)
	return edit != "" && (c.Edit == "" || c.Edit == edit)
}

// innermostEdit returns the innermost edited line of a stack; none if there is no such line. A line in a function of the stack, such as "w = p["w"]" without its cast,
// counts if the lines up to its function use what it binds and the cause does not only move data, else only if no operation is on it and there is no other.
func (g *Grouping) innermostEdit(c *Cause, stack []hlo.Location) (silent hlo.Location) {
	for at, l := range stack {
		if g.isEditOf(c, l) {
			return withoutColumn(l)
		}
		for _, h := range g.silent {
			if h.Function == "" || !isIn(l, h, g.lines.Edits) || h.Compiles() && c.Kind == KindCode {
				continue
			}
			if silent.File == "" {
				silent = lineOf(h, g.lines.Edits)
			}
			if g.isUsed(h, stack[:at+1]) {
				return silent
			}
		}
		for i, h := range g.lines.Code {
			if !isIn(l, h, g.lines.Edits) || c.arranges() {
				continue
			}
			if e := g.code[i]; e.name != "" && (c.Edit == "" || c.Edit == e.name) && g.isUsed(h, stack[:at+1]) {
				return e.line
			}
		}
	}
	return silent
}

// arranges reports whether all that came and went with a cause moves data: what a loop reads in each step follows from what is computed there.
func (c *Cause) arranges() bool {
	moves := func(s Step) bool { return movesData(s) || stacks(s) }
	return len(c.Edits) > 0 && !slices.ContainsFunc(c.Edits, func(e Edit) bool {
		return slices.ContainsFunc(slices.Concat(e.Added, e.Removed), func(s Step) bool { return !moves(s) })
	})
}

// isUsed reports whether one of some lines uses a name that an edit may bind.
func (g *Grouping) isUsed(h git.Hunk, lines []hlo.Location) bool {
	return slices.ContainsFunc(lines, func(l hlo.Location) bool {
		key := use{h.File, h.First, h.OldFirst, withoutColumn(l)}
		is, known := g.uses[key]
		if !known {
			is = h.IsUsedIn(g.lines.Edits.Text(l.File, int(l.Line), ""))
			g.uses[key] = is
		}
		return is
	})
}

// use is an edit, and a line that may use what it binds.
type use struct {
	file            string
	first, oldFirst int // of the edit
	line            hlo.Location
}

// returned is the edited return of the program's own function, if only one function has its name; else the edited line without operations in the function that
// a result is made in: of a return, else of an assignment; else the only edited assignment in the program's own function; nothing for others.
func (g *Grouping) returned(result hlo.Location, program string) (at hlo.Location) {
	program, _ = facts.Numbered(program)
	own := func(rank int) (at hlo.Location, found bool) {
		hunks := phrase.Filter(g.lines.Code, func(h git.Hunk) bool {
			return isSameFunction(h.Function, program) && g.lines.Edits.Gives(h) == rank
		})
		apart := func(h git.Hunk) bool { return rank == 1 || h.File != hunks[0].File || h.Function != hunks[0].Function } // which assignment it is, nothing tells
		if len(hunks) == 0 || slices.ContainsFunc(hunks[1:], apart) {
			return at, false
		}
		return lineOf(hunks[0], g.lines.Edits), true
	}
	if at, found := own(2); found {
		return at
	}
	best := 0
	for _, h := range g.silent {
		if h.Function == "" || !isIn(result, h, g.lines.Edits) {
			continue
		}
		if rank := g.lines.Edits.Gives(h); rank > best {
			at, best = lineOf(h, g.lines.Edits), rank
		}
	}
	if best == 0 {
		at, _ = own(1)
	}
	return at
}

func withoutColumn(l hlo.Location) hlo.Location {
	l.Column = 0
	return l
}

// mostWork returns the line with the most work, of several the first; none of none.
func mostWork(work map[hlo.Location]float64) (most hlo.Location) {
	for l, n := range work {
		if most.File == "" || n > work[most] || n == work[most] && compareLines(l, most) < 0 {
			most = l
		}
	}
	return most
}

// lineOf is the line of an edit that it is known by.
func lineOf(h git.Hunk, edits *git.Edits) hlo.Location {
	return hlo.Location{File: h.File, Line: int32(edits.FirstCode(h)), Function: h.Function}
}

// codeEdit is how an edit of code is known: its line, and the name that [EditOf] gives it.
type codeEdit struct {
	line hlo.Location
	name string
}

// isIn reports whether a line is in the function that was edited.
func isIn(l hlo.Location, h git.Hunk, edits *git.Edits) bool {
	return isSameFunction(h.Function, l.NamedFunction()) && h.File == edits.File(l.File)
}

// isSameFunction reports whether two names are of one function: PyTorch and old Pythons name methods without their class.
func isSameFunction(a, b string) bool {
	return a == b || strings.HasSuffix(a, "."+b) || strings.HasSuffix(b, "."+a)
}

// PlaceOf is a line as the dump names it.
func PlaceOf(l hlo.Location) Place {
	return Place{File: l.File, Line: int(l.Line), Function: l.Function}
}
