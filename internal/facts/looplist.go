package facts

import (
	"fmt"
	"slices"
)

// Loops lists the loops of a program, in the order of the schedule.
func (v *Variant) Loops() []*Kernel {
	return slices.Collect(v.KernelsThat(func(k *Kernel) bool { return k.Root == "while" && k.Class == ClassControl }))
}

// EndlessLoops lists the loops of which it is not known how often they run.
func (v *Variant) EndlessLoops() []*Kernel {
	if v.Facts[LoopsUnknown] == 0 { // one that does not say is never run
		return nil
	}
	return slices.DeleteFunc(v.Loops(), func(k *Kernel) bool { return k.Length > 0 })
}

// KnowsTripCounts reports whether the trip count of each loop is known, and not only of all together.
func (v *Variant) KnowsTripCounts() bool {
	return v.Facts[LoopsTripCount] == 0 || slices.ContainsFunc(v.Loops(), func(k *Kernel) bool { return k.Length > 0 })
}

// Iterations returns how often loops run, all together; a loop in another counts each time that it runs.
func Iterations(loops []*Kernel) (n float64) {
	for _, k := range loops {
		n += float64(k.Length) * float64(k.Times)
	}
	return n
}

// LoopPlace says where the model has a loop: "at train.py:9", else its name.
func (k *Kernel) LoopPlace() string {
	switch {
	case k.Source.File != "":
		return "at " + k.Source.Short()
	case k.OpName != "":
		return k.OpName
	}
	return "without a name"
}

// LoopLine is a loop as evidence lists it.
func (k *Kernel) LoopLine() string {
	return fmt.Sprintf("loop of %d iterations   %s", k.Length, k.OpName)
}

// LoopWork is what one iteration of a loop launches, computes and moves.
type LoopWork struct {
	Launches, Flops, Bytes float64
}

// LoopStep returns what one iteration of a loop does; loops in it are not counted.
func (v *Variant) LoopStep(loop *Kernel) (w LoopWork) {
	for k := range v.KernelsThat(func(k *Kernel) bool { return k.InLoop && k.Loop == loop.OpName && k.CostsLaunch() }) {
		w.Launches++
		w.Flops += float64(k.Flops)
		w.Bytes += float64(k.Bytes)
	}
	return w
}
