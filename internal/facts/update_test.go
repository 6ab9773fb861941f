package facts

import (
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/hlo"
)

// stateful is a module that takes over its first argument, x, of 64 rows of 128 numbers; the row to write is v, its number i.
const stateful = `HloModule m, is_scheduled=true, input_output_alias={ {0}: (0, {}, may-alias) }

%add (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %s = f32[] add(%a, %b)
}

%update (p: f32[64,128], q: f32[1,128], j: s32[]) -> f32[64,128] {
  %p = f32[64,128] parameter(0)
  %q = f32[1,128] parameter(1)
  %j = s32[] parameter(2)
  %zero = s32[] constant(0)
  ROOT %u = f32[64,128] dynamic-update-slice(%p, %q, %j, %zero)
}

%half (h: f32[64,128]) -> f32[32,128] {
  %h = f32[64,128] parameter(0)
  ROOT %b = f32[32,128] slice(%h), slice={[0:32], [0:128]}
}

%body (t: (s32[], f32[64,128])) -> (s32[], f32[64,128]) {
  %t = (s32[], f32[64,128]) parameter(0)
  %n = s32[] get-tuple-element(%t), index=0
  %state = f32[64,128] get-tuple-element(%t), index=1
  %one = s32[] constant(1)
  %next = s32[] add(%n, %one)
  %row = f32[1,128] constant({...})
  %written = f32[64,128] BODY
  ROOT %out = (s32[], f32[64,128]) tuple(%next, %written)
}

%condition (c: (s32[], f32[64,128])) -> pred[] {
  %c = (s32[], f32[64,128]) parameter(0)
  %k = s32[] get-tuple-element(%c), index=0
  %most = s32[] constant(4)
  ROOT %less = pred[] compare(%k, %most), direction=LT
}

ENTRY %e (x: f32[64,128], v: f32[1,128], i: s32[]) -> (f32[64,128], f32[1,128]) {
  %x = f32[64,128] parameter(0)
  %v = f32[1,128] parameter(1)
  %i = s32[] parameter(2)
  %zero = s32[] constant(0)
ENTRYBODY
  ROOT %result = (f32[64,128], f32[1,128]) tuple(%r, %v)
}
`

// How much of an argument a run writes is read off the operations between it and the result that takes it over.
func TestWrittenShare(t *testing.T) {
	const row = 1.0 / 64
	const loop = "  %start = (s32[], f32[64,128]) tuple(%zero, %x)\n  %w = (s32[], f32[64,128]) while(%start), condition=%condition, body=%body\n  %r = f32[64,128] get-tuple-element(%w), index=1"
	const inPlace = "dynamic-update-slice(%state, %row, %n, %n)"
	for _, c := range []struct {
		name, entry, body string
		share             float64
		by                string // what writes all of it
		inPart, whole     int    // states of the loop
	}{
		{name: "a row", entry: "  %r = f32[64,128] dynamic-update-slice(%x, %v, %i, %zero)", share: row},
		{name: "a row, fused", entry: "  %r = f32[64,128] fusion(%x, %v, %i), kind=kLoop, calls=%update", share: row},
		{name: "two rows", entry: "  %y = f32[64,128] fusion(%x, %v, %i), kind=kLoop, calls=%update\n  %z = f32[64,128] bitcast(%y)\n  %r = f32[64,128] dynamic-update-slice(%z, %v, %zero, %zero)", share: 2 * row},
		{name: "rows by a scatter", entry: "  %r = f32[64,128] scatter(%x, %i, %v), update_window_dims={0,1}, inserted_window_dims={}, scatter_dims_to_operand_dims={0}, index_vector_dim=0, to_apply=%add", share: row},
		{name: "a row, in the fast memory", entry: "  %s = (f32[64,128], f32[64,128], u32[]) copy-start(%x)\n  %f = f32[64,128] copy-done(%s)\n  %u = f32[64,128] dynamic-update-slice(%f, %v, %i, %zero)\n" +
			"  %t = (f32[64,128], f32[64,128], u32[]) copy-start(%u)\n  %r = f32[64,128] copy-done(%t)", share: row},
		{name: "a row, where slices are copied to", entry: "  %s = ((f32[64,128]), f32[32,128], s32[]) async-start(%x), calls=%half\n  %d = f32[32,128] async-done(%s)\n" +
			"  %f = f32[64,128] custom-call(%d, %d), custom_call_target=\"ConcatBitcast\"\n  %r = f32[64,128] dynamic-update-slice(%f, %v, %i, %zero)", share: row},
		{name: "a row, where half of the slices are copied", entry: "  %s = ((f32[64,128]), f32[32,128], s32[]) async-start(%x), calls=%half\n  %d = f32[32,128] async-done(%s)\n" +
			"  %f = f32[64,128] custom-call(%d), custom_call_target=\"ConcatBitcast\"\n  %r = f32[64,128] dynamic-update-slice(%f, %v, %i, %zero)", share: 0},
		{name: "another call", entry: "  %f = f32[64,128] custom-call(%x), custom_call_target=\"f\"\n  %r = f32[64,128] dynamic-update-slice(%f, %v, %i, %zero)", share: 0},
		{name: "nothing", entry: "  %r = f32[64,128] bitcast(%x)", share: 0},
		{name: "all, computed", entry: "  %r = f32[64,128] negate(%x)", share: 1, by: "r"},
		{name: "all, copied before", entry: "  %y = f32[64,128] copy(%x)\n  %r = f32[64,128] dynamic-update-slice(%y, %v, %i, %zero)", share: 1, by: "y"},
		{name: "who knows", entry: "  %r = f32[64,128] custom-call(%x), custom_call_target=\"f\"", share: 0},
		{name: "a row in each iteration", entry: loop, body: inPlace, share: 4 * row, inPart: 1},
		{name: "all in each iteration", entry: loop, body: "negate(%state)", share: 1, by: "written", whole: 1},
		{name: "nothing in a loop", entry: loop, body: "bitcast(%state)"},
	} {
		body := c.body
		if body == "" {
			body = inPlace
		}
		text := strings.NewReplacer("ENTRYBODY", c.entry, "BODY", body).Replace(stateful)
		m, err := hlo.ParseText([]byte(text), "m.txt")
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		r := newReader(m)
		if got := r.parameters()[0].Written; got != c.share {
			t.Errorf("%s: %v of it is written, wanted %v", c.name, got, c.share)
		}
		by := ""
		for id := range r.rewrites {
			by = m.InstrName(id)
		}
		if by != c.by {
			t.Errorf("%s: %q writes it, wanted %q", c.name, by, c.by)
		}
		w, err := r.walk()
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range w.loops {
			parts, wholes := r.states(l.id)
			if len(strings.Fields(parts)) != c.inPart || len(strings.Fields(wholes)) != c.whole {
				t.Errorf("%s: the loop updates %q in part and writes %q, wanted %d and %d", c.name, parts, wholes, c.inPart, c.whole)
			}
		}
	}
}
