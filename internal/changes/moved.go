package changes

import (
	"slices"

	"github.com/xlagate/xlagate/internal/facts"
)

// adder is a part that added kernels of a function.
type adder struct {
	part    *Part
	kernels int
}

// movedInto returns the part that added most kernels of the function of a program that is gone, if its program does all that the one that is gone did besides what
// it did before; nil where none does.
func (g *Grouping) movedInto(gone *Program) (into *Part) {
	if g.adders == nil {
		g.adders = map[string][]adder{}
		for _, part := range g.Parts {
			for function, n := range part.functions() {
				g.adders[function] = append(g.adders[function], adder{part, n})
			}
		}
	}
	const few = 16 // operations, which an edit of another function of the name may add as well
	doing, most := works{}, 0
	if total(doing.of(gone.Old).operations) < few {
		return nil
	}
	for _, a := range g.adders[facts.PlainName(gone.Name)] {
		at := slices.IndexFunc(g.programs, func(p *Program) bool { return p.Name == a.part.Program })
		if a.kernels > most && doing.besides(g.programs[at], gone.Old) >= leastOfPart {
			into, most = a.part, a.kernels
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
