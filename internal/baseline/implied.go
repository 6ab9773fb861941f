package baseline

import (
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
)

// otherMemory is, in a file only, the peak memory that nothing else in it explains, so that a change of the temporary memory is one line and not two.
const otherMemory facts.ID = "memory.other_bytes"

// implied returns the facts that follow from what else is stored of a variant: its kernels, its arguments, the parts of counts, and the memory of each kind.
func implied(v *facts.Variant) facts.Values {
	f := facts.OfKernels(v.Kernels)
	if len(v.Counts) > 0 {
		for _, id := range []facts.ID{facts.ConvertsCount, facts.ConvertsElements, facts.ProductsTotal, facts.CostTranscendentals} {
			f[id] = 0
		}
	}
	v.Counts.AddTo(f)
	impliedByLoops(f, v.Kernels)
	for once, weighted := range map[facts.ID]facts.ID{facts.CostFlops: facts.CostWeightedFlops, facts.CostBytes: facts.CostWeightedBytes} {
		if cost, known := f[once]; known && f[facts.LoopsWhile] == 0 {
			f[weighted] = cost
		}
	}
	for _, p := range v.Params {
		if p.Aliased {
			f[facts.DonationAliased]++
			f[facts.DonationBytes] += float64(p.Bytes)
		}
	}
	f[facts.RunArguments], f[facts.RunResults] = float64(len(v.Params)), float64(strings.Count(v.Result, "["))
	if argument, known := v.Facts[facts.MemoryArgument]; known {
		temp := v.Facts[facts.MemoryTemp]
		touched := argument + v.Facts[facts.MemoryOutput] + temp - v.Facts[facts.MemoryAlias]
		f[facts.RunTouched], f[facts.MemoryPeak] = touched, touched+v.Facts[facts.MemoryConstant]
		f[facts.MemoryAllocation] = temp
		for _, p := range v.Params {
			f[facts.MemoryAllocation] = max(f[facts.MemoryAllocation], float64(p.Bytes))
		}
	}
	return f
}

// impliedByLoops counts loops and their iterations.
func impliedByLoops(f facts.Values, kernels []facts.Kernel) {
	var loops, trips, unknown, early float64
	for i := range kernels {
		k := &kernels[i]
		switch {
		case k.Class != facts.ClassControl || k.Kind != "while":
			continue
		case k.Length == 0:
			unknown++
			early += map[bool]float64{true: 1}[k.ExitsEarly]
		default:
			trips += float64(k.Length) * float64(max(1, k.Times))
		}
		loops++
	}
	f[facts.LoopsWhile], f[facts.LoopsUnknown] = loops, unknown
	if unknown == 0 {
		f[facts.LoopsTripCount] = trips
	} else {
		f[facts.LoopsEarlyExit] = early
	}
}
