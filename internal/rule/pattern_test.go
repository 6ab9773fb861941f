package rule

import (
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/fuzztest"
)

// body makes a kernel of lines such as "exponential f32[8,64] 0": an opcode, a shape, and where each operand comes from.
func body(lines ...string) *facts.Kernel {
	var ops []facts.FusedOp
	for _, line := range lines {
		words := strings.Fields(line)
		op := facts.FusedOp{Op: &facts.Op{Opcode: words[0], Shape: words[1]}}
		for _, w := range words[2:] {
			switch w {
			case "c":
				op.From = append(op.From, facts.FromConstant)
			case "?":
				op.From = append(op.From, facts.FromElsewhere)
			case "p0", "p1", "p2":
				op.From = append(op.From, ^int32(w[1]-'0'))
			default:
				op.From = append(op.From, int32(w[0]-'0'))
			}
		}
		ops = append(ops, op)
	}
	return &facts.Kernel{Form: &facts.Form{Fusion: true, Out: "f32[8,64]"}, Site: &facts.Site{}, Ops: ops}
}

// softmax is the body of a softmax: x, its largest, exp(x - largest), the sum of that, and the quotient, in bfloat16 around float32.
var softmax = body(
	"reduce f32[8] p0 c",
	"broadcast f32[8,64] 0",
	"subtract f32[8,64] p0 1",
	"convert f64[8,64] 2",
	"exponential f64[8,64] 3",
	"reduce f64[8] 4 c",
	"broadcast f64[8,64] 5",
	"divide f64[8,64] 4 6",
)

// The work on a pattern is bounded: in its length, in its depth, in the ways to fit it, and in the ways that lead to an operation.
func TestPatternsAreBounded(t *testing.T) {
	for text, says := range map[string]string{
		strings.Repeat("a", 4097):                                  "the pattern is longer than 4096 bytes",
		strings.Repeat("add(", 102) + strings.Repeat(")", 102):     "the pattern is nested too deep",
		strings.Repeat("add(", 99) + "_" + strings.Repeat(")", 99): "",
	} {
		if _, err := ParseFlow(text); says == "" && err != nil || says != "" && (err == nil || !strings.Contains(err.Error(), says)) {
			t.Errorf("%.10s…: %v, wanted %q", text, err, says)
		}
	}
	ops := []facts.FusedOp{{Op: &facts.Op{Opcode: "parameter", Shape: "f32[8]"}}}
	for i := range int32(64) {
		ops = append(ops, facts.FusedOp{Op: &facts.Op{Opcode: "add", Shape: "f32[8]"}, From: []int32{i, i}})
	}
	k := &facts.Kernel{Form: &facts.Form{Fusion: true}, Site: &facts.Site{}, Ops: ops}
	for _, text := range []string{"add(..tanh, _)", "add(" + strings.Repeat("add(", 40) + "tanh, _" + strings.Repeat("), _", 40) + ")"} {
		f, err := ParseFlow(text)
		if err != nil || f.In(k) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestPatterns(t *testing.T) {
	for _, test := range []struct {
		kernel  *facts.Kernel
		pattern string
		fits    bool
	}{
		{softmax, "exponential", true},
		{softmax, "tanh", false},
		{softmax, "exponential|tanh", true},
		{softmax, "reduce(exponential(subtract(_, broadcast(_))))", true},
		{softmax, "reduce(exponential(subtract(broadcast(_), _)))", false},
		{softmax, "exponential(convert(subtract(_, _)))", true},
		{softmax, "divide($e, broadcast(reduce($e)))", true},
		{softmax, "divide(broadcast(reduce($e)), $e)", false},
		{softmax, "subtract($x, broadcast(reduce($x)))", true},
		{softmax, "divide($e, broadcast(reduce(subtract($e, _))))", false},
		{softmax, "divide(_, ..subtract)", true},
		{softmax, "divide(..parameter, ..constant)", true},
		{softmax, "exponential(..divide)", false},
		{softmax, "reduce(_, constant)", true},
		{softmax, "reduce(_, parameter)", false},
		{softmax, "reduce(_, _, _)", false},
		{softmax, "*(*, broadcast)", true},
		{softmax, "f64[8,*] divide(_, _)", true},
		{softmax, "f64[*,32] divide(_, _)", false},
		{softmax, "f64[...,64] divide", true},
		{softmax, "f64[...] reduce", true},
		{softmax, "f32[8,64,...] subtract", true},
		{softmax, "f32[] reduce", false},
		{softmax, "f32|bf16 subtract", true},
		{softmax, "bf16 subtract", false},
		{softmax, "subtract(_, f32[8,64] _)", true},
		{softmax, "subtract(_, f32[8] _)", false},
		{body("multiply f32[8] p0 p1", "subtract f32[8] p1 p0", "add f32[8] 0 1"), "add(multiply($x, $y), subtract($x, $y))", true},
		{body("multiply f32[8] p0 p1", "subtract f32[8] p1 p1", "add f32[8] 0 1"), "add(multiply($x, $y), subtract($x, $y))", false},
		{body("sort (f32[8],s32[8]) p0 p1"), "s32[8] sort", true},
		{body("add f32[<=8] ? p0"), "f32[8] add(parameter, _)", true},
		{&facts.Kernel{Form: &facts.Form{Root: "all-reduce-start", Out: "f32[4]", In: []string{"f32[4]"}}, Site: &facts.Site{}}, "all-reduce(parameter)", true},
	} {
		f, err := ParseFlow(test.pattern)
		if err != nil {
			t.Errorf("%s: %v", test.pattern, err)
		} else if f.In(test.kernel) != test.fits {
			t.Errorf("%s: %v, wanted %v", test.pattern, !test.fits, test.fits)
		}
	}
}

func TestPatternErrors(t *testing.T) {
	for pattern, want := range map[string]string{
		"":                          "column 1: expected an operation such as add, or _ for any value",
		"reduce(":                   "column 8: expected an operation such as add, or _ for any value",
		"reduce(add":                "column 11: expected , or )",
		"reduce(add))":              `column 12: ")" follows the end of the pattern`,
		"reduce(exponentail(_))":    `column 8: unknown operation "exponentail"; did you mean "exponential"?`,
		"add|substract":             `column 5: unknown operation "substract"; did you mean "subtract"?`,
		"add|":                      "column 5: expected a word after |",
		"_(add)":                    "column 1: _ stands for any value and has no operands; * is any operation",
		"f32[8,*]":                  "column 9: expected an operation after the shape, or _ for any value",
		"f32[8;2] add":              "column 6: expected , or ] in the shape",
		"f32[x] add":                "column 5: expected a size, * for any size or ... for any dimensions",
		"f32[...,8,...] add":        "column 11: ... occurs twice in one shape",
		"f32|f33 add":               `column 5: unknown type "f33"; did you mean "f32"?`,
		"add(_, $)":                 "column 8: expected a name after $",
		strings.Repeat("abs(", 200): "column 405: the pattern is nested too deep",
	} {
		_, err := ParseFlow(pattern)
		if err == nil || err.Error() != want {
			t.Errorf("%.20s: %v, wanted %s", pattern, err, want)
		}
	}
}

func TestShapeErrors(t *testing.T) {
	for shape, want := range map[string]string{
		"f32[8,*]": "", "*[...]": "", "f32|bf16[]": "",
		"":          "column 1: expected a shape such as f32[8,*]",
		"[8]":       "column 1: expected a shape such as f32[8,*]",
		"f32[8] ab": `column 8: "ab" follows the end of the shape`,
		"f99[8]":    `column 1: unknown type "f99"`,
	} {
		if _, err := ParseShape(shape); want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%q: %v, wanted %q", shape, err, want)
		}
	}
}

// A pattern with many alternatives on a kernel of many equal operations ends all the same.
func TestPatternsEnd(t *testing.T) {
	var lines []string
	for range 9 {
		lines = append(lines, "add f32[8] 0 0")
	}
	lines[0] = "add f32[8] p0 p1"
	pattern := "add($a, $b)"
	for range 12 {
		pattern = "add(" + pattern + ", ..add(.._, ..tanh))"
	}
	f, err := ParseFlow(pattern)
	if err != nil {
		t.Fatal(err)
	}
	if f.In(body(lines...)) {
		t.Error("there is no tanh")
	}
}

func FuzzPattern(f *testing.F) {
	fuzztest.Run(f, fuzztest.Text, func(_ *testing.T, text []byte) error {
		flow, err := ParseFlow(string(text))
		if err == nil {
			flow.In(softmax)
		}
		return err
	}, []byte("reduce(exponential(subtract(_, broadcast(_))))"), []byte("f32|bf16[*,...,8] ..add($x, _)"), []byte("*(*("), []byte("["), []byte("|"), []byte("$"))
}
