package diff

import (
	"github.com/xlagate/xlagate/internal/facts"
)

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
