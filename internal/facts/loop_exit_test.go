package facts

import (
	"fmt"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/hlo"
)

// loopText is a module of one loop over a counter, a number that nothing changes, and a value that the body computes anew.
const loopText = `HloModule loop

%body_fusion (state: (s32[], s32[], f32[])) -> (s32[], s32[], f32[]) {
  %state = (s32[], s32[], f32[]) parameter(0)
  %i = s32[] get-tuple-element(%state), index=0
  %n = s32[] get-tuple-element(%state), index=1
  %x = f32[] get-tuple-element(%state), index=2
  %one = s32[] constant(1)
  %next = s32[] add(%i, %one)
  %y = f32[] sine(%x)
  ROOT %all = (s32[], s32[], f32[]) tuple(%next, %n, %y)
}

%body (arg: (s32[], s32[], f32[])) -> (s32[], s32[], f32[]) {
  %arg = (s32[], s32[], f32[]) parameter(0)
  ROOT %fusion = (s32[], s32[], f32[]) fusion(%arg), kind=kLoop, calls=%body_fusion
}

%condition_fusion (state.1: (s32[], s32[], f32[])) -> pred[] {
  %state.1 = (s32[], s32[], f32[]) parameter(0)
  %i.1 = s32[] get-tuple-element(%state.1), index=0
  %n.1 = s32[] get-tuple-element(%state.1), index=1
  %x.1 = f32[] get-tuple-element(%state.1), index=2
  %thirty = s32[] constant(30)
  %small = f32[] constant(1e-05)
  %done = pred[] compare(%x.1, %small), direction=LT
  %past = pred[] compare(%i.1, %thirty), direction=GE
  %either = pred[] or(%past, %done)
CONDITION
}

%condition (arg.1: (s32[], s32[], f32[])) -> pred[] {
  %arg.1 = (s32[], s32[], f32[]) parameter(0)
  ROOT %fusion.1 = pred[] fusion(%arg.1), kind=kLoop, calls=%condition_fusion
}

ENTRY %main (n.2: s32[], x.2: f32[]) -> (s32[], s32[], f32[]) {
  %n.2 = s32[] parameter(0)
  %x.2 = f32[] parameter(1)
  %zero = s32[] constant(0)
  %start = (s32[], s32[], f32[]) tuple(%zero, %n.2, %x.2)
  ROOT %while = (s32[], s32[], f32[]) while(%start), condition=%condition, body=%body
}
`

// What ends a loop is seen through fusions of the whole state, and through conditions that must not hold.
func TestExitOf(t *testing.T) {
	for name, c := range map[string]struct {
		condition string
		want      exit
	}{
		"counts to a number that is passed in": {"ROOT %go = pred[] compare(%i.1, %n.1), direction=LT", exit{}},
		"a counter and a counter":              {"%less = pred[] compare(%i.1, %thirty), direction=LT\n  %forty = s32[] constant(40)\n  %also = pred[] compare(%i.1, %forty), direction=LT\n  ROOT %go = pred[] and(%less, %also)", exit{most: 30, exact: true}},
		"a counter and what is passed in":      {"%less = pred[] compare(%i.1, %thirty), direction=LT\n  %also = pred[] compare(%i.1, %n.1), direction=LT\n  ROOT %go = pred[] and(%less, %also)", exit{most: 30}},
		"a value that is computed":             {"ROOT %go = pred[] compare(%x.1, %small), direction=GT", exit{early: true}},
		"a count and not a value":              {"%on = pred[] not(%done)\n  %less = pred[] compare(%i.1, %thirty), direction=LT\n  ROOT %go = pred[] and(%less, %on)", exit{early: true, most: 30}},
		"neither of two":                       {"ROOT %go = pred[] not(%either)", exit{early: true, most: 30}},
		"not one of two":                       {"%off = pred[] not(%either)\n  %on = pred[] not(%off)\n  ROOT %go = pred[] not(%on)", exit{early: true, most: 30}},
		"one of two":                           {"ROOT %go = pred[] or(%past, %done)", exit{early: true}},
		"not both of two":                      {"%both = pred[] and(%past, %done)\n  ROOT %go = pred[] not(%both)", exit{early: true}},
		"a count as a number and not a value":  {"%on = pred[] not(%done)\n  %less = pred[] compare(%i.1, %thirty), direction=LT\n  %one = s32[] convert(%less)\n  %nought = s32[] constant(0)\n  %is = pred[] compare(%one, %nought), direction=NE\n  ROOT %go = pred[] and(%is, %on)", exit{early: true, most: 30}},
		"a past count as no number":            {"%as = s32[] convert(%past)\n  %nought = s32[] constant(0)\n  %is = pred[] compare(%as, %nought), direction=EQ\n  %on = pred[] not(%done)\n  ROOT %go = pred[] and(%is, %on)", exit{early: true, most: 30}},
		"what nothing tells":                   {"ROOT %go = pred[] custom-call(%state.1), custom_call_target=\"opaque\"", exit{early: true}},
	} {
		m, err := hlo.ParseText([]byte(strings.Replace(loopText, "CONDITION", "  "+c.condition, 1)), "loop.txt")
		if err != nil {
			t.Fatal(err)
		}
		loop := newValues(m).loop(m.Comps[m.Entry].Root)
		if loop.trips != unknownTrips {
			t.Errorf("%s: %d iterations", name, loop.trips)
		}
		if loop.exit != c.want {
			t.Errorf("%s: %+v, want %+v", name, loop.exit, c.want)
		}
	}
}

// advanceText is a loop over a counter that grows by what the body computes, a flag, and a value that the body computes anew.
const advanceText = `HloModule advance

%body (state: (s32[], pred[], s32[])) -> (s32[], pred[], s32[]) {
  %state = (s32[], pred[], s32[]) parameter(0)
  %i = s32[] get-tuple-element(%state), index=0
  %flag = pred[] get-tuple-element(%state), index=1
  %x = s32[] get-tuple-element(%state), index=2
  %thirty = s32[] constant(30)
  %seven = s32[] constant(7)
  %y = s32[] multiply(%x, %seven)
  %odd = pred[] compare(%y, %seven), direction=GT
  %further = s32[] add(%i, %y)
BODY
  ROOT %all = (s32[], pred[], s32[]) tuple(%next, %done, %y)
}

%condition (state.1: (s32[], pred[], s32[])) -> pred[] {
  %state.1 = (s32[], pred[], s32[]) parameter(0)
  %i.1 = s32[] get-tuple-element(%state.1), index=0
  %flag.1 = pred[] get-tuple-element(%state.1), index=1
  %on = pred[] not(%flag.1)
  %thirty.1 = s32[] constant(30)
  %less = pred[] compare(%i.1, %thirty.1), direction=LT
  %both = pred[] and(%less, %on)
  ROOT %go = pred[] copy(%WHILE)
}

ENTRY %main (flag.2: pred[], x.2: s32[]) -> (s32[], pred[], s32[]) {
  %flag.2 = pred[] parameter(0)
  %x.2 = s32[] parameter(1)
  %zero = s32[] constant(0)
  %start = (s32[], pred[], s32[]) tuple(%zero, %flag.2, %x.2)
  ROOT %while = (s32[], pred[], s32[]) while(%start), condition=%condition, body=%body
}
`

// What ends a loop is its counter or more than that; what is added to a whole number counts, whatever it is.
func TestExitsEarly(t *testing.T) {
	plain, odd := "  %next = s32[] copy(%further)\n", "  %done = pred[] or(%flag, %odd)\n"
	counter := func(amount string) string {
		return "  %one = s32[] constant(1)\n  %zero.1 = s32[] constant(0)\n  %two = s32[] constant(2)\n" + amount + "  %next = s32[] add(%i, %amount)\n" + odd
	}
	for name, c := range map[string]struct {
		body, while string
		want        bool
	}{
		"what is computed is added":                 {plain + odd, "less", false},
		"it is added, and a flag":                   {plain + odd, "both", true},
		"a flag alone":                              {plain + odd, "on", true},
		"a flag that the counter sets":              {plain + "  %done = pred[] compare(%further, %thirty), direction=GE\n", "on", false},
		"a flag that the counter sets for good":     {plain + "  %end = pred[] compare(%further, %thirty), direction=GE\n  %done = pred[] or(%flag, %end)\n", "both", false},
		"a flag that a value sets as well":          {plain + "  %end = pred[] compare(%further, %thirty), direction=GE\n  %done = pred[] or(%odd, %end)\n", "on", true},
		"a counter that waits":                      {"  %next = s32[] select(%odd, %further, %i)\n" + odd, "less", false},
		"a counter that goes no further":            {"  %next = s32[] minimum(%thirty, %further)\n" + odd, "less", false},
		"a counter that jumps to the end":           {"  %next = s32[] select(%odd, %thirty, %further)\n" + odd, "less", true},
		"a counter that counts down from elsewhere": {"  %next = s32[] subtract(%y, %i)\n" + odd, "less", true},
		"what is computed and one":                  {counter("  %amount = s32[] add(%y, %one)\n"), "less", false},
		"one, and then what is computed":            {"  %one = s32[] constant(1)\n  %by = s32[] add(%i, %one)\n  %next = s32[] add(%by, %y)\n" + odd, "less", false},
		"what is computed less one":                 {counter("  %minus = s32[] constant(-1)\n  %amount = s32[] add(%y, %minus)\n"), "less", false},
		"one or two":                                {counter("  %amount = s32[] select(%odd, %one, %two)\n"), "less", false},
		"one or nothing":                            {counter("  %amount = s32[] select(%odd, %one, %zero.1)\n"), "less", false},
		"at most two of what is computed":           {counter("  %amount = s32[] minimum(%y, %two)\n"), "less", false},
		"a counter that doubles":                    {"  %next = s32[] add(%i, %i)\n" + odd, "less", false},
		"a number that is multiplied":               {"  %next = s32[] multiply(%i, %seven)\n" + odd, "less", true},
		"a flag that a sure counter sets":           {"  %one = s32[] constant(1)\n  %next = s32[] add(%i, %one)\n  %end = pred[] compare(%next, %thirty), direction=GE\n  %done = pred[] or(%flag, %end)\n", "on", false},
	} {
		text := strings.NewReplacer("BODY\n", c.body, "WHILE", c.while).Replace(advanceText)
		m, err := hlo.ParseText([]byte(text), "loop.txt")
		if err != nil {
			t.Fatal(err)
		}
		if got := newValues(m).loop(m.Comps[m.Entry].Root).exit.early; got != c.want {
			t.Errorf("%s: %v, wanted %v", name, got, c.want)
		}
	}
}

// The maximum of a loop is found behind a flag that its counter sets.
func TestMaximumBehindAFlag(t *testing.T) {
	counted := "  %one = s32[] constant(1)\n  %next = s32[] add(%i, %one)\n"
	for name, c := range map[string]struct {
		done string
		want int64
	}{
		"the counter sets it":                 {"  %end = pred[] compare(%next, %thirty), direction=GE\n  %done = pred[] or(%flag, %end)\n", 30},
		"the counter before it is counted up": {"  %end = pred[] compare(%i, %thirty), direction=GE\n  %done = pred[] or(%flag, %end)\n", 31},
		"a value sets it as well":             {"  %end = pred[] compare(%next, %thirty), direction=GE\n  %done = pred[] or(%odd, %end)\n", 30},
		"the counter and a value together":    {"  %end = pred[] compare(%next, %thirty), direction=GE\n  %done = pred[] and(%odd, %end)\n", 0},
		"a value":                             {"  %done = pred[] or(%flag, %odd)\n", 0},
	} {
		text := strings.NewReplacer("BODY\n", counted+c.done, "WHILE", "on").Replace(advanceText)
		m, err := hlo.ParseText([]byte(text), "loop.txt")
		if err != nil {
			t.Fatal(err)
		}
		if got := newValues(m).loop(m.Comps[m.Entry].Root).exit.most; got != c.want {
			t.Errorf("%s: at most %d, wanted %d", name, got, c.want)
		}
	}
}

// fillText is a loop of at most 30 iterations that puts a row into an array in each of them.
const fillText = `HloModule fill

%body (state: (s32[], f32[ROWS,8], f32[1,8])) -> (s32[], f32[ROWS,8], f32[1,8]) {
  %state = (s32[], f32[ROWS,8], f32[1,8]) parameter(0)
  %i = s32[] get-tuple-element(%state), index=0
  %rows = f32[ROWS,8] get-tuple-element(%state), index=1
  %row = f32[1,8] get-tuple-element(%state), index=2
  %one = s32[] constant(1)
  %zero.1 = s32[] constant(0)
  %next = s32[] add(%i, %one)
  %new = f32[1,8] sine(%row)
  %filled = f32[ROWS,8] dynamic-update-slice(%rows, %new, %i, %zero.1)
  ROOT %all = (s32[], f32[ROWS,8], f32[1,8]) tuple(%next, %filled, %new)
}

%condition (state.1: (s32[], f32[ROWS,8], f32[1,8])) -> pred[] {
  %state.1 = (s32[], f32[ROWS,8], f32[1,8]) parameter(0)
  %i.1 = s32[] get-tuple-element(%state.1), index=0
  %row.1 = f32[1,8] get-tuple-element(%state.1), index=2
  %first = f32[] bitcast(%row.1)
  %small = f32[] constant(1e-05)
  %on = pred[] compare(%first, %small), direction=GT
  %thirty = s32[] constant(30)
  %less = pred[] compare(%i.1, %thirty), direction=LT
  ROOT %go = pred[] and(%less, %on)
}

ENTRY %main (rows.2: f32[ROWS,8], row.2: f32[1,8]) -> (s32[], f32[ROWS,8], f32[1,8]) {
  %rows.2 = f32[ROWS,8] parameter(0)
  %row.2 = f32[1,8] parameter(1)
  %zero = s32[] constant(0)
  %start = (s32[], f32[ROWS,8], f32[1,8]) tuple(%zero, %rows.2, %row.2)
  ROOT %while = (s32[], f32[ROWS,8], f32[1,8]) while(%start), condition=%condition, body=%body
}
`

// A loop that has room for its results is taken to use half of it; the maximum of another only keeps it from running for ever.
func TestGuessOfALoop(t *testing.T) {
	for rows, want := range map[string]int64{"30": 15, "40": 15, "10": 5, "4096": 5} {
		m, err := hlo.ParseText([]byte(strings.ReplaceAll(fillText, "ROWS", rows)), "loop.txt")
		if err != nil {
			t.Fatal(err)
		}
		l := newValues(m).loop(m.Comps[m.Entry].Root)
		if l.exit.most != 30 || l.iterations() != want {
			t.Errorf("%s rows: %+v, taken to run %d times, wanted %d", rows, l.exit, l.iterations(), want)
		}
	}
	for e, want := range map[exit]int64{{early: true}: 3, {}: 10, {most: 30, exact: true}: 30} {
		if l := (loop{trips: unknownTrips, exit: e}); l.iterations() != want {
			t.Errorf("%+v is taken to run %d times, wanted %d", e, l.iterations(), want)
		}
	}
}

// A condition behind a long chain that many operations read is given up, and soon.
func TestLongConditionIsGivenUp(t *testing.T) {
	var b strings.Builder
	b.WriteString("HloModule f\n%body (p: (s32[], s32[])) -> (s32[], s32[]) {\n  %p = (s32[], s32[]) parameter(0)\n  %a = s32[] get-tuple-element(%p), index=0\n" +
		"  %b = s32[] get-tuple-element(%p), index=1\n  %m = s32[] multiply(%a, %b)\n  ROOT %t = (s32[], s32[]) tuple(%m, %b)\n}\n" +
		"%cond (q: (s32[], s32[])) -> pred[] {\n  %q = (s32[], s32[]) parameter(0)\n  %c0 = s32[] get-tuple-element(%q), index=1\n")
	for i := range 250 {
		fmt.Fprintf(&b, "  %%c%d = s32[] convert(%%c%d)\n", i+1, i)
	}
	b.WriteString("  %d0 = s32[] negate(%c250)\n")
	for i := range 1000 {
		fmt.Fprintf(&b, "  %%d%d = s32[] add(%%d%d, %%c250)\n", i+1, i)
	}
	b.WriteString("  ROOT %r = pred[] compare(%d1000, %c250), direction=LT\n}\n" +
		"ENTRY %main (A: (s32[], s32[])) -> (s32[], s32[]) {\n  %A = (s32[], s32[]) parameter(0)\n  ROOT %w = (s32[], s32[]) while(%A), condition=%cond, body=%body\n}\n")
	m, err := hlo.Parse([]byte(b.String()), "f.txt")
	if err != nil {
		t.Fatal(err)
	}
	root := m.Comps[m.Entry].Root
	callees := m.Callees(root)
	l := loopReader{values: newValues(m), init: m.Operands(root)[0], body: callees[0], condition: callees[1], terms: map[value]*term{}}
	most, _ := l.latest(l.decision(), false)
	if got := newValues(m).loop(root).exit; l.early() || most != unknownTrips || got != (exit{early: true}) {
		t.Errorf("it ends: %+v", got)
	}
	if l.steps <= maxSteps || l.steps > 2*maxSteps {
		t.Errorf("%d steps were taken", l.steps)
	}
}
