package diff

import (
	"cmp"
	"slices"

	"github.com/xlagate/xlagate/internal/facts"
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
