package diff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/tensorflow"
)

// Newcomer says where a program comes from that was not there before.
func Newcomer(programs []*Program, p *Program) *Cause {
	first := p.New.Variants[0]
	cut := CutText(first.Cut)
	if cause := TracedAgain(programs, p); cause != nil {
		return cause
	}
	if cut == "" {
		return &Cause{Title: "a program that was not there before", Source: first.FirstSource()}
	}
	cause := &Cause{Title: "a graph that was not there before: PyTorch/XLA compiled it " + cut, Source: first.Cut.Where}
	if other := CompiledBeside(programs, p); other != "" {
		cause.Title += ", as it does " + other + ": what runs before it is not always the same"
	}
	return cause
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
			return &Cause{Title: said, Source: p.New.Variants[0].FirstSource()}
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

// CompiledAgain returns why a program is compiled several times, and where: at the call that missed the cache by the log, or where PyTorch/XLA ended a graph
// because Python read a value.
func (p *Program) CompiledAgain(logs *tensorflow.Logs) *Cause {
	cause := &Cause{Kind: KindArguments, Title: "compiled again: " + strings.Join(p.Differences(), "; ")}
	if logs != nil {
		for _, miss := range logs.Misses {
			if miss.Program == p.Name && miss.Where.File != "" {
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
