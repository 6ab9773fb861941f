package hlo

import (
	"slices"
	"strings"
	"testing"
)

// lines spells a module, one line an instruction: name opcode shape operands calls attributes.
func lines(m *Module) (lines []string) {
	for i := range m.Instrs {
		id, in := InstrID(i), &m.Instrs[i]
		words := []string{m.CompName(in.Comp) + "/" + m.InstrName(id), m.ShapeLayoutText(in.Shape), m.OpcodeName(in.Opcode)}
		for _, o := range m.Operands(id) {
			words = append(words, "%"+m.InstrName(o))
		}
		for _, c := range m.Callees(id) {
			words = append(words, "@"+m.CompName(c))
		}
		for key, value := range m.Attrs(id) {
			words = append(words, key+"="+value)
		}
		lines = append(lines, strings.Join(words, " "))
	}
	return lines
}

// Each body is in an ENTRY computation with a parameter x of shape f32[2].
var grammar = []struct{ name, body, want string }{
	{"long", "%y = f32[2]{0} negate(%x), metadata={op_name=\"a\"}", "y f32[2]{0} negate %x"},
	{"short", "y = f32[2]{0} negate(x)", "y f32[2]{0} negate %x"},
	{"operand shape", "%y = f32[2]{0} negate(f32[2]{0} %x)", "y f32[2]{0} negate %x"},
	{"tuple operand shape", "t = (f32[2]) tuple(x)\n y = f32[2] get-tuple-element((f32[2]) t), index=0", "y f32[2]{0} get-tuple-element %t index=0"},
	{"comments", "y /*a*/ = /*b*/ f32[2] // c\n negate /*d*/ ( /*index=5*/ x /*e*/ ) // ) , f={", "y f32[2]{0} negate %x"},
	{"a comment with quotes", "y = f32[2] negate(x), k={1 /* it's \"one\" */}", "y f32[2]{0} negate %x k={1 /* it's \"one\" */}"},
	{"crlf", "y = f32[2] negate(x),\r\n  k=1\r", "y f32[2]{0} negate %x k=1"},
	{"one line each", "y = f32[2]\n negate(\n x\n )\n ,\n k=1", "y f32[2]{0} negate %x k=1"},
	{"unknown opcode", "y = f32[2] frobnicate-all(x), level=3", "y f32[2]{0} frobnicate-all %x level=3"},
	{"an operation of old", "y = f32[2] tuple-select(x, x, x)", "y f32[2]{0} tuple-select %x %x %x"},
	{"no layout", "y = f32[2,3] broadcast(x), dimensions={0}", "y f32[2,3]{1,0} broadcast %x dimensions={0}"},
	{"odd layout", "y = f32[2,3]{0,1:T(8,128)(2,1)S(1)} broadcast(x)", "y f32[2,3]{0,1:T(8,128)(2,1)S(1)} broadcast %x"},
	{"sparse layout", "y = f32[2,3]{1,0:D(D,C)} broadcast(x)", "y f32[2,3]{1,0} broadcast %x"},
	{"blanks in a shape", "y = f32[2, 3] {0, 1} broadcast(x)", "y f32[2,3]{0,1} broadcast %x"},
	{"scalar with tiles", "y = f32[]{:T(128)} custom-call(x)", "y f32[]{:T(128)} custom-call %x"},
	{"dynamic dimensions", "y = f32[<=8,?]{1,0} broadcast(x)", "y f32[<=8,?]{1,0} broadcast %x"},
	{"nested tuple", "y = ((f32[2]{0}, ()), /*index=1*/token[]) custom-call(x)", "y ((f32[2]{0}, ()), token[]) custom-call %x"},
	{"buffer", "y = b(f32[2]{0}) custom-call(x)", "y b(f32[2]{0}) custom-call %x"},
	{"sub-byte types", "y = (s4[2]{0:E(4)}, f8e4m3fn[1], f4e2m1fn[2]) custom-call(x)",
		"y (s4[2]{0:E(4)}, f8e4m3fn[1]{0}, f4e2m1fn[2]{0}) custom-call %x"},
	{"split config", "y = f32[16]{0:SC(0:4,8)(1:64)} pad(x)", "y f32[16]{0:SC(0:4,8)(1:64)} pad %x"},
	{"escapes", `y = f32[2] custom-call(x), custom_call_target="a\"b\\\101\x41\n", c='it\'s'`,
		"y f32[2]{0} custom-call %x custom_call_target=a\"b\\AA\n c=it's"},
	{"a module in a string", "y = f32[2] custom-call(x), backend_config=\"HloModule z\n\nENTRY %e {\n  ROOT q = f32[] constant(0)\n}\n\", k=1",
		"y f32[2]{0} custom-call %x backend_config=HloModule z\n\nENTRY %e {\n  ROOT q = f32[] constant(0)\n}\n k=1"},
	{"json", `y = f32[2] custom-call(x), backend_config={"a":{"b":["}","{"]},"c":"\"}"}, k=1`,
		`y f32[2]{0} custom-call %x backend_config={"a":{"b":["}","{"]},"c":"\"}"} k=1`},
	{"not json", "y = f32[2] custom-call(x), backend_config={uplo = 76 : ui8, don't}, k=1",
		"y f32[2]{0} custom-call %x backend_config={uplo = 76 : ui8, don't} k=1"},
	{"a string of json", `y = f32[2] custom-call(x), backend_config="{\"a\":1}"`, `y f32[2]{0} custom-call %x backend_config={"a":1}`},
	{"frontend attributes", `y = f32[2] negate(x), frontend_attributes={a="1",b.c={m = #sdy.mesh<["x"=4]>}}, k=1`,
		`y f32[2]{0} negate %x frontend_attributes={a="1",b.c={m = #sdy.mesh<["x"=4]>}} k=1`},
	{"iota groups", "y = f32[2] all-reduce(x), replica_groups=[2,4]<=[4,2]T(1,0), channel_id=1",
		"y f32[2]{0} all-reduce %x replica_groups=[2,4]<=[4,2]T(1,0) channel_id=1"},
	{"mesh groups", "y = f32[2] all-reduce(x), replica_groups=mesh['a'=2,'b'=4] {'a':(1)2}, channel_id=1",
		"y f32[2]{0} all-reduce %x replica_groups=mesh['a'=2,'b'=4] {'a':(1)2} channel_id=1"},
	{"mesh groups with a comma", "y = f32[2] all-reduce(x), replica_groups=mesh['a'=2,'b'=2], device_ids=([2,2]T(1,0)) {'a'}, channel_id=1",
		"y f32[2]{0} all-reduce %x replica_groups=mesh['a'=2,'b'=2], device_ids=([2,2]T(1,0)) {'a'} channel_id=1"},
	{"shardings", "y = f32[2] negate(x), sharding={{replicated}, /*index=1*/{devices=[2,4]<=[8] last_tile_dims={manual}}}, k=1",
		"y f32[2]{0} negate %x sharding={{replicated}, /*index=1*/{devices=[2,4]<=[8] last_tile_dims={manual}}} k=1"},
	{"origin", `y = f32[2] negate(x), origin={({"a"}, {"b" {1}})}, k=1`, `y f32[2]{0} negate %x origin={({"a"}, {"b" {1}})} k=1`},
	{"a literal attribute", "y = f32[2] custom-call(x), literal=s32[2]{0} {1, 2}, k=1", "y f32[2]{0} custom-call %x literal=s32[2]{0} {1, 2} k=1"},
	{"window", "y = f32[2] convolution(x, x), window={size=3x3 pad=1_1x0_-1 rhs_reversal=1x1}, dim_labels=b01f_01io->b01f",
		"y f32[2]{0} convolution %x %x window={size=3x3 pad=1_1x0_-1 rhs_reversal=1x1} dim_labels=b01f_01io->b01f"},
	{"slices", "y = f32[1] slice(x), slice={[0:8:2], [0:16:1]}", "y f32[1]{0} slice %x slice={[0:8:2], [0:16:1]}"},
	{"predecessors of the short form", "y = f32[2] negate(x), control-predecessors={x}", "y f32[2]{0} negate %x control-predecessors={%x}"},
	{"an unknown attribute that calls", "y = f32[2] map(x), kernel=%c", "y f32[2]{0} map %x @c kernel=%c"},
	{"while", "y = f32[2] while(x), condition=c, body=%d", "y f32[2]{0} while %x @d @c"},
	{"branches by predicate", "y = f32[2] conditional(x, x, x), true_computation=d, false_computation=c", "y f32[2]{0} conditional %x %x %x @d @c"},
	{"branches by index", "y = f32[2] conditional(x, x, x), branch_computations={%d, %c, /*index=2*/d}", "y f32[2]{0} conditional %x %x %x @d @c @d"},
	{"select and scatter", "y = f32[2] select-and-scatter(x, x, x), select=%c, scatter=%d", "y f32[2]{0} select-and-scatter %x %x %x @c @d"},
	{"no computations", "y = f32[2] custom-call(x), called_computations={}", "y f32[2]{0} custom-call %x"},
	{"old async-done", "s = ((f32[2]), f32[2]) async-start(x), calls=c\n y = f32[2] async-done(s), calls=c", "y f32[2]{0} async-done %s"},
	{"names that look like words", "ROOT_input = f32[2] negate(x)\n y = f32[2] add(ROOT_input, x)", "y f32[2]{0} add %ROOT_input %x"},
}

const grammarHead = `HloModule m
c { p = f32[2] parameter(0) }
%d (p: f32[2]) -> f32[2] { ROOT %p = f32[2] parameter(0) }
ENTRY %e (x: f32[2]) -> f32[2] {
  %x = f32[2]{0} parameter(0)
`

func TestTextGrammar(t *testing.T) {
	for _, c := range grammar {
		m, err := ParseText([]byte(grammarHead+"  "+c.body+"\n}\n"), "t")
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := lines(m); got[len(got)-1] != "e/"+c.want {
			t.Errorf("%s: read\n%q, want\n%q", c.name, got[len(got)-1], "e/"+c.want)
		}
		if root := m.InstrName(m.Comps[m.Entry].Root); root != "y" {
			t.Errorf("%s: the root is %s", c.name, root)
		}
	}
}

func TestTextModules(t *testing.T) {
	for _, c := range []struct{ name, text, entry string }{
		{"no header", "c { p = f32[] parameter(0) }\nENTRY e { p = f32[] parameter(0) }", "e"},
		{"no header, no ENTRY", "c { p = f32[] parameter(0) }\nd { p = f32[] parameter(0) }", "d"},
		{"no ENTRY", "HloModule m\nc { p = f32[] parameter(0) }\nd { p = f32[] parameter(0) }", "d"},
		{"an instruction alone", "ROOT n = f32[] negate(f32[] p)", "_"},
		{"ENTRY first", "HloModule m\nENTRY e { p = f32[] parameter(0) }\nc { p = f32[] parameter(0) }", "e"},
		{"byte order mark", "\xef\xbb\xbfHloModule m\nENTRY e { p = f32[] parameter(0) }", "e"},
		{"comments around", "// a\n/* b */ HloModule m // c\nENTRY e { p = f32[] parameter(0) } // e", "e"},
		{"no name", "HloModule , is_scheduled=true\n{ p = f32[] parameter(0) }\nENTRY { p = f32[] parameter(0) }", "_.1"},
		{"a result with layout", "HloModule m\nENTRY e (p: f32[2]) -> f32[2]{0} { p = f32[2] parameter(0) }", "e"},
		{"a recovery table", "HloModule m, origin_recovery_table={\n  {\"a\" {0}} : {\"b\"},\n  \"\n  HloModule r\n\n  ENTRY %x {\n  }\n  \"\n}\n\nENTRY e { p = f32[] parameter(0) }", "e"},
	} {
		m, err := Parse([]byte(c.text), "t")
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if got := m.CompName(m.Entry); got != c.entry {
			t.Errorf("%s: the entry is %s, want %s", c.name, got, c.entry)
		}
	}
}

func TestTextHeader(t *testing.T) {
	const header = `HloModule jit_f.1-x, is_scheduled=true, input_output_alias={ {0}: (2, {}, may-alias), {1,0}: (1, {3}, must-alias), {}: (0, {}) },` +
		` buffer_donor={ (4, {}), (5, {1}) }, alias_passthrough_params=true, entry_computation_layout={(f32[2]{0},f32[],s32[],s32[],s32[],f32[2,2]{0,1})->(f32[2])},` +
		` allow_spmd_sharding_propagation_to_output={true,false}, replica_count=2, num_partitions=4, frontend_attributes={a="x,}",b={c = [1]}}, future={x=[1,{2}]}`
	m, err := ParseText([]byte(header+"\n\nENTRY e { p = f32[] parameter(0) }, execution_thread=\"host\"\n"), "t")
	if err != nil {
		t.Fatal(err)
	}
	h := m.Header
	if m.Name != "jit_f.1-x" || !h.IsScheduled || h.ReplicaCount != 2 || h.NumPartitions != 4 {
		t.Errorf("read %s %+v", m.Name, h)
	}
	if len(h.Aliases) != 3 || !slices.Equal(h.Aliases[1].Output, []int64{1, 0}) || !h.Aliases[1].Must || h.Aliases[0].Must || h.Aliases[0].Param != 2 {
		t.Errorf("read aliases %+v", h.Aliases)
	}
	if len(h.Donors) != 2 || h.Donors[1].Param != 5 || !slices.Equal(h.Donors[1].ParamIndex, []int64{1}) {
		t.Errorf("read donors %+v", h.Donors)
	}
	if h.Attributes["a"] != "x,}" || h.Attributes["b"] != "{c = [1]}" {
		t.Errorf("read attributes %q", h.Attributes)
	}
	if got := m.Text(m.Comps[0].Thread); got != "host" {
		t.Errorf("read thread %q", got)
	}
}

func TestTextLiterals(t *testing.T) {
	for _, c := range []struct{ shape, literal, want string }{
		{"f32[]", "1e-10", "1e-10"},
		{"pred[]", " true ", "true"},
		{"s32[3]", "{1,2,  3}", "{1, 2, 3}"},
		{"s32[0]", "{}", "{}"},
		{"f32[2,2]", "{{1,2},\n{3,4}}", "{ { 1, 2 }, { 3, 4 } }"},
		{"s32[3,1]", "{{0},{5},{9}}", "{ {0}, {5}, {9} }"},
		{"f32[0,4]", "{  }", "{  }"},
		{"c64[2]", "{(1.5,-2), (inf, nan)}", "{(1.5, -2), (inf, nan)}"},
		{"f32[1,1,2]", "{ { /*i1=0*/ { -nan, nan(0x1) } } }", "{ { { -nan, nan(0x1) } } }"},
		{"f32[11]", "{0,1,2,3,4,5,6,7,8,9,10}", "{...}"},
		{"f32[2]", "{...}", "{...}"},
	} {
		m, err := ParseText([]byte("HloModule m\nENTRY e { c = "+c.shape+" constant("+c.literal+") }"), "t")
		if err != nil {
			t.Errorf("%s: %v", c.literal, err)
		} else if got := m.Literal(0); got != c.want {
			t.Errorf("%s %s: read %s, want %s", c.shape, c.literal, got, c.want)
		}
	}
}

func TestTextInlinedOperand(t *testing.T) {
	const inlined = "g = f32[3,1] gather(x, s32[3,1]{1,0} constant({{0},{5},{9}})), offset_dims={1}"
	m, err := ParseText([]byte(grammarHead+inlined+"}"), "t")
	if err != nil {
		t.Fatal(err)
	}
	first, end := m.Body(m.Entry)
	if got := lines(m)[first:end]; got[1] != "e/constant s32[3,1]{1,0} constant" || got[2] != "e/g f32[3,1]{1,0} gather %x %constant offset_dims={1}" {
		t.Errorf("read %q", got)
	}
}

func TestTextLeavesOutOperands(t *testing.T) {
	m, err := ParseText([]byte(grammarHead+"ROOT t = (f32[2]) tuple(x, x, ...(+3)) }"), "t")
	if err != nil || len(m.Operands(m.Comps[m.Entry].Root)) != 2 {
		t.Errorf("read %v, %v", lines(m), err)
	}
}

// The printed parent of a frame is the proto's parent plus one: frame 2 looks like its own parent.
func TestTextStackFrames(t *testing.T) {
	m := readDump(t, "text/real/jax0102_branchy_cpu.txt")
	for i := range m.Instrs {
		stack := m.Stack(m.Metadata(InstrID(i)))
		if m.Metadata(InstrID(i)).Frame == 0 {
			continue
		}
		if len(stack) == 0 || stack[len(stack)-1].Function != "<module>" || len(stack) > len(m.frames.frames) {
			t.Fatalf("%s has the stack %v", m.InstrName(InstrID(i)), stack)
		}
	}
}
