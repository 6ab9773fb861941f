package ledger

import (
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
)

// EndSooner lists the loops that the baseline ran a known number of times, and that may end earlier now, but never later: each as it was and
// as it is. It lists none where any other loop is not as it was: of a program with a loop of unknown length it is not known what the others
// cost, either.
func EndSooner(old, fresh *facts.Variant) (sooner [][2]*facts.Kernel) {
	pairs, gone, added := PairLoops(Loops(old), Loops(fresh))
	if len(gone)+len(added) > 0 {
		return nil
	}
	for _, pair := range pairs {
		switch was, is := pair[0], pair[1]; {
		case is.Length == 0 && is.Most > 0 && is.Most <= was.Length:
			sooner = append(sooner, pair)
		case is.Length != was.Length:
			return nil
		}
	}
	return sooner
}

// SameLoops says whether the program has as many loops as before and runs them as often, or ends them earlier and does no more beside them:
// the cost of one that was unrolled, or whose length is not known, cannot be compared.
func SameLoops(v *diff.Variant) bool {
	was, is := v.Old.Facts, v.New.Facts
	if was["loops.while"] != is["loops.while"] || was[UnknownLoops] > 0 {
		return false
	}
	if is[UnknownLoops] > 0 {
		sooner := EndSooner(v.Old, v.New)
		return int(is[UnknownLoops]) == len(sooner) && noMoreBeside(v, sooner)
	}
	return was[TripCount] == is[TripCount]
}

// noMoreBeside says whether what stands outside of some loops launches, computes and moves no more in a run than it did: as the length of those
// is not known any more, the cost of the whole program counts every loop once, however often the others run.
func noMoreBeside(v *diff.Variant, loops [][2]*facts.Kernel) bool {
	var names []string
	for _, pair := range loops {
		names = append(names, pair[1].OpName)
	}
	for _, k := range Loops(v.New) {
		if slices.Contains(names, k.OpName) && !slices.ContainsFunc(loops, func(pair [2]*facts.Kernel) bool { return pair[1] == k }) {
			return false // what stands in the one cannot be told from what stands in the other
		}
	}
	was, is := beside(v.Old, names), beside(v.New, names)
	return is.Launches <= was.Launches && is.Flops <= Wobble*was.Flops && is.Bytes <= Wobble*was.Bytes
}

// beside is what a run does outside of loops that are called so. That a single number is copied, such as the flag that ends one, does not count.
func beside(v *facts.Variant, loops []string) (w LoopWork) {
	outside := func(k *facts.Kernel) bool {
		return (k.Class.Computes() || copiesArray(k)) && !slices.ContainsFunc(loops, func(loop string) bool { return standsIn(k, loop) })
	}
	for k := range Kernels(v, outside) {
		w.add(k, Runs(k))
	}
	return w
}

// standsIn says whether a kernel is in a loop that is called so, or in one in it.
func standsIn(k *facts.Kernel, loop string) bool {
	return k.InLoop && (k.Loop == loop || strings.HasPrefix(k.Loop, loop+"/"))
}

// IterationOf is what one iteration of a loop does, with the loops in it.
func IterationOf(v *facts.Variant, loop *facts.Kernel) (w LoopWork) {
	iterations := Runs(loop) * float64(max(loop.Length, 1))
	for k := range Kernels(v, func(k *facts.Kernel) bool { return CostsLaunch(k) && standsIn(k, loop.OpName) }) {
		w.add(k, Runs(k)/iterations)
	}
	return w
}
