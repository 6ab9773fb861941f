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

// editsTitle says what the model does in one place and did not in the old program.
func (s *suspect) editsTitle(old *facts.Variant) string {
	var added, removed []Step
	for _, e := range s.edits {
		added, removed = append(added, e.Added...), append(removed, e.Removed...)
	}
	var parts []string
	if into := intoLoop(s.edits, &added); into != "" {
		parts = append(parts, into)
	}
	added, removed = cancelled(added, removed)
	if spread := respread(&added, &removed); spread != "" {
		parts = append(parts, spread)
	}
	if loops := takeSteps(&removed, func(s Step) bool { return s.Opcode == "while" }); len(loops) > 0 {
		parts = append(parts, lostLoops(loops[0].Count, repeats(added, old)))
	}
	if walls := takeSteps(&added, func(s Step) bool { return s.Opcode == barrier || callsHost(s.Opcode) }); len(walls) > 0 {
		parts = append(parts, s.wallsTitle(walls))
	}
	first, forgets := s.edits[0], slices.ContainsFunc(s.edits, forgotten)
	if forgets {
		takeSteps(&added, func(s Step) bool { return stacks(s) || wiring[s.Opcode] }) // to keep is to stack up
		takeSteps(&removed, func(s Step) bool { return constrains(s) || likens(s) })
	}
	if retyped := retype(&added, &removed); retyped != "" {
		parts = append(parts, retyped)
	}
	switch {
	case first.Repeats != nil && len(s.edits) == 1:
		parts = append(parts, fmt.Sprintf("%s computed a second time, as in %s", stepList(added), cmp.Or(first.Repeats.Source.Short(), first.Repeats.Scope)))
	case len(added) > 0 && recomputed(first):
		parts = append(parts, "rematerialized for the backward pass: "+stepList(added))
	case len(added) > 0:
		parts = append(parts, "new: "+stepList(added))
	}
	if first.Caller.File != "" && len(first.Added) > 0 && len(parts) > 0 {
		parts[len(parts)-1] += calledFrom(first)
	}
	switch {
	case len(removed) > 0 && len(added) == 0 && forgets:
		parts = append(parts, "no longer rematerialized but kept for the backward pass: "+stepList(removed))
	case len(removed) > 0:
		parts = append(parts, "gone: "+stepList(removed))
	}
	return strings.Join(parts, "; ")
}

// calledFrom says which calls of its function an edit may be; where the call is the place of the cause, where the function is.
func calledFrom(e *Edit) string {
	word, lines := ", called from ", e.Callers
	if e.OneCall {
		word, lines = ", in ", []hlo.Location{e.Source}
	}
	var places []string
	for _, l := range lines {
		places = append(places, l.Short())
	}
	return word + phrase.Or(phrase.First(places, 3))
}

// wallsTitle says that barriers and host callbacks are new, and which kernel the first kind of them splits: "a new optimization barrier splits
// multiply, tanh in 2 kernels".
func (s *suspect) wallsTitle(walls []Step) string {
	var parts []string
	hosts := 0
	for _, w := range walls {
		if callsHost(w.Opcode) {
			hosts = max(hosts, w.Count) // a TPU sends and receives for one callback
			continue
		}
		parts = append(parts, newOnes(w.Count, "optimization barrier"))
	}
	if hosts > 0 {
		parts = append(parts, newOnes(hosts, "host callback")+inBrackets(s.callback(walls)))
	}
	text := strings.Join(parts, " and ")
	if len(s.split) == 0 || len(s.split[0].Between) == 0 || !s.split[0].Between[0].wall() {
		return text
	}
	one, verb := s.split[0], " splits "
	if len(parts) > 1 || walls[0].Count > 1 {
		verb = " split "
	}
	if text += verb + one.One.Operations() + fmt.Sprintf(" in %d kernels", len(one.Many)); len(s.split) > 1 {
		text += ", and " + phrase.Some(len(s.split)-1, "more kernel")
	}
	s.split = nil // it is said
	return text
}

// newOnes is "a new host callback", "3 new host callbacks".
func newOnes(n int, noun string) string {
	if n == 1 {
		return "a new " + noun
	}
	return phrase.Some(n, "new "+noun)
}

// callback is what the model calls a new host callback: "debug_print"; else its target.
func (s *suspect) callback(walls []Step) string {
	for i := range s.After {
		if k := &s.After[i]; k.Kind == facts.KindHost || callsHost(k.Target) {
			if step := lastStep(k.OpName); step != "" {
				return step
			}
		}
	}
	target := ""
	for _, w := range walls {
		if strings.Contains(w.Opcode, "callback") {
			target = w.Opcode
		}
	}
	return target
}

func lostLoops(n int, unrolled bool) string {
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

// respread pairs sharding constraints that came with as many that went: "a sharding constraint is now P('data', None), was P('data', 'model')".
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
		return fmt.Sprintf("%d sharding constraints are now %s, were %s", now.Count, is, was)
	}
	return fmt.Sprintf("a sharding constraint is now %s, was %s", is, was)
}
