package rules

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"

	"github.com/xlagate/xlagate/internal/facts"
)

// loopsOf lists the loops of a program, in its order.
func loopsOf(v *facts.Variant) []*facts.Kernel {
	return slices.Collect(kernelsThat(v, func(k *facts.Kernel) bool { return k.Root == "while" && k.Class == facts.ClassControl }))
}

// unknownIn lists the loops of which nobody knows how often they run.
func unknownIn(v *facts.Variant) (loops []*facts.Kernel) {
	if v.Facts[unknownLoops] == 0 { // one that does not say is never run
		return nil
	}
	for _, k := range loopsOf(v) {
		if k.Length == 0 {
			loops = append(loops, k)
		}
	}
	return loops
}

// oneByOne says whether it is known of every loop how often it runs: a baseline of earlier only knew it of all together.
func oneByOne(v *facts.Variant) bool {
	return v.Facts[tripCount] == 0 || slices.ContainsFunc(loopsOf(v), func(k *facts.Kernel) bool { return k.Length > 0 })
}

// pairLoops joins loops that the model calls alike: those of one length first, the others in order of length. The rest is gone or added.
func pairLoops(old, fresh []*facts.Kernel) (pairs [][2]*facts.Kernel, gone, added []*facts.Kernel) {
	was, is := byName(old), byName(fresh)
	for _, name := range slices.Sorted(maps.Keys(is)) {
		same, left, more := sameLength(was[name], is[name])
		for i := range min(len(left), len(more)) {
			same = append(same, [2]*facts.Kernel{left[i], more[i]})
		}
		joined := min(len(left), len(more))
		pairs, gone, added = append(pairs, same...), append(gone, left[joined:]...), append(added, more[joined:]...)
		delete(was, name)
	}
	for _, name := range slices.Sorted(maps.Keys(was)) {
		gone = append(gone, was[name]...)
	}
	return pairs, gone, added
}

// byName groups loops by what the model calls them, the shortest first.
func byName(loops []*facts.Kernel) map[string][]*facts.Kernel {
	groups := map[string][]*facts.Kernel{}
	for _, k := range loops {
		groups[k.OpName] = append(groups[k.OpName], k)
	}
	for _, group := range groups {
		slices.SortStableFunc(group, func(a, b *facts.Kernel) int { return cmp.Compare(a.Length, b.Length) })
	}
	return groups
}

// sameLength joins loops of one length out of two lists in order of it, and lists what is left of either.
func sameLength(old, fresh []*facts.Kernel) (pairs [][2]*facts.Kernel, left, more []*facts.Kernel) {
	for len(old) > 0 && len(fresh) > 0 {
		switch c := cmp.Compare(old[0].Length, fresh[0].Length); {
		case c == 0:
			pairs = append(pairs, [2]*facts.Kernel{old[0], fresh[0]})
			old, fresh = old[1:], fresh[1:]
		case c < 0:
			left, old = append(left, old[0]), old[1:]
		default:
			more, fresh = append(more, fresh[0]), fresh[1:]
		}
	}
	return pairs, append(left, old...), append(more, fresh...)
}

// endSooner lists the loops that the baseline ran a known number of times, and that may end earlier now, but never later. It lists none
// where any other loop is not as it was: of a program with a loop of unknown length it is not known what the others cost, either.
func endSooner(old, fresh *facts.Variant) (sooner []*facts.Kernel) {
	pairs, gone, added := pairLoops(loopsOf(old), loopsOf(fresh))
	if len(gone)+len(added) > 0 {
		return nil
	}
	for _, pair := range pairs {
		switch was, is := pair[0], pair[1]; {
		case is.Length == 0 && is.Most > 0 && is.Most <= was.Length:
			sooner = append(sooner, is)
		case is.Length != was.Length:
			return nil
		}
	}
	return sooner
}

// onlyBecameKnown says whether nothing is different about the loops but that it is known of some how often they run, and was not.
func onlyBecameKnown(old, fresh *facts.Variant) bool {
	pairs, gone, added := pairLoops(loopsOf(old), loopsOf(fresh))
	for _, pair := range pairs {
		if was, is := pair[0], pair[1]; was.Length > 0 && is.Length != was.Length {
			return false
		}
	}
	return len(gone)+len(added) == 0 && fresh.Facts[unknownLoops] < old.Facts[unknownLoops]
}

// iterations is how often loops run, all of them together, one in another as often as both.
func iterations(loops []*facts.Kernel) (n float64) {
	for _, k := range loops {
		n += float64(k.Length) * float64(k.Times)
	}
	return n
}

// loopAt is where the model has a loop: its line, else its name.
func loopAt(k *facts.Kernel) string {
	switch {
	case k.Source.File != "":
		return fmt.Sprintf("at %s:%d", path.Base(k.Source.File), k.Source.Line)
	case k.OpName != "":
		return k.OpName
	}
	return "without a name"
}

func loopLine(k *facts.Kernel) string {
	return fmt.Sprintf("loop of %d iterations   %s", k.Length, k.OpName)
}
