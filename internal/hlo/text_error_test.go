package hlo

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// textErrors holds the bodies of ENTRY computations behind grammarHead.
var textErrors = []struct{ name, text, want string }{
	{"unknown operand", "  y = f32[2] negate(%z)\n", `t:6:21: %z is not defined before it is used, near "%z)"`},
	{"later operand", "  y = f32[2] negate(z)\n  z = f32[2] negate(x)\n", "t:6:21: %z is not defined before it is used"},
	{"operand of another computation", "  y = f32[2] negate(q)\n", "%q is not defined"},
	{"unknown computation", "  y = f32[2] fusion(x), calls=%f\n", "computation %f is not defined before it is called"},
	{"twice", "  x = f32[2] negate(x)\n", "t:6:3: %x is defined twice"},
	{"two roots", "  ROOT y = f32[2] negate(x)\n  ROOT z = f32[2] negate(x)\n", "second ROOT"},
	{"unknown type", "  y = f5[2] negate(x)\n", "f5 is not a type that this version knows"},
	{"no shape", "  y = negate(x)\n", "expected a shape"},
	{"no opcode", "  y = f32[2]\n", "expected an opcode"},
	{"no parentheses", "  y = f32[2] negate\n", "expected ( and the operands"},
	{"no operand", "  y = f32[2] add(x, , x)\n", "expected an operand"},
	{"a broken list", "  y = f32[2] add(x x)\n", "expected , or ) behind an operand"},
	{"null operand", "  y = f32[2] add(x, null)\n", "%null is not defined"},
	{"no key", "  y = f32[2] negate(x), {1}\n", "expected an instruction"},
	{"no value", "  y = f32[2] negate(x), k=, l=1\n", "expected a value"},
	{"no index", "  t = (f32[2]) tuple(x)\n  y = f32[2] get-tuple-element(t)\n", "expected the index"},
	{"an operand that lacks its attributes", "  y = f32[2] negate(f32[2] fusion(x))\n", "expected the computation that the fusion calls"},
	{"no element", "  t = (f32[2]) tuple(x)\n  y = f32[2] negate(t#1)\n", "the tuple has no element 1"},
	{"a fusion of nothing", "  y = f32[2] fusion(x), kind=kLoop\n", "expected the computation that the fusion calls"},
	{"a while without body", "  y = f32[2] while(x), condition=%c\n", "expected the computation that the while calls"},
	{"an async-start of nothing", "  y = ((f32[2]), f32[2]) async-start(x)\n", "expected the computation that the async-start calls"},
	{"a dimension twice", "  y = f32[2,2]{1,1} negate(x)\n", "expected the order of the dimensions"},
	{"a dimension too few", "  y = f32[2,2]{1} negate(x)\n", "expected the order of the dimensions"},
	{"an odd property", "  y = f32[2]{0:T8} negate(x)\n", "expected the order of the dimensions and properties"},
	{"odd parameter", "  y = f32[2] parameter(one)\n", "expected an integer"},
	{"negative parameter", "  y = f32[2] parameter(-1)\n", "expected the number of the parameter"},
	{"odd dimension", "  y = f32[2;3] negate(x)\n", "expected , or ] behind a dimension"},
	{"huge dimension", "  y = f32[99999999999999999999] negate(x)\n", "expected an integer"},
	{"negative dimension", "  y = f32[2,-5] negate(x)\n", `t:6:13: the dimension -5 is negative, near "-5]`},
	{"too many elements", "  y = f32[4294967296,4294967296] negate(x)\n", `t:6:7: the shape is too large`},
	{"too many bytes", "  y = f64[2305843009213693952] negate(x)\n", `t:6:7: the shape is too large`},
	{"too many bytes in all", "  y = (s8[9000000000000000000], /*index=1*/s8[9000000000000000000]) tuple(x)\n", `t:6:7: the shape is too large`},
	{"a nul byte", "  y = f32[2] negate(x)\n\x00\x00", "expected an instruction"},
	{"an odd tuple shape", "  y = (f32[2] f32[2]) tuple(x, x)\n", "expected , or ) in a tuple shape"},
	{"a buffer of two", "  y = b(f32[2], f32[2]) negate(x)\n", "expected one shape in b()"},
	{"tuples without end", "  y = " + strings.Repeat("(", 1<<12) + "f32[2]" + strings.Repeat(")", 1<<12) + " tuple(x)\n", "nested more than"},
}

const smallEntry = "ENTRY e { p = f32[] parameter(0) }\n"

var textModuleErrors = []struct{ name, text, want string }{
	{"only a header", "HloModule m, is_scheduled=true\n\n", "t:3:1: the file ends before its ENTRY computation"},
	{"no ENTRY behind a header", "HloModule m, is_scheduled=true\n\nc { p = f32[] parameter(0) }\n", "the file ends before its ENTRY computation"},
	{"no ENTRY in a print of old", "HloModule m\n\n%c (p: f32[]) -> f32[] {\n  %p = f32[] parameter(0)\n}\n", "the file ends before its ENTRY computation"},
	{"two instructions alone", "a = f32[] negate(f32[] x)\nb = f32[] negate(f32[] a)\n", "t:2:1: expected the end of the file"},
	{"two ENTRYs", "HloModule m\n" + smallEntry + "ENTRY f { p = f32[] parameter(0) }\n", "t:3:1: this is the second ENTRY computation"},
	{"a computation twice", "HloModule m\ne { p = f32[] parameter(0) }\n" + smallEntry, "computation %e is defined twice"},
	{"two modules", "HloModule m\n" + smallEntry + "HloModule n\n" + smallEntry, "expected { and the instructions"},
	{"nothing in it", "HloModule m\nENTRY e {\n}\n", "the computation has no instructions"},
	{"odd tables", "HloModule m\nFileNames\n1 \"a\"\n3 \"b\"\n" + smallEntry, "expected row 2 of FileNames"},
	{"odd alias", "HloModule m, input_output_alias={ {0}: x }\n" + smallEntry, "expected '('"},
	{"words behind it", "HloModule m\n" + smallEntry + "Killed\n", "the file ends inside the signature of %Killed"},
	{"an odd row", "HloModule m\nFileNames\n1 a\n" + smallEntry, "expected a string"},
	{"an odd list of donors", "HloModule m, buffer_donor={ (0, {}) x }\n" + smallEntry, "expected , or }"},
	{"no result", "HloModule m\nENTRY e (p: f32[]) {\n", "expected -> and the result of the computation"},
	{"an odd result", "HloModule m\nENTRY e (p: f32[]) -> {\n", "expected the shape of the computation's result"},
}

func TestTextErrors(t *testing.T) {
	for _, c := range textErrors {
		_, err := ParseText([]byte(grammarHead+c.text+"}\n"), "t")
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

func TestTextModuleErrors(t *testing.T) {
	for _, c := range textModuleErrors {
		_, err := ParseText([]byte(c.text), "t")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

// A cut anywhere in a dump is an error that names the place. Behind the last brace there are only comments and blanks.
func TestTextCutAnywhere(t *testing.T) {
	names := append(fixtures(t, "text/real/*.txt"), "text/handmade/tokens", "text/styles/async_tpu/canonical")
	for n, name := range names {
		src := readFile(t, name+".txt")
		whole := bytes.LastIndexByte(src, '}')
		for cut := len("HloModule "); cut <= whole; cut += 1 + n*13 {
			_, err := ParseText(src[:cut:cut], "t")
			if err == nil {
				t.Fatalf("%s: cut at byte %d of %d passes", name, cut, len(src))
			}
			if e := err.(*SyntaxError); !strings.HasPrefix(e.Message, "the file ends") || e.Offset != int64(cut) {
				t.Errorf("%s: cut at byte %d gives %v", name, cut, err)
			}
		}
	}
}

func TestTextCutMessages(t *testing.T) {
	src := readFile(t, "text/real/jax0102_branchy_cpu.txt")
	for _, c := range []struct{ behind, want string }{
		{"HloModule jit_bra", "the file ends inside its header"},
		{"HloModule jit_branchy, is_scheduled=tr", "the file ends inside its header"},
		{"FunctionNames\n1 \"<mod", "the file ends inside its stack-frame tables"},
		{"(param_0.1: f32[", "the file ends inside the signature of %"},
		{"ROOT %", "the file ends inside an instruction of %"},
	} {
		at := bytes.Index(src, []byte(c.behind))
		if at < 0 {
			t.Fatalf("the fixture has no %q", c.behind)
		}
		_, err := ParseText(src[:at+len(c.behind)], "t")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("cut behind %q: %v, want %s", c.behind, err, c.want)
		}
	}
	_, err := ParseText([]byte("HloModule m\n\nENTRY {\n  ROOT a = f32[8] para"), "t")
	if err == nil || !strings.Contains(err.Error(), "the file ends inside an instruction of a computation without a name") {
		t.Errorf("no name: %v", err)
	}
}
