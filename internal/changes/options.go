package changes

import (
	"path"
	"slices"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/git"
	"github.com/xlagate/xlagate/internal/hlo"
)

// compileOptions returns the edited line where jit compiles a program whose caller no longer gives its buffers away. Which arguments are donated is said there,
// not where other edits of the commit compute something. The line is above the program's function, else in the file of the call: what another file compiles may
// be another program.
func (g *Grouping) compileOptions(p *Part) (hlo.Location, bool) {
	if p.Cause.Kind != KindDonation || p.variant.StillDonated() {
		return hlo.Location{}, false
	}
	program := facts.PlainName(p.Program)
	decorates := func(h git.Hunk) bool { return lastName(h.Function) == program }
	beside := func(h git.Hunk) bool { return path.Base(h.File) == path.Base(p.Cause.Source.File) }
	for _, fits := range []func(git.Hunk) bool{decorates, beside} {
		at := slices.IndexFunc(g.lines.Code, func(h git.Hunk) bool { return h.Compiles() && fits(h) })
		if at >= 0 {
			return lineOf(g.lines.Code[at], g.lines.Edits), true
		}
	}
	return hlo.Location{}, false
}

// checkpointPolicy returns the edited line that says what the backward pass computes again, where that is what changed: no operation passes through it.
func (g *Grouping) checkpointPolicy(c *Cause) (hlo.Location, bool) {
	if !c.remats {
		return hlo.Location{}, false
	}
	best := 0
	var at hlo.Location
	for _, h := range g.lines.Code {
		if h.OfTests() {
			continue
		}
		if rank, line := g.lines.Edits.Rematerializes(h); rank > best {
			at, best = hlo.Location{File: h.File, Line: int32(line), Function: h.Function}, rank
		}
	}
	return at, best > 0
}

// editOfJit returns the edited line that has jit compile a program anew, or with other static arguments.
func (g *Grouping) editOfJit(program string) (hlo.Location, bool) {
	program = facts.PlainName(program)
	at := slices.IndexFunc(g.lines.Code, func(h git.Hunk) bool { return h.CompilesAnew(program) })
	if at < 0 {
		return hlo.Location{}, false
	}
	return lineOf(g.lines.Code[at], g.lines.Edits), true
}
