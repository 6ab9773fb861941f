package gate

import (
	"cmp"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/result"
)

// identify gives each change its id. An id does not depend on the edits, because what git knows of them differs between a full clone, a shallow one and the
// branch after a merge. So a change has the id that it has without edits. If it is several changes without them, it takes the id of the first, and its findings are
// found by the ids of the others too.
func identify(t judgedTarget, findings []judgedFinding, list []*judgedChange) {
	for _, o := range list {
		o.id = o.placeID(t.Name)
	}
	if len(t.Edits.Hunks()) == 0 {
		return
	}
	t.Edits = nil
	plain := byPlace(t.attach(findings))
	for _, o := range plain {
		o.id = o.placeID(t.Name)
	}
	list = byPlace(list)
	taken, at := map[string]bool{}, map[any][]int{} // where in plain a cause or a finding is
	for i, p := range plain {
		for _, what := range p.holds() {
			at[what] = append(at[what], i)
		}
	}
	for _, o := range list {
		if len(o.found) > 0 {
			o.nameAs(plain, at, taken)
		}
	}
	for _, p := range plain {
		for _, f := range p.found {
			if of := cmp.Or(f.share, f); !taken[p.id] {
				of.Also = append(of.Also, p.id)
			}
		}
		taken[p.id] = taken[p.id] || len(p.found) > 0
	}
	for _, o := range list {
		if len(o.found) == 0 {
			o.nameAs(plain, at, taken)
		}
	}
}

// nameAs gives a change the id of the first of the others that has a difference or a finding in common with it and whose id is not taken. Two edits may be
// one change there: the second has an id of its own.
func (c *judgedChange) nameAs(others []*judgedChange, at map[any][]int, taken map[string]bool) {
	first := len(others)
	for _, what := range c.holds() {
		for _, i := range at[what] {
			if i < first && !taken[others[i].id] {
				first = i
			}
		}
	}
	if first < len(others) {
		c.id = others[first].id
	}
	for taken[c.id] {
		c.id = result.ID(c.id)
	}
	taken[c.id] = true
}

// byPlace sorts changes by what does not depend on their price or level, which are others once a part of what differs is accepted.
func byPlace(list []*judgedChange) []*judgedChange {
	return slices.SortedStableFunc(slices.Values(list), func(a, b *judgedChange) int {
		return cmp.Or(strings.Compare(a.Kind, b.Kind), strings.Compare(a.Key, b.Key))
	})
}

// holds lists the differences and findings of a change.
func (c *judgedChange) holds() (list []any) {
	for _, p := range c.Parts {
		if p.Cause != nil {
			list = append(list, p.Cause)
		}
	}
	for _, f := range c.found {
		list = append(list, f)
	}
	return list
}

// placeID is the first 12 hex digits of a hash of target, program, kind and place.
func (c *judgedChange) placeID(target string) string {
	return result.ID(strings.Join([]string{"change", target, c.Key}, "\x00"))
}
