package facts

import (
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/hlo"
)

// expectedText is a program for a TPU of kernels whose cycles the compiler says: in a loop, in branches, and in what they call.
const expectedText = `HloModule expected

%body (s: (s32[], f32[8])) -> (s32[], f32[8]) {
  %s = (s32[], f32[8]) parameter(0)
  %i = s32[] get-tuple-element(%s), index=0
  %v = f32[8] get-tuple-element(%s), index=1
  %w = f32[8] tanh(%v), backend_config={"estimated_cycles":"100"}
  ROOT %t = (s32[], f32[8]) tuple(%i, %w)
}

%condition (s.1: (s32[], f32[8])) -> pred[] {
  %s.1 = (s32[], f32[8]) parameter(0)
  %i.1 = s32[] get-tuple-element(%s.1), index=0
  %n = s32[] constant(30)
  ROOT %less = pred[] compare(%i.1, %n), direction=LT, backend_config={"estimated_cycles":"7"}
}

%dear (p: f32[8]) -> f32[8] {
  %p = f32[8] parameter(0)
  ROOT %r = f32[8] exponential(%p), backend_config={"estimated_cycles":"5000"}
}

%cheap (p.1: f32[8]) -> f32[8] {
  %p.1 = f32[8] parameter(0)
  ROOT %r.1 = f32[8] negate(%p.1), backend_config={"estimated_cycles":"50"}
}

%silent (p.2: f32[8]) -> f32[8] {
  %p.2 = f32[8] parameter(0)
  ROOT %r.2 = f32[8] negate(%p.2)
}

ENTRY %main (x: f32[8]) -> f32[8] {
  %x = f32[8] parameter(0)
  %zero = s32[] constant(0)
  %yes = pred[] constant(true)
  %state = (s32[], f32[8]) tuple(%zero, %x)
  ROOT %y = RUN
}
`

// The compiler's own estimate counts a loop as often as it runs or is taken to run, and of a conditional the dearest branch.
func TestExpectedCycles(t *testing.T) {
	for run, want := range map[string]expected{
		`f32[8] tanh(%x), backend_config={"estimated_cycles":"20"}`:                  {20, true},
		`f32[8] tanh(%x), backend_config={"estimated_cycles":"20 or so"}`:            {},
		`f32[8] tanh(%x), backend_config={"estimated_cycles":"9223372036854775807"}`: {}, // the compiler does not know
		`f32[8] tanh(%x)`:                   {},
		`f32[8] call(%x), to_apply=%dear`:   {5000, true},
		`f32[8] call(%x), to_apply=%silent`: {},
		`f32[8] fusion(%x), kind=kLoop, calls=%dear, backend_config={"estimated_cycles":"20"}`:                            {20, true},
		`f32[8] conditional(%yes, %x, %x), true_computation=%cheap, false_computation=%dear`:                              {5000, true},
		`f32[8] conditional(%yes, %x, %x), true_computation=%cheap, false_computation=%silent`:                            {50, true},
		`(s32[], f32[8]) while(%state), condition=%condition, body=%body, backend_config={"known_trip_count":{"n":"30"}}`: {3007, true},
		`(s32[], f32[8]) while(%state), condition=%condition, body=%body`:                                                 {1007, true},
	} {
		m, err := hlo.ParseText([]byte(strings.Replace(expectedText, "RUN", run, 1)), "m.txt")
		if err != nil {
			t.Errorf("%s: %v", run, err)
			continue
		}
		e := expectation{values: newValues(m), known: map[hlo.CompID]expected{}}
		if got := e.of(m.Entry); got != want {
			t.Errorf("%s: %+v, wanted %+v", run, got, want)
		}
	}
}
