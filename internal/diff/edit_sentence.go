package diff

import (
	"cmp"
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

// repeats says whether most of what came is what the old model asked for, too: the body of a loop that was unrolled stands there again.
func repeats(added []Step, old *facts.Variant) bool {
	had := map[Step]bool{}
	for i := range old.Model {
		for _, op := range old.Model[i].Do {
			had[Step{op, old.Model[i].Type, 1}] = true
		}
	}
	again, work := 0, 0
	for _, s := range added {
		if wiring[s.Opcode] {
			continue
		}
		work++
		if had[Step{s.Opcode, s.Type, 1}] {
			again++
		}
	}
	return 2*again > work
}

// cancelled sums steps that are alike, and takes away what both lists have.
func cancelled(added, removed []Step) (more, less []Step) {
	type kind struct{ opcode, dtype string }
	net := map[kind]int{}
	var order []kind
	count := func(list []Step, sign int) {
		for _, s := range list {
			k := kind{s.Opcode, s.Type}
			if _, seen := net[k]; !seen {
				order = append(order, k)
			}
			net[k] += sign * s.Count
		}
	}
	count(added, 1)
	count(removed, -1)
	for _, k := range order {
		if n := net[k]; n > 0 {
			more = append(more, Step{k.opcode, k.dtype, n})
		} else if n < 0 {
			less = append(less, Step{k.opcode, k.dtype, -n})
		}
	}
	return more, less
}

// takeSteps moves the steps that fit out of a list.
func takeSteps(list *[]Step, fits func(Step) bool) []Step {
	var taken, rest []Step
	for _, s := range *list {
		if fits(s) {
			taken = append(taken, s)
		} else {
			rest = append(rest, s)
		}
	}
	*list = rest
	return taken
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

// retypes says whether an operation in one type can stand for one in another: an index that was computed is no number that is computed now.
// A product may have been one of integers.
func retypes(opcode, from, to string) bool {
	return opcode == "dot" || opcode == "convolution" || kindOfType(from) == kindOfType(to)
}

// kindOfType tells integers, which begin with s, u or p for pred, from floating-point and complex numbers.
func kindOfType(dtype string) string {
	switch {
	case strings.HasPrefix(dtype, "s"), strings.HasPrefix(dtype, "u"), dtype == "pred":
		return "integer"
	}
	return "number"
}

// stepList names steps, the weightiest first: "dot, 2 multiply, tanh".
func stepList(steps []Step) string {
	count := map[string]int{}
	var ops []string
	for _, s := range steps {
		if count[s.Opcode] == 0 {
			ops = append(ops, s.Opcode)
		}
		count[s.Opcode] += s.Count
	}
	slices.SortStableFunc(ops, func(a, b string) int { return cmp.Compare(effort(b), effort(a)) })
	for i, op := range ops {
		if n := count[op]; n > 1 {
			ops[i] = fmt.Sprintf("%d %s", n, op)
		}
	}
	return strings.Join(phrase.Within(ops, 6), ", ")
}
