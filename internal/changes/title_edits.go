package changes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
)

// editSteps are the operations that came and went with the edits of a suspect.
type editSteps struct {
	all            []Step // that came
	added, removed []Step // those of which nothing else is known
	again          []Step // came, and are computed again for the backward pass
	kept           []Step // went from there: they are kept now
	twice          []Step // came, and are elsewhere in the model as well
}

// sortSteps sorts what came and went. What the calls of a function brought that runs again is told by that.
func (s *suspect) sortSteps(v *Variant, calls map[*Edit]bool) *editSteps {
	first, effort := s.edits[0], 0
	for _, e := range s.edits {
		effort += e.effort()
	}
	repeats := first.Repeats != nil && 2*first.effort() > effort
	recomputes, forgets := s.recomputes(), slices.ContainsFunc(s.edits, forgotten) && !v.dropped()
	of := &editSteps{}
	for _, e := range s.edits {
		of.all = append(of.all, e.Added...)
		came, went := &of.added, &of.removed
		switch {
		case calls[e]:
			continue
		case forgets && forgotten(e):
			went = &of.kept
		case repeats && e == first:
			came = &of.twice
		case recomputes && recomputed(e):
			came = &of.again
		}
		*came, *went = append(*came, e.Added...), append(*went, e.Removed...)
	}
	return of
}

// editsTitle says which operations came and went.
func (s *suspect) editsTitle(v *Variant) string {
	runs, calls := s.runsAgain(v)
	of := s.sortSteps(v, calls)
	var parts []string
	say := func(texts ...string) {
		parts = append(parts, phrase.Filter(texts, func(text string) bool { return text != "" })...)
	}
	intoLoop(s.edits, &of.all)
	say(intoLoop(s.edits, &of.added))
	if moved := offloaded(v); moved != "" && slices.ContainsFunc(slices.Concat(of.all, of.removed), places) {
		say(moved)
		arranges := func(s Step) bool { return places(s) || stacks(s) || s.Opcode == roundsKept }
		takeSteps(&of.added, arranges)
		takeSteps(&of.removed, arranges)
	}
	lost, unrolled := s.lostLoops(v, of.all, &of.added, &of.removed)
	if unrolled {
		say(lost)
	}
	s.again = runs != ""
	say(runs)
	forgets := len(of.kept) > 0
	of.added, of.removed = cancelled(of.added, of.removed)
	of.added, of.kept = cancelled(of.added, of.kept)
	say(s.newLoops(v, &of.added), respread(&of.added, &of.removed), of.recomputed())
	wall := func(s Step) bool { return s.Opcode == barrier || callsHost(s.Opcode) }
	if walls := append(takeSteps(&of.added, wall), takeSteps(&of.twice, wall)...); len(walls) > 0 {
		say(s.wallsTitle(walls))
	}
	if forgets {
		of.forget()
	}
	say(turned(&of.added, &of.removed)...)
	takeSteps(&of.removed, v.stillSends)
	leaveOutMoves(&of.added, &of.removed)
	first := s.edits[0]
	if leaveOutMoves(&of.twice, &[]Step{}); len(of.twice) > 0 {
		say(fmt.Sprintf("%s computed a second time, as in %s", stepList(of.twice), cmp.Or(first.Repeats.Source.Short(), first.Repeats.Scope)))
	}
	if unrolled || forgets { // it is said, or the loop was computed again and is kept, too
		lost = ""
	}
	if !slices.ContainsFunc(of.added, func(s Step) bool { return effort(s.Opcode) >= heavyEffort }) {
		say(lost)
		lost = ""
	}
	say(listed("new: ", of.added))
	edited := s.sum != nil || v.edited.any(first.Stack) // an edited line tells which it is
	if first.Caller.File != "" && !edited && len(of.twice) == 0 && len(first.Added) > 0 && len(parts) > 0 {
		parts[len(parts)-1] += calledFrom(first)
	}
	say(lost)
	if len(of.kept) > 0 && len(of.added)+len(parts) == 0 { // nothing else explains what went
		of.kept, of.removed = append(of.kept, of.removed...), nil
	}
	say(listed("no longer rematerialized but kept for the backward pass: ", of.kept), listed("gone: ", of.removed))
	return strings.Join(parts, "; ")
}

// listed is a list of operations with what is said of them; "" if there are none.
func listed(what string, steps []Step) string {
	if len(steps) == 0 {
		return ""
	}
	return what + stepList(steps)
}

// recomputed says what is computed again for the backward pass, and takes out what jax.checkpoint adds for it.
func (of *editSteps) recomputed() string {
	if len(of.again) == 0 {
		return ""
	}
	takeSteps(&of.added, likens)
	takeSteps(&of.again, likens)
	of.again, of.removed = cancelled(of.again, of.removed)
	leaveOutMoves(&of.again, &[]Step{})
	return listed("rematerialized for the backward pass: ", of.again)
}

// forget takes out what comes and goes with jax.checkpoint. To keep is to stack up.
func (of *editSteps) forget() {
	takeSteps(&of.added, func(s Step) bool { return stacks(s) || likens(s) || wiring[s.Opcode] })
	for _, went := range []*[]Step{&of.removed, &of.kept} {
		takeSteps(went, func(s Step) bool { return constrains(s) || likens(s) })
	}
	leaveOutMoves(&of.kept, &[]Step{})
}

// stillSends reports whether the model no longer asks for a collective, and the partitioner adds as many.
func (v *Variant) stillSends(step Step) bool {
	kind, _, _ := strings.Cut(step.Opcode, " ")
	asked := slices.ContainsFunc(v.Model.Edits, func(e Edit) bool { return e.adds(kind) })
	return IsCollective(kind) && !asked && arraysSent(v.New, kind) >= max(1, arraysSent(v.Old, kind))
}

// recomputes reports whether most of what came is computed again for the backward pass, or some of it is, behind a barrier that is new and in no copy of a loop's
// body.
func (s *suspect) recomputes() bool {
	again, all, barred, unrolled := 0, 0, false, len(s.unroll) > 0
	for _, e := range s.edits {
		n := 0
		unrolled = unrolled || losesLoop(*e)
		for _, step := range e.Added {
			barred = barred || step.Opcode == barrier
			if !likens(step) {
				n += step.Count * effort(step.Opcode)
			}
		}
		if all += n; recomputed(e) {
			again += n
		}
	}
	return 2*again > all || barred && !unrolled && again > 0
}

// calledFrom names the calls of the function that an edit may be in, or the function if the call is the place of the cause.
func calledFrom(e *Edit) string {
	word, lines := ", called from ", e.Callers
	if e.OneCall {
		word, lines = ", in ", []hlo.Location{e.Source}
	}
	return word + phrase.Or(phrase.First(texts(lines, hlo.Location.Short), 3))
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
	if text += verb + one.One.Operations() + fmt.Sprintf(" into %d kernels", len(one.Many)); len(s.split) > 1 {
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

// places reports whether an operation says in which memory a value is kept.
func places(s Step) bool { return s.Opcode == "annotate_device_placement" }

// offloaded says how much less, or more, of what the model computes is in the memory of the host: "no longer offloaded to the host's memory: 16.0 MiB". It is
// "" if a side has no buffer assignment, because nothing else tells.
func offloaded(v *Variant) string {
	if !v.Knows(facts.MemoryPeak) {
		return ""
	}
	more := v.New.Facts[facts.MemoryHost] - v.Old.Facts[facts.MemoryHost]
	switch {
	case more < 0:
		return "no longer offloaded to the host's memory: " + phrase.Bytes(-more)
	case more > 0:
		return "now offloaded to the host's memory: " + phrase.Bytes(more)
	}
	return ""
}

func isLoop(s Step) bool { return s.Opcode == "while" }

// lostLoops takes the loops that are gone out of what was removed, with the slices that their steps took and the results that they stacked, and says whether
// they are unrolled: "2 loops are unrolled".
func (s *suspect) lostLoops(v *Variant, all []Step, added, removed *[]Step) (text string, unrolled bool) {
	loops := takeSteps(removed, isLoop)
	if len(loops) == 0 {
		return "", false
	}
	arranges := func(s Step) bool { return !s.Computes() }
	takeSteps(removed, arranges)
	what := "gone"
	if unrolled = repeats(all, stepsIn(v.Old)) && v.Unrolled(); unrolled {
		what, s.unroll = "unrolled", nil // it is said
		takeSteps(added, arranges)
		takeSteps(added, isLoop)
	}
	switch n := loops[0].Count; {
	case n > 1:
		return fmt.Sprintf("%d loops are %s", n, what), unrolled
	case unrolled && v.BodyCopies() > 0:
		return unrollTitle(v, nil), unrolled
	}
	return "a loop is " + what, unrolled
}

// newLoops takes the loops that came out of what was added, with what counts their steps, takes slices and stacks results. It says how often one alone runs: "a
// new loop of 64 steps". It says nothing of the loops in the copies of an unrolled body.
func (s *suspect) newLoops(v *Variant, added *[]Step) string {
	loops := takeSteps(added, isLoop)
	if len(loops) == 0 || s.unroll != nil {
		return ""
	}
	n := loops[0].Count
	takeSteps(added, func(s Step) bool {
		counts := slices.Contains([]string{"add", "subtract", "compare"}, s.Opcode) && kindOfType(s.Type) != "number"
		return stacks(s) || counts && s.Count <= n
	})
	switch {
	case n > 1:
		return fmt.Sprintf("%d new loops", n)
	case len(v.addedLoops) == 1 && v.addedLoops[0].Length > 0:
		return fmt.Sprintf("a new loop of %d steps", v.addedLoops[0].Length)
	}
	return "a new loop"
}

// quality is how an operation computes: in which type, and with which precision or promises. With another quality it is still the same operation: a dot in f32 for
// one in bf16.
type quality struct{ dtype, special string }

func (s Step) split() (opcode string, q quality) {
	opcode, special, _ := strings.Cut(s.Opcode, " ")
	return opcode, quality{s.Type, special}
}

// turned pairs what came with what went in another type or precision: "dot, add: f32 → f64", "26 dot: default → highest precision". First it pairs what differs in
// type alone. Of what is cheap it pairs as many as there are on both sides only where something else differs in the same way.
func turned(added, removed *[]Step) (parts []string) {
	onlyMoves := !slices.ContainsFunc(slices.Concat(*added, *removed), func(s Step) bool { return !movesData(s) }) // in whatever type
	pairs := map[string][]Step{}
	var order []string
	pair := func(fits func(a, r *Step, to string) bool) {
		for i := range *removed {
			r := &(*removed)[i]
			opcode, was := r.split()
			for j := range *added {
				a := &(*added)[j]
				other, is := a.split()
				n, to := min(a.Count, r.Count), was.to(is)
				if n == 0 || other != opcode || constrains(*a) || !onlyMoves && !retypes(opcode, was.dtype, is.dtype) || !fits(a, r, to) {
					continue
				}
				if pairs[to] == nil {
					order = append(order, to)
				}
				pairs[to] = append(pairs[to], Step{Opcode: opcode, Count: n})
				a.Count, r.Count = a.Count-n, r.Count-n
			}
		}
	}
	alike := func(a, r *Step, _ string) bool {
		opcode, _ := r.split()
		return a.Count == r.Count || effort(opcode) >= heavyEffort
	}
	pair(func(a, r *Step, to string) bool {
		_, was := r.split()
		_, is := a.split()
		return was.special == is.special && alike(a, r, to)
	})
	pair(alike)
	pair(func(_, _ *Step, to string) bool { return pairs[to] != nil })
	follows := func(s Step) bool { return spent(s) || len(order) > 0 && s.Opcode == "convert" } // what is in another type is converted
	takeSteps(added, follows)
	takeSteps(removed, follows)
	most := func(to string) int {
		return slices.Max(phrase.Map(pairs[to], func(s Step) int { return effort(s.Opcode) }))
	}
	slices.SortStableFunc(order, func(a, b string) int { return cmp.Compare(most(b), most(a)) }) // indices come last
	for _, to := range order {
		parts = append(parts, stepList(pairs[to])+": "+to)
	}
	return parts
}

func spent(s Step) bool { return s.Count == 0 }

// to is "f32 → bf16", "default → highest precision", "over 2 devices → over all devices" or "indices_are_sorted → no promise".
func (q quality) to(is quality) string {
	switch {
	case q.special == is.special:
		return q.dtype + " → " + is.dtype
	case strings.HasPrefix(cmp.Or(q.special, is.special), "over "):
		return cmp.Or(q.special, "over all devices") + " → " + cmp.Or(is.special, "over all devices")
	case strings.HasPrefix(cmp.Or(q.special, is.special), "indices") || strings.HasPrefix(cmp.Or(q.special, is.special), "unique"):
		return cmp.Or(q.special, "no promise") + " → " + cmp.Or(is.special, "no promise")
	}
	return precisionWord(q.special) + " → " + precisionWord(is.special) + " precision"
}

// precisionWord is "highest" of "{highest,highest}".
func precisionWord(special string) string {
	words := slices.Compact(strings.Split(strings.Trim(special, "{}"), ","))
	return cmp.Or(strings.Join(words, "/"), "default")
}

// leaveOutMoves removes the steps that only move data if others compute.
func leaveOutMoves(added, removed *[]Step) {
	if slices.ContainsFunc(slices.Concat(*added, *removed), Step.Computes) {
		takeSteps(added, movesData)
		takeSteps(removed, movesData)
	}
}

// respread pairs new sharding constraints with as many that are gone: "a sharding constraint is now P('data', None), was P('data', 'model')".
func respread(added, removed *[]Step) string {
	sameConstraints(added, removed)
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

// sameConstraints takes away the constraints that are gone and came in another type: they are the same.
func sameConstraints(added, removed *[]Step) {
	for i := range *added {
		for j := range *removed {
			if a, r := &(*added)[i], &(*removed)[j]; constrains(*a) && a.Opcode == r.Opcode {
				n := min(a.Count, r.Count)
				a.Count, r.Count = a.Count-n, r.Count-n
			}
		}
	}
	takeSteps(added, spent)
	takeSteps(removed, spent)
}
