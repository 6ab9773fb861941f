package facts

import (
	"fmt"
	"slices"
	"testing"

	"github.com/xlagate/xlagate/internal/hlo"
)

// countingLoop runs while `i direction bound`, or `bound direction i`, from first on by step.
const countingLoop = `HloModule m

body {
  s = (s32[], f32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[] get-tuple-element(s), index=1
  c = s32[] constant(%[2]d)
  n = s32[] add(%[6]s)
  ROOT t = (s32[], f32[]) tuple(n, x)
}

condition {
  s = (s32[], f32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  b = s32[] constant(%[3]d)
  ROOT p = pred[] compare(%[5]s), direction=%[4]s
}

ENTRY e {
  f = s32[] constant(%[1]d)
  x = f32[] parameter(0)
  t = (s32[], f32[]) tuple(f, x)
  ROOT w = (s32[], f32[]) while(t), condition=condition, body=body
}
`

var compare = map[string]func(a, b int64) bool{
	"LT": func(a, b int64) bool { return a < b }, "LE": func(a, b int64) bool { return a <= b },
	"GT": func(a, b int64) bool { return a > b }, "GE": func(a, b int64) bool { return a >= b },
	"NE": func(a, b int64) bool { return a != b }, "EQ": func(a, b int64) bool { return a == b },
}

// runs is how often a loop runs when it is run, unknownTrips when it does not end.
func runs(first, step int64, more func(i int64) bool) (n int64) {
	for i := first; more(i); i += step {
		if n++; n > 100 {
			return unknownTrips
		}
	}
	return n
}

// A count that is read off a loop is how often it runs. Every loop that runs and ends is counted, but one that goes on while it stands still.
func TestCountIsHowOftenALoopRuns(t *testing.T) {
	small, counted := []int64{-3, -2, -1, 0, 1, 2, 3}, 0
	for direction, holds := range compare {
		for _, sides := range []string{"i, b", "b, i"} {
			for _, terms := range []string{"i, c", "c, i"} {
				for n := range 7 * 7 * 7 {
					first, step, bound := small[n%7], small[n/7%7], small[n/49]
					m, err := hlo.ParseText(fmt.Appendf(nil, countingLoop, first, step, bound, direction, sides, terms), "loop")
					if err != nil {
						t.Fatal(err)
					}
					at := slices.IndexFunc(m.Instrs, func(in hlo.Instruction) bool { return in.Opcode == hlo.OpWhile })
					want := runs(first, step, func(i int64) bool {
						if sides == "b, i" {
							return holds(bound, i)
						}
						return holds(i, bound)
					})
					got := newValues(m).loop(hlo.InstrID(at)).trips
					if got != want && (got != unknownTrips || want > 0 && direction != "EQ") {
						t.Fatalf("from %d by %d while %s of %s with %d: %d times, it runs %d times", first, step, direction, sides, bound, got, want)
					}
					if got > 0 {
						counted++
					}
				}
			}
		}
	}
	if counted < 1000 {
		t.Errorf("only %d loops were counted", counted)
	}
}

// A loop of no iteration runs nothing of its body, and what runs once is in no loop.
func TestLoopsOfFewIterations(t *testing.T) {
	for bound, want := range map[int]struct {
		kernels  int     // in the body
		launches float64 // of the whole run
		looped   bool
	}{0: {0, 2, false}, 1: {1, 3, false}, 2: {1, 5, true}} {
		r, w := walked(t, fmt.Sprintf(countingLoop, 0, 1, bound, "LT", "i, b", "i, c"))
		v, inBody := &Variant{}, 0
		for _, l := range w.launches {
			v.Kernels = append(v.Kernels, r.kernel(l))
			if k := &v.Kernels[len(v.Kernels)-1]; k.Root == "add" {
				if inBody++; k.InLoop != want.looped {
					t.Errorf("%d iterations: in a loop is %v", bound, k.InLoop)
				}
			}
		}
		if got := v.Launches(AnyKernel); inBody != want.kernels || got != want.launches {
			t.Errorf("%d iterations: %d kernels in the body, %v launches", bound, inBody, got)
		}
	}
}
