package facts

import (
	"slices"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/hlo"
)

const resultsText = `HloModule results

%body (state: (s32[], f32[8], f32[8], f32[8])) -> (s32[], f32[8], f32[8], f32[8]) {
  %state = (s32[], f32[8], f32[8], f32[8]) parameter(0)
  %i = s32[] get-tuple-element(%state), index=0
  %a = f32[8] get-tuple-element(%state), index=1
  %b = f32[8] get-tuple-element(%state), index=2
  %c = f32[8] get-tuple-element(%state), index=3
  %one = s32[] constant(1)
  %next = s32[] add(%i, %one)
  ROOT %all = (s32[], f32[8], f32[8], f32[8]) tuple(%next, %b, %c, %c)
}

%condition (state.1: (s32[], f32[8], f32[8], f32[8])) -> pred[] {
  %state.1 = (s32[], f32[8], f32[8], f32[8]) parameter(0)
  %i.1 = s32[] get-tuple-element(%state.1), index=0
  %ten = s32[] constant(10)
  ROOT %less = pred[] compare(%i.1, %ten), direction=LT
}

%two (p: f32[8], q: f32[8]) -> (f32[8], f32[8]) {
  %p = f32[8] parameter(0)
  %q = f32[8] parameter(1)
  %sum = f32[8] add(%q, %q)
  ROOT %both = (f32[8], f32[8]) tuple(%p, %sum)
}

ENTRY %main (x: f32[8]) -> f32[] {
  %x = f32[8] parameter(0)
  %zero = s32[] constant(0)
  %none = f32[8] iota(), iota_dimension=0
RESULT
}
`

func TestConstantResults(t *testing.T) {
	for name, c := range map[string]struct {
		result string
		want   []int
	}{
		"an argument, a constant":           {"  ROOT %r = (f32[8], f32[8]) tuple(%x, %none)", []int{1}},
		"computed from both":                {"  ROOT %r = f32[8] add(%x, %none)", nil},
		"computed from constants":           {"  ROOT %r = f32[8] add(%none, %none)", []int{0}},
		"of a fusion with two results":      {"  ROOT %r = (f32[8], f32[8]) fusion(%x, %none), kind=kLoop, calls=%two", []int{1}},
		"what a loop carries":               {"  %s = (s32[], f32[8], f32[8], f32[8]) tuple(%zero, %none, %none, %none)\n  ROOT %r = (s32[], f32[8], f32[8], f32[8]) while(%s), condition=%condition, body=%body", []int{0, 1, 2, 3}},
		"what reaches it in two iterations": {"  %s = (s32[], f32[8], f32[8], f32[8]) tuple(%zero, %none, %none, %x)\n  ROOT %r = (s32[], f32[8], f32[8], f32[8]) while(%s), condition=%condition, body=%body", []int{0}},
		"a loop that ends by an argument": {"  %n = s32[] custom-call(), custom_call_target=\"n\"\n  %s = (s32[], f32[8], f32[8], f32[8]) tuple(%n, %none, %none, %none)\n" +
			"  ROOT %r = (s32[], f32[8], f32[8], f32[8]) while(%s), condition=%condition, body=%body", nil},
		"a tuple in a tuple": {"  %in = (f32[8], f32[8]) tuple(%x, %none)\n  %out = ((f32[8], f32[8]), f32[8]) tuple(%in, %none)\n  %g = (f32[8], f32[8]) get-tuple-element(%out), index=0\n" +
			"  ROOT %r = (f32[8], f32[8]) tuple(%g, %none)", []int{1, 2}},
	} {
		m, err := hlo.ParseText([]byte(strings.Replace(resultsText, "RESULT", c.result, 1)), "m.txt")
		if err != nil {
			t.Fatal(err)
		}
		if got := newReader(m).constantResults(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, wanted %v", name, got, c.want)
		}
	}
}
