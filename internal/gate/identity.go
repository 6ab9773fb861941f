package gate

import (
	"cmp"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/result"
)

// identify gives each change its id. An id does not depend on the edits, because what git knows of them differs between a full clone, a shallow one and the
// branch after a merge. So a change has the id that it has in plain, the changes where no edits are known; plain is empty if they are those of the list. If it is
// several changes there, it takes the id of the first, and answers to all of them.
func identify(target string, list, plain []*judgedChange) {
	list, plain = byPlace(list), byPlace(plain)
	for _, c := range slices.Concat(list, plain) {
		c.id = c.placeID(target)
	}
	if len(plain) == 0 {
		return
	}
	whole, shared := partsOf(list, plain)
	taken := map[string]bool{}
	for _, c := range list {
		for _, p := range whole[c] {
			taken[p.id] = true // only c answers to it
		}
	}
	for _, broken := range []bool{true, false} {
		for _, c := range list {
			if (len(c.found) > 0) == broken {
				c.nameAfter(whole[c], shared[c], taken)
			}
		}
	}
	for _, c := range list {
		for _, p := range whole[c] {
			if p.id != c.id {
				c.also = append(c.also, p.id)
			}
		}
		for _, p := range shared[c] {
			if p.id != c.id {
				c.shares = append(c.shares, p.id)
			}
		}
	}
}

// answer tells each finding of the changes of a list the ids of the changes of plain that break the same limit: those that its change is, and others.
func answer(list, plain []*judgedChange) {
	breaking := map[string][]*judgedChange{} // by the id of a limit
	for _, p := range byPlace(plain) {
		for _, f := range p.found {
			breaking[f.limit()] = append(breaking[f.limit()], p)
		}
	}
	for _, c := range list {
		for _, f := range c.found {
			for _, p := range breaking[f.limit()] {
				switch {
				case p.id == c.id:
				case slices.Contains(c.also, p.id):
					f.Also = append(f.Also, p.id)
				case f.AddsNS == 0, slices.Contains(c.shares, p.id): // of a limit on the step each change has its own part
					f.Shared = append(f.Shared, p.id)
				}
			}
		}
	}
}

// partsOf returns the changes of plain that each change of a list is made of: those whose kernels no other change has or, if they have no kernels, whose limits no
// other one breaks. Of the other changes of plain, several changes have a share: two edits may be one change there.
func partsOf(list, plain []*judgedChange) (whole, shared map[*judgedChange][]*judgedChange) {
	having := map[any][]*judgedChange{} // by kernel, and by the id of a limit
	for _, c := range list {
		for _, k := range c.kernels() {
			having[k] = append(having[k], c)
		}
		for _, f := range c.found {
			having[f.limit()] = append(having[f.limit()], c)
		}
	}
	whole, shared = map[*judgedChange][]*judgedChange{}, map[*judgedChange][]*judgedChange{}
	for _, p := range plain {
		owners := map[*judgedChange]bool{}
		for _, k := range p.kernels() {
			for _, c := range having[k] {
				owners[c] = true
			}
		}
		if len(owners) == 0 {
			for _, f := range p.found {
				for _, c := range having[f.limit()] {
					owners[c] = true
				}
			}
		}
		for _, c := range list {
			switch {
			case owners[c] && len(owners) == 1:
				whole[c] = append(whole[c], p)
			case owners[c]:
				shared[c] = append(shared[c], p)
			}
		}
	}
	return whole, shared
}

// kernelOf is a kernel of one variant, before or after.
type kernelOf struct {
	program, signature, name, opName, print string
	after                                   bool
}

// kernels lists the kernels that came and went with a change.
func (c *judgedChange) kernels() (list []kernelOf) {
	for _, p := range c.Parts {
		if p.Cause == nil {
			continue
		}
		signature := strings.Join(p.Variants, "\x00")
		for i, kernels := range [][]facts.Kernel{p.Cause.Before, p.Cause.After} {
			for _, k := range kernels {
				list = append(list, kernelOf{p.Program, signature, k.Name, k.OpName, k.Print, i > 0})
			}
		}
	}
	return list
}

// nameAfter gives a change the id of the first change that it is made of, one that breaks something if it does. If it has only shares, it takes the first id that is
// not taken.
func (c *judgedChange) nameAfter(whole, shared []*judgedChange, taken map[string]bool) {
	if at := slices.IndexFunc(whole, func(p *judgedChange) bool { return (len(p.found) > 0) == (len(c.found) > 0) }); at >= 0 {
		c.id = whole[at].id
		return
	}
	if at := slices.IndexFunc(shared, func(p *judgedChange) bool { return !taken[p.id] }); at >= 0 {
		c.id = shared[at].id
	}
	for taken[c.id] {
		c.id = result.ID(c.id)
	}
	taken[c.id] = true
}

// limit is the id of the limit that a finding breaks, perhaps with other changes.
func (f *judgedFinding) limit() string { return cmp.Or(f.share, f).ID }

// byPlace sorts changes by what does not depend on their price or level, which are others once a part of what differs is accepted.
func byPlace(list []*judgedChange) []*judgedChange {
	return slices.SortedStableFunc(slices.Values(list), func(a, b *judgedChange) int {
		return cmp.Or(strings.Compare(a.Kind, b.Kind), strings.Compare(a.Key, b.Key))
	})
}

// placeID is the first 12 hex digits of a hash of target, program, kind and place.
func (c *judgedChange) placeID(target string) string {
	return result.ID(strings.Join([]string{"change", target, c.Key}, "\x00"))
}
