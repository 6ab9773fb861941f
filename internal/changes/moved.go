package changes

import (
	"slices"

	"github.com/xlagate/xlagate/internal/facts"
)

// movedInto returns the part that has most kernels of the function of a program that is gone, if it added them to a program that does all that besides now; nil
// where none does.
func (g *Grouping) movedInto(gone *Program) (into *Part) {
	if g.adders == nil {
		g.adders = map[string][]*Part{}
		for _, part := range g.Parts {
			for function := range part.functions() {
				g.adders[function] = append(g.adders[function], part)
			}
		}
	}
	doing, most, name := works{}, 0, facts.PlainName(gone.Name)
	const few = 16 // operations, which an edit of another function of the name may add as well
	if total(doing.of(gone.Old).operations) < few {
		return nil
	}
	for _, part := range g.adders[name] {
		at := slices.IndexFunc(g.programs, func(p *Program) bool { return p.Name == part.Program })
		if n := part.functions()[name]; n > most && doing.besides(g.programs[at], gone.Old) >= leastOfPart {
			into, most = part, n
		}
	}
	return into
}

// functions counts the kernels that came with a part, by the functions that they are in.
func (p *Part) functions() map[string]int {
	count := map[string]int{}
	if p.Cause == nil {
		return count
	}
	for i := range p.Cause.After {
		in := map[string]bool{}
		for _, l := range p.Cause.After[i].Frames() {
			in[lastName(l.NamedFunction())] = true
		}
		for function := range in {
			count[function]++
		}
	}
	return count
}
