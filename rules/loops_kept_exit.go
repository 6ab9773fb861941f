package rules

import (
	"slices"

	"github.com/xlagate/xlagate/internal/diff"

	"github.com/xlagate/xlagate/internal/facts"

	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/rule"
)

// judgeExits counts the loops of unknown length that surely something else than their counter ended in the baseline, and surely nothing else now.
// What an iteration costs does not tell.
func judgeExits(c *rule.Context, p *diff.Program, v *diff.Variant) {
	if v.Old == nil || !slices.ContainsFunc(v.Old.Loops(), stops) || c.MaxIncrease == nil && c.MaxDecrease == nil {
		return
	}
	lost := lostExits(v)
	a := rule.Amount{Program: p, Variant: v, Subject: string(facts.LoopsEarlyExit), Noun: "loops that end early no more", Better: rule.Lower, Actual: float64(len(lost))}
	a.Base = new(0.0)
	a.Tell = func(f rule.Finding) []rule.Finding {
		f.Message = "the loop " + lost[0].LoopPlace() + " could end early, and now runs until its counter is through"
		if others := len(lost) - 1; others > 0 {
			f.Message += "; " + phrase.Counted(float64(others), "", "other loops") + " as well"
		}
		f.Cause = diff.CauseAt("a condition that ended the loop is gone: only its counter ends it", lost[0])
		return []rule.Finding{f}
	}
	c.With(rule.NoMore).Hold(a)
}

// lostExits lists the loops that only their counter ends any more: those that the model calls as it did one that surely ended otherwise; where it
// calls loops otherwise now, and they are the same as far as is known, as many of those that are new as went of the others.
func lostExits(v *diff.Variant) (lost []*facts.Kernel) {
	pairs, gone, added := diff.PairLoops(v.Old.Loops(), v.New.Loops())
	for _, pair := range pairs {
		if pair[0].Stops && countsOnly(pair[1]) {
			lost = append(lost, pair[1])
		}
	}
	if !slices.Equal(lengths(gone), lengths(added)) {
		return lost
	}
	counting := those(added, countsOnly)
	more := len(those(gone, stops)) - len(those(added, mayStop))
	return append(lost, counting[:min(max(0, more), len(counting))]...)
}

func stops(k *facts.Kernel) bool { return k.Stops }

// mayStop says whether a loop of which it is not known how often it runs stops, or nobody knows that it does not.
func mayStop(k *facts.Kernel) bool { return k.Length == 0 && !k.Counts }

func those(loops []*facts.Kernel, are func(*facts.Kernel) bool) []*facts.Kernel {
	return slices.DeleteFunc(slices.Clone(loops), func(k *facts.Kernel) bool { return !are(k) })
}

// lengths lists how often loops run, in order.
func lengths(loops []*facts.Kernel) (n []int64) {
	for _, k := range loops {
		n = append(n, k.Length)
	}
	slices.Sort(n)
	return n
}

// countsOnly says whether surely nothing but counters ends a loop of which it is not known how often it runs.
func countsOnly(k *facts.Kernel) bool { return k.Length == 0 && k.Counts }
