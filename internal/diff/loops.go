package diff

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
)

// loopKeys are the ways to recognize a loop, the surest first: by what the model calls it, what it carries and how often it runs. Loops in one
// function are all called alike.
var loopKeys = []func(*facts.Kernel) loopKey{
	func(k *facts.Kernel) loopKey { return loopKey{k.OpName, k.Out, k.Length} },
	func(k *facts.Kernel) loopKey { return loopKey{k.OpName, k.Out, 0} },
	func(k *facts.Kernel) loopKey { return loopKey{k.OpName, "", k.Length} },
	func(k *facts.Kernel) loopKey { return loopKey{k.OpName, "", 0} },
}

type loopKey struct {
	name, carries string
	length        int64
}

// PairLoops joins loops that the model calls alike: those that are most alike first, the others in order of length. The rest is gone or added.
func PairLoops(old, fresh []*facts.Kernel) (pairs [][2]*facts.Kernel, gone, added []*facts.Kernel) {
	gone, added = loopsByName(old), loopsByName(fresh)
	for _, key := range loopKeys {
		was := map[loopKey][]*facts.Kernel{}
		for _, k := range gone {
			was[key(k)] = append(was[key(k)], k)
		}
		joined := map[*facts.Kernel]bool{}
		for _, k := range added {
			if same := was[key(k)]; len(same) > 0 {
				pairs, was[key(k)] = append(pairs, [2]*facts.Kernel{same[0], k}), same[1:]
				joined[same[0]], joined[k] = true, true
			}
		}
		paired := func(k *facts.Kernel) bool { return joined[k] }
		gone, added = slices.DeleteFunc(gone, paired), slices.DeleteFunc(added, paired)
	}
	return pairs, gone, added
}

// loopsByName lists loops by name, and those of one name by length.
func loopsByName(loops []*facts.Kernel) []*facts.Kernel {
	return slices.SortedStableFunc(slices.Values(loops), func(a, b *facts.Kernel) int {
		return cmp.Or(cmp.Compare(a.OpName, b.OpName), cmp.Compare(a.Length, b.Length))
	})
}

// EndSooner lists the loops that the baseline ran a known number of times, and that may end earlier now, but never later: each as it was and
// as it is. It lists none where any other loop is not as it was: of a program with a loop of unknown length it is not known what the others
// cost, either.
func EndSooner(old, fresh *facts.Variant) (sooner [][2]*facts.Kernel) {
	pairs, gone, added := PairLoops(old.Loops(), fresh.Loops())
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

// longerLoop names the loop that runs more often than in the baseline, where the model asks for nothing else that is new.
func longerLoop(v *Variant) (*Cause, result.Evidence) {
	if v == nil || v.Old == nil || len(v.Model.Edits) > 0 {
		return nil, result.Evidence{}
	}
	var longer [][2]*facts.Kernel
	pairs, _, _ := PairLoops(v.Old.Loops(), v.New.Loops())
	for _, pair := range pairs {
		if pair[0].Length > 0 && pair[1].Length > pair[0].Length {
			longer = append(longer, pair)
		}
	}
	if len(longer) == 0 {
		return nil, result.Evidence{}
	}
	most := slices.MaxFunc(longer, func(a, b [2]*facts.Kernel) int {
		return cmp.Compare(float64(a[1].Length)/float64(a[0].Length), float64(b[1].Length)/float64(b[0].Length))
	})
	old, fresh := most[0], most[1]
	said := fmt.Sprintf("the loop ran %d times, now %d", old.Length, fresh.Length)
	if others := len(longer) - 1; others > 0 {
		said += "; " + phrase.Counted(float64(others), "", "other loops") + " became longer as well"
	}
	return CauseAt(said, fresh), result.Evidence{Before: []string{old.LoopLine()}, After: []string{fresh.LoopLine()}}
}
