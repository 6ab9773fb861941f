package changes

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/xlagate/xlagate/internal/facts"
)

// PairLoops joins loops that the model calls alike: first those that carry the same and run as often, then those that do one of both, then the others in
// order of length. Loops in one function all have one name. A loop whose work the other side has under another name is not joined by its name alone: where the
// loop around it is unrolled, its copies have that loop's name. The rest is gone or added.
func PairLoops(old, fresh []*facts.Kernel) (pairs [][2]*facts.Kernel, gone, added []*facts.Kernel) {
	p := newPairing(loopsByName(old), loopsByName(fresh))
	work := func(k *facts.Kernel) string { return fmt.Sprint(k.Out, "\x00", k.Length) }
	for _, key := range []func(*facts.Kernel) string{
		func(k *facts.Kernel) string { return k.OpName + "\x00" + work(k) },
		func(k *facts.Kernel) string { return k.OpName + "\x00" + k.Out },
		func(k *facts.Kernel) string { return fmt.Sprint(k.OpName, "\x00", k.Length) },
	} {
		p.inTurn(key)
	}
	was, is := map[string]bool{}, map[string]bool{}
	for _, k := range p.gone() {
		was[work(k)] = true
	}
	for _, k := range p.added() {
		is[work(k)] = true
	}
	p.inTurn(func(k *facts.Kernel) string {
		if w := work(k); was[w] && is[w] {
			return ""
		}
		return "name " + k.OpName
	})
	for j, i := range p.was {
		if i >= 0 {
			pairs = append(pairs, [2]*facts.Kernel{p.old[i], p.fresh[j]})
		}
	}
	return pairs, p.gone(), p.added()
}

// loopsByName lists loops by name, and those of one name by length.
func loopsByName(loops []*facts.Kernel) []*facts.Kernel {
	return slices.SortedStableFunc(slices.Values(loops), func(a, b *facts.Kernel) int {
		return cmp.Or(cmp.Compare(a.OpName, b.OpName), cmp.Compare(a.Length, b.Length))
	})
}

// Unrolled reports whether the work of loops that are gone stands in the program several times: of most operations in their bodies there are as many more
// as the bodies have. A loop that became a branch, or is not needed any more, leaves none.
func (v *Variant) Unrolled() bool { return v.unrolled }

// isUnrolled is what [Variant.Unrolled] reports of the loops that are gone.
func isUnrolled(old, fresh *facts.Variant, gone []*facts.Kernel) bool {
	names := map[string]bool{}
	for _, l := range gone {
		names[l.OpName] = true
	}
	body := map[string]int{}
	for i := range old.Kernels {
		k := &old.Kernels[i]
		// Where a TPU's compiler peels a loop, neither it nor what is in it has the loop's name.
		if !k.InLoop || !names[k.Loop] {
			continue
		}
		for _, do := range k.Do {
			body[do.Opcode] += do.Times
		}
	}
	had, has := operations(old), operations(fresh)
	all, again := 0, 0
	for opcode, n := range body {
		if !wiring[opcode] {
			all, again = all+n, again+min(n, max(0, has[opcode]-had[opcode]))
		}
	}
	return 2*again > all
}

// BodyCopies is how often the body of an unrolled loop is in the program. It is 0 unless most kernels that are there several times run as often as before, all
// together: work that is done again is no unrolled loop. There may be more loops than before, those within the body.
func (v *Variant) BodyCopies() int {
	times, alike := map[int]int{}, 0
	for i := range v.Kernels.Unrolled {
		u := &v.Kernels.Unrolled[i]
		runs, out := 0.0, true
		for j := range u.Many {
			runs += u.Many[j].Runs()
			out = out && loopsAround(u.Many[j].OpName) < loopsAround(u.One.OpName) // a loop that becomes two is not unrolled
		}
		if out && runs == u.One.Runs() {
			times[len(u.Many)]++
			alike++
		}
	}
	if 2*alike <= len(v.Kernels.Unrolled) || !v.Unrolled() {
		return 0
	}
	return slices.MaxFunc(slices.Sorted(maps.Keys(times)), func(a, b int) int { return cmp.Compare(times[a], times[b]) })
}

// operations counts the operations in all kernels of a variant, each once.
func operations(v *facts.Variant) map[string]int {
	n := map[string]int{}
	for i := range v.Kernels {
		for _, do := range v.Kernels[i].Do {
			n[do.Opcode] += do.Times
		}
	}
	return n
}

// EndSooner returns pairs of loops, old and new. The old loop ran a known number of times. The new one may end earlier, but never later, and its iterations take no
// longer. EndSooner returns nothing if another loop came, went or runs another number of times: beside a loop of unknown length, its cost is not known either.
func EndSooner(old, fresh *facts.Variant) (sooner [][2]*facts.Kernel) {
	pairs, gone, added := PairLoops(old.Loops(), fresh.Loops())
	if len(gone)+len(added) > 0 {
		return nil
	}
	for _, pair := range pairs {
		switch was, is := pair[0], pair[1]; {
		case is.Length == 0 && is.MaxTrips > 0 && is.MaxTrips <= was.Length && !dearerStep(old, fresh, was, is):
			sooner = append(sooner, pair)
		case is.Length != was.Length:
			return nil
		}
	}
	return sooner
}

// dearerStep reports whether an iteration of a loop is predicted to take asMuchMore of its time before.
func dearerStep(old, fresh *facts.Variant, was, is *facts.Kernel) bool {
	if fresh.Device == nil {
		return false
	}
	step := func(v *facts.Variant, loop *facts.Kernel) (ns float64) {
		for _, p := range v.Prices(fresh.Device) {
			if p.InLoop && p.Loop == loop.OpName {
				ns += p.Once.Total()
			}
		}
		return ns
	}
	return step(fresh, is) >= asMuchMore*step(old, was)
}

// runAlike makes loops of unknown length run as often as in the baseline, if they may: a loop that may end earlier now is not cheaper for that. It returns how
// many loops this gives another number of iterations.
func runAlike(old, fresh *facts.Variant) (n int) {
	if len(fresh.EndlessLoops()) == 0 || fresh.Device == nil {
		return 0
	}
	fresh.Kernels = slices.Clone(fresh.Kernels) // compiles share what was measured of them
	pairs, _, _ := PairLoops(old.Loops(), fresh.Loops())
	for _, pair := range pairs {
		was, is := pair[0].Iterations(), pair[1]
		if is.Length == 0 && (is.MaxTrips == 0 || was <= is.MaxTrips) && was > 0 && was != is.Iterations() {
			fresh.Run(is, was)
			n++
		}
	}
	fresh.PriceOn(fresh.Device)
	return n
}

// LoopChange is a loop that runs in another way than before.
type LoopChange struct{ Old, New *facts.Kernel }

// String says how often the loop ran and runs, or how it ends; "" where that is the same.
func (c LoopChange) String() string {
	was, is := c.Old, c.New
	switch {
	case was.Length > 0 && is.Length > 0 && was.Length != is.Length:
		return fmt.Sprintf("the loop ran %d times, now %d", was.Length, is.Length)
	case was.Length > 0 && is.Length == 0 && is.MaxTrips > 0:
		return fmt.Sprintf("the loop ran %d times, now at most %d", was.Length, is.MaxTrips)
	case was.Length > 0 && is.Length == 0:
		return fmt.Sprintf("the loop ran %d times, now an unknown number of times", was.Length)
	case was.ExitsEarly && is.Length > 0:
		return fmt.Sprintf("the loop could end early, now it always runs %d times", is.Length)
	case was.ExitsEarly && !is.ExitsEarly:
		return "the loop could end early, now it runs until its counter ends it"
	}
	return ""
}

// loopChanges lists the loops that run more or less often or end differently, those that are no longer bounded first.
func loopChanges(old, fresh *facts.Variant) (list []LoopChange) {
	pairs, _, _ := PairLoops(old.Loops(), fresh.Loops())
	for _, pair := range pairs {
		if c := (LoopChange{pair[0], pair[1]}); c.String() != "" {
			list = append(list, c)
		}
	}
	slices.SortStableFunc(list, func(a, b LoopChange) int { return cmp.Compare(b.growth(), a.growth()) })
	return list
}

// growth is how many times as often the loop runs; infinitely where it is not bounded any more.
func (c LoopChange) growth() float64 {
	if c.New.Length == 0 || c.Old.Length == 0 {
		return math.Inf(1)
	}
	return float64(c.New.Length) / float64(c.Old.Length)
}

// longerLoop returns the loop that became longer by most, where the model has no new operations.
func longerLoop(v *Variant) (*Cause, Evidence) {
	if v == nil || v.Old == nil || len(v.Model.Edits) > 0 {
		return nil, Evidence{}
	}
	longer := slices.DeleteFunc(loopChanges(v.Old, v.New), func(c LoopChange) bool { return c.Old.Length == 0 || c.New.Length <= c.Old.Length })
	if len(longer) == 0 {
		return nil, Evidence{}
	}
	old, fresh := longer[0].Old, longer[0].New
	return CauseAt(loopsTitle(longer), fresh), Evidence{Before: []string{old.LoopLine()}, After: []string{fresh.LoopLine()}}
}

// LostExits lists the loops that only their counter ends now, though something else could end them before. If the names of loops changed, but not their trip
// counts, it takes as many of the new loops as there are early exits less.
func (v *Variant) LostExits() (lost []*facts.Kernel) {
	pairs, gone, added := PairLoops(v.Old.Loops(), v.New.Loops())
	for _, pair := range pairs {
		if pair[0].ExitsEarly && countsOnly(pair[1]) {
			lost = append(lost, pair[1])
		}
	}
	if !slices.Equal(lengths(gone), lengths(added)) {
		return lost
	}
	counting := slices.DeleteFunc(slices.Clone(added), func(k *facts.Kernel) bool { return !countsOnly(k) })
	more := exits(gone) - exits(added)
	return append(lost, counting[:min(max(0, more), int64(len(counting)))]...)
}

// countsOnly reports whether only its counter ends a loop of unknown length.
func countsOnly(k *facts.Kernel) bool { return k.Length == 0 && !k.ExitsEarly }

// exits counts the loops that more than a counter may end.
func exits(loops []*facts.Kernel) (n int64) {
	for _, k := range loops {
		n += Flag(k.ExitsEarly)
	}
	return n
}

// lengths lists how often loops run, in order.
func lengths(loops []*facts.Kernel) (n []int64) {
	for _, k := range loops {
		n = append(n, k.Length)
	}
	slices.Sort(n)
	return n
}

// asMuchMore is by how many times the work of an iteration, or its time, has to grow for one new iteration to be taken for two old ones. It is less than 2,
// because what the two have in common is computed once.
const asMuchMore = 1.5

// PartlyUnrolled pairs the loops that run at most half as often as in the baseline, while each time they launch more and compute as much
// more.
func (v *Variant) PartlyUnrolled() (loops [][2]*facts.Kernel) {
	pairs, _, _ := PairLoops(v.Old.Loops(), v.New.Loops())
	for _, pair := range pairs {
		old, fresh := pair[0], pair[1]
		if fresh.Length == 0 || old.Length < 2*fresh.Length {
			continue
		}
		was, is := v.Old.LoopStep(old), v.New.LoopStep(fresh)
		if is.Launches > was.Launches && is.Flops >= asMuchMore*was.Flops {
			loops = append(loops, pair)
		}
	}
	return loops
}

// LoopGrowth returns the cause of loops that are gone or run otherwise: the edit that removed a loop, else the one behind the kernels in loops.
func (v *Variant) LoopGrowth() (*Cause, Evidence) {
	return v.editElse(losesLoop, func(k *facts.Kernel) bool { return k.InLoop })
}

// losesLoop reports whether an edit removed a loop.
func losesLoop(e Edit) bool {
	return slices.ContainsFunc(e.Removed, func(s Step) bool { return s.Opcode == "while" })
}
