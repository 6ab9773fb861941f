package diff

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/xlagate/xlagate/internal/facts"

	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
)

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
