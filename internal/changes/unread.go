package changes

import (
	"path"
	"slices"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/git"
)

// Unread returns the function that read a value of a graph of PyTorch/XLA which is gone, if it reads none any more: nothing else asked for the graph. It is sure if the
// graph was a part of a function that torch_xla.compile names and that is still compiled. Else the function has to run without ending a graph. It may still be that a
// whole call of it was left out, such as that of an evaluation. It is "" if the graph may be missing for another reason.
func Unread(programs []*Program, p *Program) (reader string, sure bool) {
	if p.Old == nil || p.New != nil {
		return "", false
	}
	stem, nameless := facts.NumberedGraph(p.Name)
	runs, ends := map[string]bool{}, map[string]bool{} // functions
	for _, other := range programs {
		sure = sure || !nameless && other.New != nil && other.Name == stem
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
	for _, v := range p.Old.Variants {
		if reader = v.Reader; len(ends) == 0 || reader == "" || ends[reader] || !runs[reader] && !sure {
			return "", false
		}
	}
	return reader, sure
}

// inReader reports whether lines were removed from a function that read a value of a program.
func inReader(h git.Hunk, p *facts.Program) bool {
	return h.OldLines > 0 && slices.ContainsFunc(p.Variants, func(v *facts.Variant) bool { return v.Reader == lastName(h.Function)+" ("+path.Base(h.File)+")" })
}
