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
// several changes there, it takes the id of the first, and its findings know what each of them costs.
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
		for _, f := range c.found {
			f.Also = f.costs(c, whole[c])
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

// finds returns the finding of a change that is the same limit; nil if there is none.
func (c *judgedChange) finds(f *judgedFinding) *judgedFinding {
	at := slices.IndexFunc(c.found, func(own *judgedFinding) bool { return own.limit() == f.limit() })
	if at < 0 {
		return nil
	}
	return c.found[at]
}

// limit is the id of the limit that a finding breaks, perhaps with other changes.
func (f *judgedFinding) limit() string { return cmp.Or(f.share, f).ID }

// costs returns what the changes that c is made of cost where they break a finding's limit, by their ids. Of a limit on the step, those that save time are in it, below
// zero, and the first that breaks it has what c costs beyond that. It returns nil if together they cost more than c: changes that have only a share in it save time.
func (f *judgedFinding) costs(c *judgedChange, whole []*judgedChange) map[string]float64 {
	costs, first, rest, ofStep := map[string]float64{}, "", c.Price.StepNS, isOfStep(&f.Finding.Finding)
	for _, p := range whole {
		if own := p.finds(f); own != nil {
			costs[p.id] = amountOf(&own.Finding.Finding, p.Price.StepNS)
			first = cmp.Or(first, p.id)
			rest -= p.Price.StepNS
		} else if ofStep && p.Price.StepNS < 0 {
			costs[p.id] = p.Price.StepNS
			rest -= p.Price.StepNS
		}
	}
	switch {
	case first == "" || ofStep && moreThan(c.Price.StepNS-rest, c.Price.StepNS):
		return nil
	case ofStep:
		costs[first] += max(0, rest)
	}
	return costs
}

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
