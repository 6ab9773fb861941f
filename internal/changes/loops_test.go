package changes

import (
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/changes/changestest"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/price"
)

// early makes a loop one that may end early, after so many iterations at the latest.
func early(v *facts.Variant, loop int, most int64) *facts.Variant {
	v.Kernels[loop].Length, v.Kernels[loop].MaxTrips = 0, most
	v.Facts["loops.unknown"]++
	delete(v.Facts, "loops.trip_count")
	return v
}

// timed adds a kernel to a loop's body, which computes so many exponentials, on a CPU.
func timed(v *facts.Variant, loop int, exponentials float64) *facts.Variant {
	k := facts.Kernel{Form: &facts.Form{Class: facts.ClassKernel}, Site: &facts.Site{Loop: v.Kernels[loop].OpName, InLoop: true, Times: 1}}
	k.Work[price.Special] = exponentials
	v.Kernels, v.Device = append(v.Kernels, k), price.Named("cpu")
	return v
}

// A loop that may end early costs no more than before only where all others are as they were, and its iterations take no longer.
func TestEndSooner(t *testing.T) {
	for _, c := range []struct {
		name       string
		old, fresh *facts.Variant
		sooner     int
	}{
		{"one of two", changestest.Looping(50, 10), early(changestest.Looping(50, 10), 0, 50), 1},
		{"later than before", changestest.Looping(50, 10), early(changestest.Looping(50, 10), 0, 51), 0},
		{"at a time that nobody knows", changestest.Looping(50, 10), early(changestest.Looping(50, 10), 0, 0), 0},
		{"while the other became longer", changestest.Looping(50, 10), early(changestest.Looping(50, 1000), 0, 50), 0},
		{"while another came", changestest.Looping(50), early(changestest.Looping(50, 1000), 0, 50), 0},
		{"with iterations that compute as much", timed(changestest.Looping(50), 0, 1e6), timed(early(changestest.Looping(50), 0, 50), 0, 1e6), 1},
		{"with iterations that also look", timed(changestest.Looping(50), 0, 1e6), timed(early(changestest.Looping(50), 0, 50), 0, 1.2e6), 1},
		{"with iterations that compute three times as much", timed(changestest.Looping(50), 0, 1e6), timed(early(changestest.Looping(50), 0, 50), 0, 3e6), 0},
		{"while the other went", changestest.Looping(50, 10), early(changestest.Looping(50), 0, 50), 0},
	} {
		if got := len(EndSooner(c.old, c.fresh)); got != c.sooner {
			t.Errorf("%s: %d loops end sooner, want %d", c.name, got, c.sooner)
		}
	}
}

// The body of an unrolled loop is in the program several times, in one loop fewer, and runs as often as before all together.
func TestBodyCopies(t *testing.T) {
	at := func(opName string, times int64) facts.Kernel {
		return facts.Kernel{Form: &facts.Form{Do: facts.OpcodesOf("dot")}, Site: &facts.Site{OpName: opName, Loop: "jit(f)/while", InLoop: true, Times: times}}
	}
	const body = "jit(f)/while/body/closed_call/while/body/dot"
	for _, c := range []struct {
		name string
		many []facts.Kernel
		want int
	}{
		{"unrolled", []facts.Kernel{at("jit(f)/while/body/dot", 4), at("jit(f)/while/body/dot", 4)}, 2},
		{"done again", []facts.Kernel{at("jit(f)/while/body/dot", 8), at("jit(f)/while/body/dot", 8)}, 0},
		{"in two loops", []facts.Kernel{at("jit(f)/first/while/body/while/body/dot", 4), at("jit(f)/second/while/body/while/body/dot", 4)}, 0},
	} {
		old, fresh := changestest.Looping(2, 4), changestest.Looping(4, 4)
		old.Kernels, fresh.Kernels = append(old.Kernels, at(body, 8)), append(fresh.Kernels, c.many...)
		old.Kernels[1].Site.OpName = "jit(f)/other" // it is gone
		old.Kernels[2].Loop = "jit(f)/other"
		v := &Variant{Old: old, New: fresh, Kernels: Kernels{Unrolled: []Regroup{{One: at(body, 8), Many: c.many}}}, unrolled: isUnrolled(old, fresh, old.Loops())}
		if got := v.BodyCopies(); got != c.want {
			t.Errorf("%s: %d copies, wanted %d", c.name, got, c.want)
		}
	}
}

// A loop that the program no longer says the length of is taken to run as often as before.
func TestLoopOfUnknownLengthRunsAsBefore(t *testing.T) {
	old, fresh := changestest.Looping(50), early(changestest.Looping(50), 0, 0)
	loop := &fresh.Kernels[0]
	loop.Work[price.Iterations], loop.Until, fresh.Device = 10, 1, price.Named("cpu")
	runAlike(old, fresh)
	if got := fresh.Kernels[0].Iterations(); got != 50 || loop.Iterations() != 10 || fresh.Facts[facts.PriceStep] == 0 {
		t.Errorf("%d iterations, and those that were measured are %d; %v", got, loop.Iterations(), fresh.Facts)
	}
}

// carrying gives the loops of a program one name, as those in one function have, and what each of them carries.
func carrying(v *facts.Variant, what ...string) *facts.Variant {
	for i := range v.Kernels {
		v.Kernels[i].OpName, v.Kernels[i].Out = "jit(f)/while/body/while", what[i]
	}
	return v
}

// Of loops that are called alike, one is known again by what it carries, even where another runs as often now.
func TestLoopsOfOneName(t *testing.T) {
	old, fresh := carrying(changestest.Looping(32, 4), "(s32[], pred[32,16])", "(f32[64])"), carrying(changestest.Looping(4, 4), "(s32[], pred[4,8,16])", "(f32[64])")
	pairs, gone, added := PairLoops(old.Loops(), fresh.Loops())
	if len(gone)+len(added) > 0 || len(pairs) != 2 {
		t.Fatal(pairs, gone, added)
	}
	for _, pair := range pairs {
		if pair[0].Source.Line != pair[1].Source.Line {
			t.Errorf("the loop at line %d is taken for the one at line %d", pair[1].Source.Line, pair[0].Source.Line)
		}
	}
}

// Where the loop around another one is unrolled, the copies of the inner loop have its name.
func TestLoopsInAnUnrolledLoop(t *testing.T) {
	old, fresh := changestest.Looping(8, 3), changestest.Looping(3, 3, 3)
	old.Kernels[0].OpName, old.Kernels[0].Out = "jit(f)/while", "(s32[], s32[8,8])"
	old.Kernels[1].OpName, old.Kernels[1].Out = "jit(f)/while/body/while", "(f32[64])"
	for i := range fresh.Kernels {
		fresh.Kernels[i].OpName, fresh.Kernels[i].Out = "jit(f)/while", "(f32[64])"
	}
	if pairs, gone, added := PairLoops(old.Loops(), fresh.Loops()); len(pairs) != 0 || len(gone) != 2 || len(added) != 3 {
		t.Error(pairs, gone, added)
	}
}

// Of two loops that are alike, the one that changes what it carries and how often it runs is paired by its name, though the other one does that work.
func TestLoopBesideItsTwin(t *testing.T) {
	old, fresh := carrying(changestest.Looping(10, 10), "(f32[64])", "(f32[64])"), carrying(changestest.Looping(10, 40), "(f32[64])", "(f32[16])")
	if pairs, gone, added := PairLoops(old.Loops(), fresh.Loops()); len(pairs) != 2 || len(gone)+len(added) > 0 {
		t.Error(pairs, gone, added)
	}
}

// A loop is unrolled although the compiler put a few of its body's operations together with others.
func TestUnrolledInPart(t *testing.T) {
	of := func(loop string, do ...string) facts.Kernel {
		return facts.Kernel{Form: &facts.Form{Do: facts.OpcodesOf(do...)}, Site: &facts.Site{Loop: loop, InLoop: loop != "", Times: 1}}
	}
	old := changestest.Looping(4)
	old.Kernels[0].OpName = "jit(f)/while"
	old.Kernels = append(old.Kernels, of("jit(f)/while", "add", "convert", "convert", "convert", "convert", "dot"))
	fresh := &facts.Variant{Facts: facts.Values{}}
	fresh.Kernels = []facts.Kernel{of("", "add", "convert", "convert", "convert", "dot"), of("", "add", "convert", "convert", "convert", "dot")}
	if !isUnrolled(old, fresh, old.Loops()) {
		t.Error("the body stands there twice, but for two conversions")
	}
	fresh.Kernels = fresh.Kernels[:1]
	if isUnrolled(old, fresh, old.Loops()) {
		t.Error("the body stands there once")
	}
}

// A scope of a hostile file, deep in loops, does not make each statement be looked for at each of its levels.
func TestLoopsAroundAreBounded(t *testing.T) {
	for loops, want := range map[int]int{0: 0, 2: 2, 100_000: mostLoops} {
		if got := loopsAround("jit(f)" + strings.Repeat(loopBody, loops) + "/dot"); got != want {
			t.Errorf("%d loops count as %d, wanted %d", loops, got, want)
		}
	}
}
