package gate

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
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
	parts, taken := partsOf(list, plain), map[string]bool{}
	for _, c := range list {
		c.nameAfter(parts[c], taken)
	}
	for _, c := range list {
		for _, f := range c.found {
			f.Also = f.costs(c, list, parts)
		}
	}
}

// partsOf returns the changes of plain that each change of a list is made of: those most of whose kernels it has, or else one of whose findings it has. Changes
// that break something come first.
func partsOf(list, plain []*judgedChange) map[*judgedChange][]*judgedChange {
	owners := map[kernelOf]*judgedChange{}
	for _, c := range list {
		for k := range c.kernels() {
			owners[k] = c
		}
	}
	parts := map[*judgedChange][]*judgedChange{}
	for _, p := range plain {
		var most *judgedChange
		common := map[*judgedChange]int{}
		for k := range p.kernels() {
			if c := owners[k]; c != nil {
				if common[c]++; most == nil || common[c] > common[most] {
					most = c
				}
			}
		}
		if most == nil {
			at := slices.IndexFunc(list, func(c *judgedChange) bool {
				return slices.ContainsFunc(p.found, func(f *judgedFinding) bool { return c.finds(f) != nil })
			})
			if at < 0 {
				continue
			}
			most = list[at]
		}
		parts[most] = append(parts[most], p)
	}
	return parts
}

// kernelOf is a kernel of one variant, before or after.
type kernelOf struct {
	program, signature, name, opName, print string
	after                                   bool
}

// kernels goes through the kernels that came and went with a change.
func (c *judgedChange) kernels() iter.Seq[kernelOf] {
	return func(yield func(kernelOf) bool) {
		for _, p := range c.Parts {
			if p.Cause == nil {
				continue
			}
			for i, kernels := range [][]facts.Kernel{p.Cause.Before, p.Cause.After} {
				for _, k := range kernels {
					if !yield(kernelOf{p.Program, strings.Join(p.Variants, "\x00"), k.Name, k.OpName, k.Print, i > 0}) {
						return
					}
				}
			}
		}
	}
}

// nameAfter gives a change the id of the first of its parts whose id is not taken, one that breaks something if the change does. Two edits may be one change
// there: the second has an id of its own.
func (c *judgedChange) nameAfter(parts []*judgedChange, taken map[string]bool) {
	for _, p := range parts {
		if !taken[p.id] && (len(p.found) > 0) == (len(c.found) > 0) {
			c.id = p.id
			break
		}
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

// costs returns what the changes that break a finding's limit where no edits are known cost, by their ids: of the parts of c and, if it is the first of the list that
// breaks the limit, of all that are part of none that does. The first of them has what c costs beyond that.
func (f *judgedFinding) costs(c *judgedChange, list []*judgedChange, parts map[*judgedChange][]*judgedChange) map[string]float64 {
	costs, first, rest := map[string]float64{}, "", amountOf(&f.Finding.Finding, c.Price.StepNS)
	for _, other := range list {
		if other != c && (f.share != nil || other.finds(f) != nil) {
			continue
		}
		for _, p := range parts[other] {
			if own := p.finds(f); own != nil {
				costs[p.id] = amountOf(&own.Finding.Finding, p.Price.StepNS)
				rest -= costs[p.id]
				first = cmp.Or(first, p.id)
			}
		}
	}
	if first != "" && isOfStep(&f.Finding.Finding) {
		costs[first] += max(0, rest)
	}
	return costs
}

// byPlace sorts changes by what does not depend on their price or level, which are others once a part of what differs is accepted.
func byPlace(list []*judgedChange) []*judgedChange {
	return slices.SortedStableFunc(slices.Values(list), func(a, b *judgedChange) int {
		return cmp.Or(phrase.CompareBools(len(b.found) > 0, len(a.found) > 0), strings.Compare(a.Kind, b.Kind), strings.Compare(a.Key, b.Key))
	})
}

// placeID is the first 12 hex digits of a hash of target, program, kind and place.
func (c *judgedChange) placeID(target string) string {
	return result.ID(strings.Join([]string{"change", target, c.Key}, "\x00"))
}
