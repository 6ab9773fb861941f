// Package excuse says when growth against the baseline is none that anybody should be stopped for: a run does not pay for it, or it is
// not what it seems.
package excuse

import (
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/ledger"
)

// Subjects of rules that are no facts.
const (
	MissingFusions = "missing fusions"
	LoopCopies     = "copies.in_loops"
)

// Allowance is what an entry lets pass besides the amount that it allows.
type Allowance struct {
	Least    float64                   // growth below this
	Costless bool                      // growth that the program does not pay for
	Cheaper  bool                      // growth that a whole run does not pay for
	Room     func(old float64) float64 // how much the peak may grow with it; nil: not at all, nor stay
}

// Excuses says whether a growth against the baseline is none that anybody should be stopped for. What is bounded without a baseline is
// never excused.
func (a Allowance) Excuses(v *diff.Variant, fact string, grown float64) bool {
	if v == nil || v.Old == nil || grown <= 0 {
		return false
	}
	if grown < a.Least || a.Costless && !Costlier(v) || a.PaysLess(v, fact) {
		return true
	}
	if a.Cheaper && fact == "transposes.count" && movesLess(v) {
		return true
	}
	if v.Regrouped && fact == "memory.temp_bytes" && !reservesMore(v) { // what one cluster left and another took
		return true
	}
	switch fact {
	case "memory.peak_bytes": // what was a constant and is an argument now lies in memory either way
		return grown <= ledger.ConstantBytes(v.Old)-ledger.ConstantBytes(v.New) || !reservesMore(v)
	case "cost.estimated_cycles": // a loop counts as often as it runs only where that is known
		return ledger.OnlyBecameKnown(v.Old, v.New)
	case "cost.flops":
		return onlyConverted(v, grown) || a.Cheaper && (paidInTraffic(v, 1) || onlyMerged(v) || cheaper(v) && exitPays(v))
	case "cost.bytes_accessed":
		return onlyDonated(v) || !movesMore(v) || movedOnce(v.New)-movedOnce(v.Old) <= becameArguments(v) // an argument is read as it is passed
	case "memory.temp_bytes", "memory.allocation_bytes", "copies.count", LoopCopies, "instructions.after", "kernels.all", "unfused":
		return onlyDonated(v)
	}
	return false
}

// PaysLess says whether growth is let pass because a whole run does not pay for it.
func (a Allowance) PaysLess(v *diff.Variant, fact string) bool {
	if !a.Cheaper || fact == "cost.flops" {
		return false
	}
	return cheaper(v) && (fact != "memory.temp_bytes" || a.sameRoom(v)) || fact == MissingFusions && holdsNoMore(v)
}

// holdsNoMore says whether a run takes no more of anything than it did: launches, arithmetic, traffic, collectives of any kind, cycles and memory.
func holdsNoMore(v *diff.Variant) bool {
	return noDearer(v) && !moreCycles(v) && !movesMore(v) && !moreCollectives(v) && !reservesMore(v)
}

// moreCollectives says whether collectives of some kind are more, or move more.
func moreCollectives(v *diff.Variant) bool {
	for fact, n := range v.New.Facts {
		if strings.HasPrefix(fact, "collectives.") && n > v.Old.Facts[fact] {
			return true
		}
	}
	return false
}

// becameArguments is how many bytes of constants went while as many came in as arguments.
func becameArguments(v *diff.Variant) float64 {
	return min(ledger.ConstantBytes(v.Old)-ledger.ConstantBytes(v.New), ledger.ArgumentBytes(v.New)-ledger.ArgumentBytes(v.Old))
}

// Costlier says whether the program launches more, or moves more memory by more than a wobble, than it did, and its runs are no cheaper.
func Costlier(v *diff.Variant) bool {
	return (ledger.Launched(v.New) > ledger.Launched(v.Old) || ledger.Grew(v, "cost.bytes_accessed", ledger.Wobble)) && !cheaper(v)
}

// sameRoom says whether the program still fits where it fitted: what it takes at its peak is known, and grew no more than is allowed.
func (a Allowance) sameRoom(v *diff.Variant) bool {
	const peak = "memory.peak_bytes"
	was, is := v.Old.Facts[peak], v.New.Facts[peak]
	return ledger.Known(v, peak) && a.Room != nil && is-was <= a.Room(was)
}

// reservesMore says whether the program's buffers take more than they did. The live-range report names a moment as the peak that is
// not always one; what is reserved bounds it.
func reservesMore(v *diff.Variant) bool { return reserved(v.New) > reserved(v.Old) }

func reserved(v *facts.Variant) float64 {
	f := v.Facts
	return f["memory.argument_bytes"] + f["memory.output_bytes"] + f["memory.temp_bytes"] + f["memory.constant_bytes"] - f["memory.alias_bytes"]
}

// onlyConverted says whether the arithmetic that grew is conversions between floating-point types, for which the program moves less: a
// narrower type in memory.
func onlyConverted(v *diff.Variant, grown float64) bool {
	const converts, moved = "converts.elements", "cost.bytes_accessed"
	return ledger.Known(v, converts) && ledger.Known(v, moved) && v.New.Facts[moved] < v.Old.Facts[moved] && grown <= v.New.Facts[converts]-v.Old.Facts[converts]
}

// moreCycles says whether the compiler for TPU expects more cycles of the program.
func moreCycles(v *diff.Variant) bool {
	const cycles = "cost.estimated_cycles"
	return ledger.Known(v, cycles) && ledger.Grew(v, cycles, ledger.Wobble)
}

// paidInTraffic says whether a run saves at least a byte of memory traffic for so many operations that it computes more: there is no device
// that computes slower than it moves. Where the compiler expects more cycles all the same, it knows better.
func paidInTraffic(v *diff.Variant, perByte float64) bool {
	if moreCycles(v) || !ledger.Known(v, "cost.flops") || !ledger.Known(v, "cost.bytes_accessed") || !ledger.SameLoops(v) || ledger.Unpriced(v.New) > ledger.Unpriced(v.Old) {
		return false
	}
	computed, computes := ledger.Cost(v, "cost.flops")
	moved, moves := ledger.Cost(v, "cost.bytes_accessed")
	return computes-computed <= perByte*(moved-moves)
}

// onlyMerged says whether clusters merged that were asked for nothing new, and a run launches, moves and holds less for it: what fusion
// then computes twice, rather than keep it, is the cheaper part while every byte that is saved stands for no more than a few operations. Products
// are never fused twice: what they compute more was asked for, such as (A·B)·u for A·(B·u).
func onlyMerged(v *diff.Variant) bool {
	const fewPerByte = 4
	if !v.Regrouped || !v.Model.Known || ledger.Launched(v.New) >= ledger.Launched(v.Old) || reservesMore(v) || inProducts(v.New) > inProducts(v.Old) {
		return false
	}
	return !slices.ContainsFunc(v.Model.Edits, func(e diff.Edit) bool { return len(e.Added) > 0 }) && paidInTraffic(v, fewPerByte)
}

// inProducts is what kernels compute in a run that hold a matrix product or a convolution.
func inProducts(v *facts.Variant) (flops float64) {
	for k := range ledger.Kernels(v, func(k *facts.Kernel) bool {
		return k.Class == facts.ClassLibrary || k.Do.Times("dot")+k.Do.Times("convolution") > 0
	}) {
		flops += float64(k.Flops) * ledger.Runs(k)
	}
	return flops
}

// movesMore says whether kernels read and write more than they did by more than a wobble, each buffer once: XLA counts what several
// slices of one kernel read several times over, and what a TPU brings onto the chip for a kernel in the copy as well as in the kernel.
func movesMore(v *diff.Variant) bool { return movedOnce(v.New) > ledger.Wobble*movedOnce(v.Old) }

func movedOnce(v *facts.Variant) (n float64) {
	for k := range ledger.Kernels(v, staysInPlace) {
		n += float64(k.Bytes) * ledger.Runs(k)
	}
	return n
}

// staysInPlace says whether a kernel is anything but a copy to another memory space in the same layout:
// "{1,0:T(8,128)} → {1,0:T(8,128)S(1)}".
func staysInPlace(k *facts.Kernel) bool {
	from, to, ok := strings.Cut(k.Attrs, " → ")
	return !ok || k.Class != facts.ClassCopy || from == to || withoutSpace(from) != withoutSpace(to)
}

// withoutSpace is a layout without its memory space, which stands last: "{1,0:T(8,128)S(1)}".
func withoutSpace(layout string) string {
	before, _, _ := strings.Cut(strings.TrimSuffix(layout, "}"), "S(")
	return strings.TrimSuffix(before, ":")
}

// onlyDonated says whether nothing changed but that more arguments are updated in place: copies and temporary memory pay for it,
// and the memory of the results, which is more, is saved.
func onlyDonated(v *diff.Variant) bool {
	return len(v.Causes) == 1 && v.Causes[0].Kind == diff.CauseDonation && v.New.Facts["donation.aliased_bytes"] > v.Old.Facts["donation.aliased_bytes"]
}
