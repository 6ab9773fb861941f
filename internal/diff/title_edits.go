package diff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
)

// editsSentence says what the model asks for in one place and did not in the old program.
func editsSentence(edits []*Edit, old *facts.Variant) string {
	var added, removed []Step
	for _, e := range edits {
		added, removed = append(added, e.Added...), append(removed, e.Removed...)
	}
	var parts []string
	if into := intoLoop(edits, &added); into != "" {
		parts = append(parts, into)
	}
	added, removed = cancelled(added, removed)
	if spread := respread(&added, &removed); spread != "" {
		parts = append(parts, spread)
	}
	if loops := takeSteps(&removed, func(s Step) bool { return s.Opcode == "while" }); len(loops) > 0 {
		parts = append(parts, loopsSentence(loops[0].Count, repeats(added, old)))
	}
	for _, w := range takeSteps(&added, func(s Step) bool { return s.Opcode == barrier || callsHost(s.Opcode) }) {
		parts = append(parts, wallSentence(w))
	}
	forgets := slices.ContainsFunc(edits, forgotten)
	if forgets {
		takeSteps(&added, func(s Step) bool { return stacks(s) || wiring[s.Opcode] }) // to keep is to stack up
		takeSteps(&removed, func(s Step) bool { return constrains(s) || likens(s) })
	}
	if retyped := retype(&added, &removed); retyped != "" {
		parts = append(parts, retyped)
	}
	switch first := edits[0]; {
	case first.Repeats != nil && len(edits) == 1:
		parts = append(parts, fmt.Sprintf("%s are computed a second time, as in %s", stepList(added), placeOfStatement(first.Repeats)))
	case len(added) > 0 && recomputed(first):
		parts = append(parts, "computed again for the backward pass: "+stepList(added))
	case len(added) > 0:
		parts = append(parts, "new: "+stepList(added))
	}
	if first := edits[0]; first.Caller.File != "" && len(first.Added) > 0 && len(parts) > 0 {
		word, places := ", called from ", first.Callers
		if first.OneCall { // the call is where the cause is said to be
			word, places = ", in ", []hlo.Location{first.Source}
		}
		parts[len(parts)-1] += word + phrase.Or(phrase.First(placesOf(places), 3))
	}
	switch {
	case len(removed) > 0 && len(added) == 0 && forgets:
		parts = append(parts, "no longer computed again for the backward pass, but kept for it: "+stepList(removed))
	case len(removed) > 0:
		parts = append(parts, "gone: "+stepList(removed))
	}
	return strings.Join(parts, "; ")
}

func placesOf(lines []hlo.Location) (places []string) {
	for _, l := range lines {
		places = append(places, strings.Trim(at(l), " ()"))
	}
	return places
}

func placeOfStatement(s *facts.Statement) string {
	if place := at(s.Source); place != "" {
		return strings.Trim(place, " ()")
	}
	return s.Scope
}

func loopsSentence(n int, unrolled bool) string {
	switch {
	case n == 1 && unrolled:
		return "a loop is unrolled"
	case n == 1:
		return "a loop is gone"
	case unrolled:
		return fmt.Sprintf("%d loops are unrolled", n)
	}
	return fmt.Sprintf("%d loops are gone", n)
}

func wallSentence(s Step) string {
	word := wallWord(s.Opcode)
	if s.Count == 1 {
		return word + " is new"
	}
	if s.Opcode == barrier {
		return fmt.Sprintf("%d optimization barriers are new", s.Count)
	}
	return fmt.Sprintf("%d calls of the host are new (%s)", s.Count, s.Opcode)
}

// retype pairs what came in one type with what went in another: "dot, add run in f64, not f32".
func retype(added, removed *[]Step) string {
	from, to := map[string]Step{}, map[string]Step{}
	for _, r := range *removed {
		from[r.Opcode] = r
	}
	for _, a := range *added {
		if was, ok := from[a.Opcode]; ok && was.Type != a.Type && was.Count == a.Count && retypes(a.Opcode, was.Type, a.Type) {
			to[a.Opcode] = a
		}
	}
	if len(to) == 0 {
		return ""
	}
	retyped := takeSteps(added, func(s Step) bool { return to[s.Opcode] == s })
	takeSteps(removed, func(s Step) bool { return to[s.Opcode].Count > 0 && from[s.Opcode] == s })
	first := retyped[0]
	return fmt.Sprintf("%s in %s, not %s", stepList(retyped), first.Type, from[first.Opcode].Type)
}

// respread pairs sharding constraints that came with as many that went: "a sharding constraint is P('data', None), was P('data', 'model')".
func respread(added, removed *[]Step) string {
	i, j := slices.IndexFunc(*added, constrains), slices.IndexFunc(*removed, constrains)
	if i < 0 || j < 0 || (*added)[i].Count != (*removed)[j].Count {
		return ""
	}
	now, before := (*added)[i], (*removed)[j]
	takeSteps(added, func(s Step) bool { return s == now })
	takeSteps(removed, func(s Step) bool { return s == before })
	is, was := strings.TrimPrefix(now.Opcode, constraint), strings.TrimPrefix(before.Opcode, constraint)
	if now.Count > 1 {
		return fmt.Sprintf("%d sharding constraints are %s now, were %s", now.Count, is, was)
	}
	return fmt.Sprintf("a sharding constraint is %s now, was %s", is, was)
}
