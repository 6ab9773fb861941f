package changes

import (
	"slices"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/git"
	"github.com/xlagate/xlagate/internal/hlo"
)

// Unread returns the function that read a value of a graph of PyTorch/XLA which is gone, if it reads none any more: nothing else asked for the graph. A graph without
// a name is one of a function that runs; one with a name was a part of what torch_xla.compile compiles by that name, and still does. If both hold, it is sure. Else a
// whole call may be left out, such as that of an evaluation. It is "" if the graph may be missing for another reason, and if the function ends other graphs.
func Unread(programs []*Program, p *Program) (reader string, sure bool) {
	if p.Old == nil || p.New != nil || slices.ContainsFunc(p.Old.Variants, func(v *facts.Variant) bool { return v.Reader == "" }) {
		return "", false
	}
	stem, nameless := facts.NumberedGraph(p.Name)
	runs, ends, part := map[string]bool{}, map[string]bool{}, false // functions
	for _, other := range programs {
		part = part || !nameless && other.New != nil && other.Name == stem
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
	sure = part
	for _, v := range p.Old.Variants {
		if reader = v.Reader; len(ends) == 0 || ends[reader] || !part && !(nameless && runs[reader]) {
			return "", false
		}
		sure = sure && runs[reader]
	}
	return reader, sure
}

// inReader reports whether lines were removed from a function that read a value of a program.
func inReader(h git.Hunk, p *facts.Program) bool {
	in := hlo.Location{File: h.File, Function: lastName(h.Function)} // PyTorch/XLA's log does not tell the class
	return h.OldLines > 0 && slices.ContainsFunc(p.Variants, func(v *facts.Variant) bool { return v.Reader == in.FunctionInFile() })
}
