package diff

import (
	"cmp"
	"fmt"
	"path"
	"slices"

	"github.com/xlagate/xlagate/internal/facts"
)

// Facts about all loops of a program together.
const (
	TripCount    = "loops.trip_count"
	UnknownLoops = "loops.unknown"
	EarlyExits   = "loops.early_exit"
)

// Loops lists the loops of a program, in its order.
func Loops(v *facts.Variant) []*facts.Kernel {
	return slices.Collect(KernelsOf(v, func(k *facts.Kernel) bool { return k.Root == "while" && k.Class == facts.ClassControl }))
}

// UnknownIn lists the loops of which nobody knows how often they run.
func UnknownIn(v *facts.Variant) (loops []*facts.Kernel) {
	if v.Facts[UnknownLoops] == 0 { // one that does not say is never run
		return nil
	}
	for _, k := range Loops(v) {
		if k.Length == 0 {
			loops = append(loops, k)
		}
	}
	return loops
}

// OneByOne says whether it is known of every loop how often it runs: a baseline of earlier only knew it of all together.
func OneByOne(v *facts.Variant) bool {
	return v.Facts[TripCount] == 0 || slices.ContainsFunc(Loops(v), func(k *facts.Kernel) bool { return k.Length > 0 })
}

// ledgerAlike are the ways to know a loop again, the surest first: by what the model calls it, what it carries and how often it runs. Loops in one
// function are all called alike.
var ledgerAlike = []func(*facts.Kernel) loopKey{
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
	gone, added = ledgerInOrder(old), ledgerInOrder(fresh)
	for _, key := range ledgerAlike {
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

// ledgerInOrder lists loops by name, and those of one name by length.
func ledgerInOrder(loops []*facts.Kernel) []*facts.Kernel {
	return slices.SortedStableFunc(slices.Values(loops), func(a, b *facts.Kernel) int {
		return cmp.Or(cmp.Compare(a.OpName, b.OpName), cmp.Compare(a.Length, b.Length))
	})
}

// Iterations is how often loops run, all of them together, one in another as often as both.
func Iterations(loops []*facts.Kernel) (n float64) {
	for _, k := range loops {
		n += float64(k.Length) * float64(k.Times)
	}
	return n
}

// LoopAt is where the model has a loop: its line, else its name.
func LoopAt(k *facts.Kernel) string {
	switch {
	case k.Source.File != "":
		return fmt.Sprintf("at %s:%d", path.Base(k.Source.File), k.Source.Line)
	case k.OpName != "":
		return k.OpName
	}
	return "without a name"
}

// LoopLine is a loop as evidence lists it.
func LoopLine(k *facts.Kernel) string {
	return fmt.Sprintf("loop of %d iterations   %s", k.Length, k.OpName)
}

// CostsLaunch says whether a kernel is launched, or copies.
func CostsLaunch(k *facts.Kernel) bool { return k.Class.Computes() || k.Class == facts.ClassCopy }

// LoopWork is what loops launch, compute and move.
type LoopWork struct {
	Launches, Flops, Bytes float64
}

func (w *LoopWork) add(k *facts.Kernel, runs float64) {
	w.Launches += runs
	w.Flops += runs * float64(k.Flops)
	w.Bytes += runs * float64(k.Bytes)
}

// StepOf is what one iteration of a loop does, loops in it not counted.
func StepOf(v *facts.Variant, loop *facts.Kernel) (w LoopWork) {
	for k := range KernelsOf(v, func(k *facts.Kernel) bool { return k.InLoop && k.Loop == loop.OpName && CostsLaunch(k) }) {
		w.add(k, 1)
	}
	return w
}
