package gate

import (
	"cmp"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/result"
)

// identify gives each change its id. What git knows of edits differs between a full clone, a shallow one and the branch after a merge, so an id does not
// depend on it: a change has the id that it has where no edit is known. If it is several changes there, it has that of the first, and its findings are found
// by the ids of the others too.
func identify(t JudgedTarget, findings []JudgedFinding, groups []*group) {
	for _, o := range groups {
		o.ID = o.id(t.Name)
	}
	if len(t.Edits.Hunks()) == 0 {
		return
	}
	t.Edits = nil
	plain := byPlace(grouped(t, findings))
	for _, o := range plain {
		o.ID = o.id(t.Name)
	}
	groups = byPlace(groups)
	taken := map[string]bool{}
	for _, o := range groups {
		if len(o.found) > 0 {
			o.nameAs(plain, taken)
		}
	}
	for _, p := range plain {
		for _, f := range p.found {
			if of := cmp.Or(f.share, f); !taken[p.ID] {
				of.Also = append(of.Also, p.ID)
			}
		}
		taken[p.ID] = taken[p.ID] || len(p.found) > 0
	}
	for _, o := range groups {
		if len(o.found) == 0 {
			o.nameAs(plain, taken)
		}
	}
}

// nameAs gives a change the id of the first of the others that it overlaps and whose id is not taken. Two edits may be one change there: the second
// has an id of its own.
func (o *group) nameAs(others []*group, taken map[string]bool) {
	at := slices.IndexFunc(others, func(p *group) bool { return !taken[p.ID] && p.overlaps(o) })
	if at >= 0 {
		o.ID = others[at].ID
	}
	for taken[o.ID] {
		o.ID = result.ID(o.ID)
	}
	taken[o.ID] = true
}

// byPlace sorts changes by what does not depend on their price or level, which are others once a part of what differs is accepted.
func byPlace(groups []*group) []*group {
	return slices.SortedStableFunc(slices.Values(groups), func(a, b *group) int {
		return cmp.Or(strings.Compare(a.Kind, b.Kind), strings.Compare(a.place, b.place), strings.Compare(a.first, b.first))
	})
}

// overlaps reports whether two changes have a difference or a finding in common.
func (o *group) overlaps(other *group) bool {
	return slices.ContainsFunc(o.causes, func(c *changes.Cause) bool { return slices.Contains(other.causes, c) }) ||
		slices.ContainsFunc(o.found, func(f *JudgedFinding) bool { return slices.Contains(other.found, f) })
}
