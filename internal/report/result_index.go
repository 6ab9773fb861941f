package report

import (
	"slices"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
)

// indexed is a result with its findings indexed by change.
type indexed struct {
	*result.Result
	findings map[string][]*result.Finding // by the change's id
	movers   map[mover]int                // how many changes of a program moved a fact
	doc      func(rule string) result.RuleDoc
}

type mover struct {
	target, program string
	fact            facts.ID
}

func index(r *result.Result) *indexed {
	out := &indexed{Result: r, findings: make(map[string][]*result.Finding, len(r.Changes)), movers: map[mover]int{}}
	for i := range r.Changes {
		for _, e := range r.Changes[i].Effects {
			out.movers[mover{r.Changes[i].Target, r.Changes[i].Program, e.Fact}]++
		}
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		out.findings[f.Change] = append(out.findings[f.Change], f)
	}
	return out
}

// brokenBy lists the findings of a change that count: all findings of a waived change, and of any other change those that are not waived.
func (r *indexed) brokenBy(c *result.Change) []*result.Finding {
	return slices.DeleteFunc(slices.Clone(r.findings[c.ID]), func(f *result.Finding) bool { return f.Waived && !c.Waived })
}

func (r *indexed) waived() []*result.Change {
	return phrase.Pick(r.Changes, func(c *result.Change) bool { return c.Waived })
}

// withoutFindings returns the changes that broke no rule. It leaves out those in a program where another change did, because they are noise beside it, but it
// keeps those that cost something too: a broken limit is put down only to the change that costs most. It also keeps what saves half of what such a change costs, or
// more: the program's step would not add up.
func (r *indexed) withoutFindings() []*result.Change {
	broken, cost := r.Broken(), map[[2]string]float64{} // of a program, by what breaks a rule
	for i := range r.Changes {
		for _, m := range movesOf(&r.Changes[i]) {
			if in := [2]string{r.Changes[i].Target, m.program}; len(r.Changes[i].Findings) > 0 {
				cost[in] = max(cost[in], m.price.StepNS)
			}
		}
	}
	return phrase.Pick(r.Changes, func(c *result.Change) bool {
		tells := slices.ContainsFunc(movesOf(c), func(m moved) bool {
			least, p := cost[[2]string{c.Target, m.program}]/2, m.price
			costs := c.Level == "info" && p.StepNS > p.StepWasNS/1000 && p.StepWasNS > 0 // more than a stopwatch overlooks
			return costs || least > 0 && -p.StepNS >= least
		})
		return !c.Waived && len(c.Findings) == 0 && (tells || !slices.ContainsFunc(c.Programs(), func(name string) bool { return broken(c.Target, name) }))
	})
}
