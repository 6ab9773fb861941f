package result

import (
	"fmt"

	"github.com/xlagate/xlagate/internal/phrase"
)

// MostListed is how many changes, findings, problems and notes a result lists, each. Nobody reads more, and all of them are counted.
const MostListed = 10_000

// Bound leaves out what is beyond [MostListed], and adds a note that counts it. The summary and the verdict stay as they are.
func (r *Result) Bound() {
	var left []string
	count := func(n int, noun string) {
		if n > 0 {
			left = append(left, phrase.Some(n, noun))
		}
	}
	count(bound(&r.Changes), "change")
	count(r.boundFindings(), "finding")
	count(bound(&r.Problems), "problem")
	count(bound(&r.Headroom), "budget")
	if n := len(r.Notes) - MostListed; n > 0 || len(left) > 0 {
		r.Notes = r.Notes[:min(len(r.Notes), MostListed-1)]
		count(max(n, 0), "note")
		r.Notes = append(r.Notes, Note{Kind: "left-out", Message: fmt.Sprintf("%s more are not listed", phrase.List(left, "and")), Fix: "fix what is listed first, or look at fewer programs at once"})
	}
}

// bound cuts a list, and returns how much longer it was.
func bound[T any](list *[]T) int {
	n := max(0, len(*list)-MostListed)
	*list = (*list)[:len(*list)-n]
	return n
}

// boundFindings keeps the findings that changes still name.
func (r *Result) boundFindings() int {
	type owned struct{ change, finding string }
	named, room := map[owned]bool{}, MostListed
	for i := range r.Changes {
		c := &r.Changes[i]
		c.Findings = c.Findings[:min(len(c.Findings), room)]
		room -= len(c.Findings)
		for _, id := range c.Findings {
			named[owned{c.ID, id}] = true
		}
	}
	kept := r.Findings[:0:0]
	for _, f := range r.Findings {
		if named[owned{f.Change, f.ID}] {
			kept = append(kept, f)
		}
	}
	n := len(r.Findings) - len(kept)
	r.Findings = kept
	return n
}
