package report

import (
	"slices"

	"github.com/xlagate/xlagate/internal/result"
)

// indexed is a result with the findings of each change at hand.
type indexed struct {
	*result.Result
	findings map[string][]*result.Finding // by the change's id
}

func index(r *result.Result) *indexed {
	out := &indexed{r, make(map[string][]*result.Finding, len(r.Changes))}
	for i := range r.Findings {
		f := &r.Findings[i]
		out.findings[f.Change] = append(out.findings[f.Change], f)
	}
	return out
}

// brokenBy lists the findings of a change that count: those that were waived only where all of them were.
func (r *indexed) brokenBy(c *result.Change) []*result.Finding {
	return slices.DeleteFunc(slices.Clone(r.findings[c.ID]), func(f *result.Finding) bool { return f.Waived && !c.Waived })
}

// live are the changes that break a rule and were not waived.
func (r *indexed) live() []*result.Change {
	return r.changes(func(c *result.Change) bool { return !c.Waived && len(c.Findings) > 0 })
}

// waived are the changes that somebody was allowed.
func (r *indexed) waived() []*result.Change {
	return r.changes(func(c *result.Change) bool { return c.Waived })
}

// harmless are the changes that break no rule, of the programs in which nothing does: beside something that is wrong they are noise.
func (r *indexed) harmless() []*result.Change {
	type program struct{ target, name string }
	wrong := map[program]bool{}
	for _, c := range r.live() {
		wrong[program{c.Target, c.Program}] = true
	}
	return r.changes(func(c *result.Change) bool {
		return !c.Waived && len(c.Findings) == 0 && !wrong[program{c.Target, c.Program}]
	})
}

func (r *indexed) changes(of func(*result.Change) bool) []*result.Change {
	var list []*result.Change
	for i := range r.Changes {
		if c := &r.Changes[i]; of(c) {
			list = append(list, c)
		}
	}
	return list
}

// programCount counts the programs of all targets.
func (r *indexed) programCount() (n int) {
	for i := range r.Targets {
		n += len(r.Targets[i].Programs)
	}
	return n
}
