package hlo

import (
	"maps"
	"slices"
	"testing"
)

// Compiled.as_text() prints the short form of asynchronous operations, a dump the long one.
func TestAsyncSugarOfARealModule(t *testing.T) {
	plain, sugar := readDump(t, "text/real/h100_shardmap.txt"), readDump(t, "text/real/h100_shardmap_sugar.txt")
	if !maps.Equal(opcodeCounts(plain), opcodeCounts(sugar)) {
		t.Errorf("read %v, want %v", opcodeCounts(sugar), opcodeCounts(plain))
	}
}

func TestAsyncSugar(t *testing.T) {
	m, err := ParseText([]byte(`HloModule m
%fused (p: f32[4]) -> f32[4] {
  ROOT %p = f32[4]{0} parameter(0)
}
ENTRY %main {
  %a = f32[4]{0} parameter(0)
  %s = ((f32[4]{0}), f32[2]{0}, u32[]) fusion-start(%a), kind=kLoop, calls=%fused, async_execution_thread="thr", sharding={replicated}, metadata={op_name="q"}, backend_config={"a":1}
  %u = ((f32[4]{0}), f32[2]{0}, u32[]) fusion-update(%s)
  ROOT %d = f32[2]{0} fusion-done(%u)
  %g = (f32[4]{0}, f32[8]{0}) all-gather-start(%a), dimensions={0}
}`), "t")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"fused/p f32[4]{0} parameter",
		"main/a f32[4]{0} parameter",
		`main/s ((f32[4]{0}), f32[2]{0}, u32[]) async-start %a @async_wrapped async_execution_thread=thr sharding={replicated} backend_config={"a":1}`,
		"main/u ((f32[4]{0}), f32[2]{0}, u32[]) async-update %s",
		"main/d f32[2]{0} async-done %u",
		"main/g (f32[4]{0}, f32[8]{0}) all-gather-start %a dimensions={0}",
		"async_wrapped/a f32[4]{0} parameter",
		`async_wrapped/fusion f32[2]{0} fusion %a @fused kind=kLoop backend_config={"a":1}`,
	}
	if got := lines(m); !slices.Equal(got, want) {
		t.Errorf("read\n%q, want\n%q", got, want)
	}
	c := m.Comps[1]
	if m.Text(c.Thread) != "thr" || c.Count != 2 || m.InstrName(c.Root) != "fusion" {
		t.Errorf("read the wrapped computation %+v", c)
	}
	if got := m.Metadata(c.Root).OpName; got != "q" {
		t.Errorf("read op_name %q of the wrapped operation", got)
	}
	if m.CompName(m.Entry) != "main" || m.InstrName(m.Comps[m.Entry].Root) != "d" {
		t.Errorf("the entry is %s with the root %s", m.CompName(m.Entry), m.InstrName(m.Comps[m.Entry].Root))
	}
}

// An opcode that ends with -start or -done need not be asynchronous.
func TestUnknownOperationThatStarts(t *testing.T) {
	m, err := ParseText([]byte(grammarHead+"  y = f32[2] frobnicate-start(x)\n}\n"), "t")
	if err != nil {
		t.Fatal(err)
	}
	if got := m.OpcodeName(m.Instrs[m.Comps[m.Entry].Root].Opcode); got != "frobnicate-start" || len(m.Comps) != len(parse(t, grammarHead+"}\n").Comps) {
		t.Errorf("read %s, %d computations", got, len(m.Comps))
	}
}

func TestCompactTupleElements(t *testing.T) {
	m := readDump(t, "text/real/tpu_compact_gte.txt")
	root := m.Comps[m.Entry].Root
	for n, o := range m.Operands(root) {
		in := &m.Instrs[o]
		if in.Opcode != OpGetTupleElement || int(in.Param) != n || m.InstrName(m.Operands(o)[0]) != "while" {
			t.Errorf("operand %d of the root is %s", n, lines(m)[o])
		}
		if m.ShapeText(in.Shape) != m.ShapeText(m.Shape(m.Instrs[root].Shape).Elements[n]) {
			t.Errorf("operand %d of the root has shape %s", n, m.ShapeText(in.Shape))
		}
	}
}

func TestCompactTupleElementsAreMadeOnce(t *testing.T) {
	m, err := ParseText([]byte(`HloModule m
ENTRY e {
  t = ((s32[], f32[2]), pred[]) parameter(0)
  a = f32[2] add(t#0#1, %t#0#1)
  ROOT b = f32[2] select(t#1, a, t#0#1), control-predecessors={%t#1}
}`), "t")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"e/t ((s32[], f32[2]{0}), pred[]) parameter",
		"e/t#0 (s32[], f32[2]{0}) get-tuple-element %t index=0",
		"e/t#0#1 f32[2]{0} get-tuple-element %t#0 index=1",
		"e/a f32[2]{0} add %t#0#1 %t#0#1",
		"e/t#1 pred[] get-tuple-element %t index=1",
		"e/b f32[2]{0} select %t#1 %a %t#0#1 control-predecessors={%t#1}",
	}
	if got := lines(m); !slices.Equal(got, want) {
		t.Errorf("read\n%q, want\n%q", got, want)
	}
}

// Bodies inside instructions (canonical print) come before the computation that calls them.
func TestNestedComputations(t *testing.T) {
	m, err := ParseText([]byte(`HloModule m
ENTRY e {
  tmp_0 = f32[2] parameter(0)
  tmp_1 = f32[2] fusion(f32[2] tmp_0), kind=kLoop, calls=
  {
    tmp_0 = f32[2] parameter(0)
    tmp_1 = f32[2] map(f32[2] tmp_0), to_apply=
    {
      ROOT tmp_0 = f32[] parameter(0)
    }
    ROOT tmp_2 = f32[2] negate(tmp_1)
  }
  ROOT tmp_2 = f32[2] conditional(tmp_1, tmp_0), branch_computations={
  {
    p = f32[2] parameter(0)
  },
  {
    q = f32[2] parameter(0)
  }
  }, k=1
}`), "t")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"e/tmp_0 f32[2]{0} parameter",
		"e/tmp_1 f32[2]{0} fusion %tmp_0 @_.1 kind=kLoop",
		"e/tmp_2 f32[2]{0} conditional %tmp_1 %tmp_0 @_.2 @_.3 k=1",
		"_/tmp_0 f32[] parameter",
		"_.1/tmp_0 f32[2]{0} parameter",
		"_.1/tmp_1 f32[2]{0} map %tmp_0 @_",
		"_.1/tmp_2 f32[2]{0} negate %tmp_1",
		"_.2/p f32[2]{0} parameter",
		"_.3/q f32[2]{0} parameter",
	}
	if got := lines(m); !slices.Equal(got, want) {
		t.Errorf("read\n%q, want\n%q", got, want)
	}
}
