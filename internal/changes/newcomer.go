package changes

import (
	"fmt"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/tensorflow"
)

// Newcomer says where a program comes from that was not there before.
func Newcomer(programs []*Program, p *Program) *Cause {
	first := p.New.Variants[0]
	cut := reasonOfCut(first.GraphBreak)
	if cause := TracedAgain(programs, p); cause != nil {
		return cause
	}
	if cut == "" {
		return &Cause{Title: newProgram(programs, p), Source: first.FirstSource(), After: first.Kernels}
	}
	cause := &Cause{Title: "a new graph: PyTorch/XLA compiled it " + cut, Source: first.GraphBreak.Where}
	if other := CompiledBeside(programs, p); other != "" {
		cause.Title += ", as it does " + other + ": what runs before it is not always the same"
	}
	return cause
}

// Undone returns the cause that a program is gone because the operations of its function run one by one, each as a program of the framework's own; nil where
// none does.
func Undone(helpers []*facts.Program, p *Program) *Cause {
	cause := &Cause{Kind: KindCode}
	for _, helper := range helpers {
		for _, v := range helper.Variants {
			for i := range v.Kernels {
				stack := v.Kernels[i].Frames()
				at := slices.IndexFunc(stack, func(l hlo.Location) bool { return lastName(l.NamedFunction()) == facts.PlainName(p.Name) })
				if at < 0 {
					continue
				}
				if len(cause.After) == 0 {
					cause.Source = stack[at]
				}
				cause.After = append(cause.After, v.Kernels[i])
			}
		}
	}
	if len(cause.After) == 0 {
		return nil
	}
	cause.Title = fmt.Sprintf("%s is no longer compiled as a whole: %s of it run one by one", p.Name, phrase.Some(len(cause.After), "kernel"))
	return cause
}

// newProgram says what a new program is. A graph of PyTorch/XLA that does a part of what another one does was cut from it.
func newProgram(programs []*Program, p *Program) string {
	if p.Replaced != nil {
		was, is := len(p.Replaced.Variants[0].Params), len(p.New.Variants[0].Params)
		return fmt.Sprintf("another program than the accepted one of that name: %s, now %d", phrase.Some(was, "argument"), is)
	}
	if !p.New.IsLazyGraph() {
		return "a new program"
	}
	doing := works{}
	for _, other := range programs {
		if other.Old != nil && other.New != nil && doing.within(p.New, other.New) >= leastOfPart {
			return fmt.Sprintf("a new graph: it computes a part of %s by itself, because a value in it is read (.item(), print, a branch)", other.Name)
		}
	}
	return "a new graph"
}

// TracedAgain says of a new cluster that another one does the same for arguments of other sizes: TensorFlow traces a function for each of
// them, and numbers its clusters on.
func TracedAgain(programs []*Program, p *Program) *Cause {
	for _, other := range programs {
		if other.New == nil || other.Old == nil {
			continue
		}
		if sizes := SameForOtherSizes(other.New, p.New); sizes != nil {
			said := fmt.Sprintf("it does the same as %s, for other sizes: %s; the function was traced again", other.Name, strings.Join(phrase.First(sizes, 3), "; "))
			return &Cause{Title: said, Source: p.New.Variants[0].FirstSource(), After: p.New.Variants[0].Kernels}
		}
	}
	return nil
}

// SameForOtherSizes lists the sizes of arguments in which two clusters differ that do the same; nil where they do not.
func SameForOtherSizes(a, b *facts.Program) []string {
	if a == b || !a.IsCluster() || !b.IsCluster() || len(a.Variants) == 0 || len(b.Variants) == 0 {
		return nil
	}
	was, is := a.Variants[0], b.Variants[0]
	if was.Facts[facts.InstructionsBefore] != is.Facts[facts.InstructionsBefore] || was.Facts[facts.KernelsTotal] != is.Facts[facts.KernelsTotal] {
		return nil
	}
	two := &Program{New: &facts.Program{Variants: []*facts.Variant{was, is}}}
	two.Recompile = Explain(two.New)
	if slices.ContainsFunc(two.Recompile, func(a ArgumentChange) bool { return a.Kind != "shape" }) {
		return nil
	}
	return two.Differences()
}

// Added lists the variants that the old program does not have.
func (p *Program) Added() (added []*facts.Variant) {
	for _, v := range p.Variants {
		if v.Old == nil && v.New != nil {
			added = append(added, v.New)
		}
	}
	return added
}

// CompiledAgain returns why a program is compiled several times, and where: at the call that missed the cache by the log, or where PyTorch/XLA ended a graph
// because Python read a value.
func (p *Program) CompiledAgain(logs *tensorflow.Logs) *Cause {
	cause := &Cause{Kind: KindArguments, Title: "compiled again: " + strings.Join(p.Differences(), "; ")}
	if logs != nil {
		for _, miss := range logs.Misses {
			if miss.Program == facts.PlainName(p.Name) && miss.Where.File != "" {
				cause.Source = miss.Where
				return cause
			}
		}
	}
	if reads := ValueReads([]*Program{p}); len(reads) > 0 && len(p.New.Variants) > 1 {
		cause.Source = reads[0]
		return cause
	}
	// Without stacks in the dump no line is better than one that is not the cause.
	cause.Source = p.New.Variants[len(p.New.Variants)-1].CallSite
	return cause
}

// cutReasons say in fewer words why PyTorch/XLA ended a graph. They are tried in order; a reason that none of them is in is shown as it is.
var cutReasons = []struct{ said, means string }{
	{tensorflow.TensorRead, "where a tensor's value is read"},
	{"parallel loader", "where the data loader ends the step"},
	{"profiler StepTrace", "where the profiled step ends"},
	{"dynamo", "by torch.compile"},
	{"torch_xla.compile", "by torch_xla.compile"},
	{"torch_xla.sync", "at torch_xla.sync"},
	{"mark_step", "at mark_step"},
}

// CutText says why PyTorch/XLA compiled a graph: "at torch_xla.sync (train.py:41)"; "" without a log.
func CutText(cut *tensorflow.GraphBreak) string {
	text := reasonOfCut(cut)
	if text == "" || cut.Where.File == "" {
		return text
	}
	return fmt.Sprintf("%s (%s:%d)", text, cut.Where.File, cut.Where.Line)
}

// reasonOfCut says the same without the place.
func reasonOfCut(cut *tensorflow.GraphBreak) string {
	if cut == nil {
		return ""
	}
	for _, r := range cutReasons {
		if strings.Contains(cut.Reason, r.said) {
			return r.means
		}
	}
	return "because: " + cut.Reason
}

// IsCut reports whether a program became several, one of which has its name: "step" and "step-2". Clusters of TensorFlow are numbered, not named.
func (p *Program) IsCut() bool {
	named := func(part *facts.Program) bool { return part.Name == p.Were[0].Name && !part.IsCluster() }
	return len(p.Were) == 1 && len(p.Parts) > 1 && slices.ContainsFunc(p.Parts, named)
}

// Cut returns the cause that PyTorch/XLA ends a graph within a function, so that it compiles what was one program in parts; nil if it does not. If no part ends
// with its function, the one that has the name of the whole ends where the whole did.
func (p *Program) Cut() *Cause {
	if !p.IsCut() {
		return nil
	}
	ends := func(part *facts.Program) bool {
		b := part.Variants[0].GraphBreak
		return b != nil && b.EndsFunction()
	}
	compiled := slices.ContainsFunc(p.Parts, ends)
	for _, part := range p.Parts {
		if b := part.Variants[0].GraphBreak; b != nil && !b.EndsFunction() && (compiled || part.Name != p.Were[0].Name) {
			return &Cause{Title: fmt.Sprintf("compiled in %d parts: PyTorch/XLA ends a graph %s", len(p.Parts), reasonOfCut(b)), Source: b.Where, Exact: true}
		}
	}
	return nil
}

// Cuts says the same of all compilations of a program; each place once.
func Cuts(p *facts.Program) string {
	places := AddNew(nil, texts(p.Variants, func(v *facts.Variant) string { return CutText(v.GraphBreak) })...)
	return strings.Join(phrase.First(places, 3), ", ")
}

// unsynced returns the cause that PyTorch/XLA ended a graph where Python read a value: only torch_xla.sync returns what the step updates. It is nil if the
// baseline's graph ended in the same way.
func unsynced(v *Variant, p *facts.Parameter) *Cause {
	if v.Old == nil || p.Donated || !v.New.GraphBreak.ReadsValue() || v.Old.GraphBreak.ReadsValue() || countShape(v.New.Result, p.Shape) >= countShape(v.Old.Result, p.Shape) {
		return nil
	}
	text := fmt.Sprintf("PyTorch/XLA compiled the graph %s: what the step updates is not among its results, as it is at torch_xla.sync", CutText(v.New.GraphBreak))
	if before := CutText(v.Old.GraphBreak); before != "" {
		text = fmt.Sprintf("PyTorch/XLA compiled the graph %s, not %s any more: what the step updates is not among its results", CutText(v.New.GraphBreak), before)
	}
	return &Cause{Title: text, Source: v.New.GraphBreak.Where}
}

// ValueReads lists where graphs ended so, each place once: those that are not in the baseline, if there are any, else all.
func ValueReads(programs []*Program) []hlo.Location {
	var fresh, known []hlo.Location
	for _, p := range programs {
		for _, v := range p.Variants {
			places := &fresh
			if v.Change == Same {
				places = &known
			}
			if v.New != nil && v.New.GraphBreak.ReadsValue() && !slices.Contains(*places, v.New.GraphBreak.Where) {
				*places = append(*places, v.New.GraphBreak.Where)
			}
		}
	}
	if len(fresh) > 0 {
		return fresh
	}
	return known
}

// CompiledBeside names an accepted graph that is compiled at the same place of the model as a new one; "" where there is none.
func CompiledBeside(programs []*Program, p *Program) string {
	for _, other := range programs {
		if other.New == nil || other.Old == nil {
			continue
		}
		for _, v := range other.New.Variants {
			if cut := p.New.Variants[0].GraphBreak; cut != nil && v.GraphBreak != nil && cut.Where.File != "" && v.GraphBreak.Where == cut.Where {
				return other.Name
			}
		}
	}
	return ""
}
