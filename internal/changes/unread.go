package changes

import (
	"fmt"
	"slices"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/git"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/price"
)

// Unread reports whether a graph of PyTorch/XLA is gone because a function that read a value of it does so no more, but runs, or because it was a part of a function
// that torch_xla.compile names: nothing else asked for the graph. It is not known of a function that ends another graph, as the one does that runs the steps: that may
// not make all of them.
func Unread(programs []*Program, p *Program) bool {
	if p.Old == nil || p.New != nil {
		return false
	}
	runs, ends := map[string]bool{}, map[string]bool{} // functions
	for _, other := range programs {
		for _, v := range other.Variants {
			if v.New == nil {
				continue
			}
			if cut := v.New.GraphBreak; cut != nil {
				ends[cut.Where.FunctionInFile()] = true
			}
			for _, l := range v.New.Frames() {
				runs[l.FunctionInFile()] = true
			}
		}
	}
	stem, nameless := facts.NumberedGraph(p.Name)
	part := !nameless && slices.ContainsFunc(programs, func(other *Program) bool { return other.New != nil && other.Name == stem })
	return len(ends) > 0 && !slices.ContainsFunc(p.Old.Variants, func(v *facts.Variant) bool { return v.Reader == "" || ends[v.Reader] || !runs[v.Reader] && !part })
}

// reading is how Python writes that it reads the value of a tensor.
var reading = []string{"if ", "while ", "assert ", ".item(", ".tolist(", ".cpu(", ".numpy(", "print(", "bool(", "int(", "float("}

// unread makes a part of each compilation of a graph that no value is read of any more: it saves what the graph took. Its place is the edit that reads less, if there is
// one.
func (g *Grouping) unread(p *Program) {
	if !Unread(g.programs, p) {
		return
	}
	var place Place
	edits := phrase.Filter(g.lines.Code, func(h git.Hunk) bool { return h.Python() && slices.ContainsFunc(reading, h.Loses) })
	if len(edits) == 1 {
		place = g.editedAt(lineOf(edits[0], g.lines.Edits))
	}
	for _, old := range p.Old.Variants {
		title := fmt.Sprintf("no value is read any more (%s): PyTorch/XLA compiles one graph fewer, of %s", old.Reader, phrase.Some(len(old.Kernels), "kernel"))
		nothing := *old
		nothing.Kernels, nothing.Facts = nil, facts.Values{}
		v, costs := &Variant{Old: old, New: &nothing}, classCosts{{Class: price.Moves}: -old.Facts[facts.PriceStep]}
		g.Parts = append(g.Parts, &Part{
			Kind: KindCode, Title: title, Detail: title, Program: p.Name, Variants: []string{old.Signature}, Rank: Unbroken, Drift: true, Source: place, placed: place.Edited,
			at: FunctionOf(place), Cause: &Cause{Kind: KindCode, Title: title, Before: old.Kernels}, moved: true, variant: v, costs: costs, step: v.interval(costs),
		})
	}
}
