package facts

import (
	"testing"

	"github.com/xlagate/xlagate/internal/hlo"
)

const branching = `HloModule branches

%near (x: f32[8]) -> f32[8] {
  %x = f32[8] parameter(0)
  ROOT %a = f32[8] negate(%x), backend_config={"estimated_cycles":"700"}
}

%far (y: f32[8]) -> f32[8] {
  %y = f32[8] parameter(0)
  ROOT %b = f32[8] tanh(%y), backend_config={"estimated_cycles":"900"}
}

ENTRY %main (p: pred[], z: f32[8]) -> f32[8] {
  %p = pred[] parameter(0)
  %z = f32[8] parameter(1)
  %c = f32[8] conditional(%p, %z, %z), true_computation=%near, false_computation=%far
  ROOT %d = f32[8] copy(%c), backend_config={"estimated_cycles":"20"}
}
`

// A run takes one branch: the dearest of them counts, as for XLA's other costs.
func TestCyclesOfBranches(t *testing.T) {
	m, err := hlo.ParseText([]byte(branching), "branches.txt")
	if err != nil {
		t.Fatal(err)
	}
	e := expectation{m: m, known: map[hlo.CompID]expected{}}
	if got, want := e.of(m.Entry), (expected{cycles: 920, said: true}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
