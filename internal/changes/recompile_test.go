package changes_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/tensorflow"
)

// explained spells what tells the variants of a program apart: "x shape [f32[8] f32[16]] dimension 0: 8, 16".
func explained(variants ...*facts.Variant) string {
	var out []string
	for _, c := range changes.Explain(&facts.Program{Name: "f", Variants: variants}) {
		out = append(out, strings.TrimSpace(c.Name+" "+c.Kind+" ["+strings.Join(c.Values, " | ")+"] "+c.Detail))
	}
	return strings.Join(out, "; ")
}

func taking(params ...facts.Parameter) *facts.Variant {
	return &facts.Variant{Interface: facts.Interface{Params: params}}
}

func TestOneVariantNeedsNoExplanation(t *testing.T) {
	if got := changes.Explain(nil); got != nil {
		t.Errorf("no program: %v", got)
	}
	if got := explained(taking()); got != "" {
		t.Errorf("one variant: %s", got)
	}
}

func TestArgumentsThatVary(t *testing.T) {
	x := func(shape string) facts.Parameter { return facts.Parameter{Name: "x", Shape: shape} }
	for _, c := range []struct {
		a, b, c facts.Parameter
		want    string
	}{
		{x("f32[8,4]"), x("f32[16,4]"), x("f32[24,4]"), "x shape [f32[8,4] | f32[16,4] | f32[24,4]] dimension 0: 8, 16, 24"},
		{x("f32[8,4]"), x("f32[8,5]"), x("f32[9,4]"), "x shape [f32[8,4] | f32[8,5] | f32[9,4]] dimension 0: 8, 9; dimension 1: 4, 5"},
		{x("f32[8]"), x("bf16[8]"), x("f32[9]"), "x dtype [f32[8] | bf16[8] | f32[9]] dtype"},
		{x("f32[8]"), x("f32[8,1]"), x("f32[8]"), "x shape [f32[8] | f32[8,1] | f32[8]] rank"},
		{x("f32[]"), x("f32[8]"), x("f32[]"), "x shape [f32[] | f32[8] | f32[]] rank"},
		{facts.Parameter{Name: "x", Layout: "0,1"}, facts.Parameter{Name: "x"}, facts.Parameter{Name: "x"}, "x layout [0,1 | none | none] layout"},
		{facts.Parameter{Name: "x"}, facts.Parameter{Name: "x", Sharding: "{replicated}"}, facts.Parameter{Name: "x"}, "x sharding [none | {replicated} | none] sharding"},
		{facts.Parameter{Name: "x", Aliased: true}, facts.Parameter{Name: "x", Donated: true}, facts.Parameter{Name: "x"}, "x donation [donated | donated | not donated] donated or not"},
		{facts.Parameter{Name: "x", Constant: "1"}, facts.Parameter{Name: "x", Constant: "2"}, facts.Parameter{Name: "x", Constant: "1"}, "x constant [1 | 2 | 1] a must-be-constant argument"},
	} {
		if got := explained(taking(c.a), taking(c.b), taking(c.c)); got != c.want {
			t.Errorf("%s, wanted %s", got, c.want)
		}
	}
}

// Nine sizes are too many to list: seven are named, and how many more there are.
func TestManySizes(t *testing.T) {
	var variants []*facts.Variant
	for _, n := range strings.Fields("1 2 3 4 5 6 7 8 9") {
		variants = append(variants, taking(facts.Parameter{Name: "x", Shape: "f32[" + n + "]"}))
	}
	if got := explained(variants...); !strings.HasSuffix(got, "dimension 0: 1, 2, 3, 4, 5, 6, 7, 2 more") {
		t.Error(got)
	}
	for n, want := range map[int]string{3: "x: f32[1] → f32[2] → f32[3]", 4: "x: f32[1] (dimension 0: 1, 2, 3, 4)"} {
		p := &changes.Program{New: &facts.Program{Variants: variants[:n]}}
		p.Recompile = changes.Explain(p.New)
		if got := strings.Join(p.Differences(), "; "); got != want {
			t.Errorf("%s, wanted %s", got, want)
		}
	}
}

// Where variants have different numbers of arguments, the others are followed by name.
func TestAnotherNumberOfArguments(t *testing.T) {
	x8, x9, y := facts.Parameter{Name: "x", Shape: "f32[8]"}, facts.Parameter{Name: "x", Shape: "f32[9]"}, facts.Parameter{Name: "y", Shape: "s32[]"}
	want := "x shape [f32[8] | f32[9]] dimension 0: 8, 9; count [1 argument | 2 arguments] 1 argument is not in every compilation: y s32[]"
	if got := explained(taking(x8), taking(y, x9)); got != want {
		t.Errorf("%s, wanted %s", got, want)
	}
	if got := explained(taking(y), taking(y, x9)); got != "count [1 argument | 2 arguments] 1 argument is not in every compilation: x f32[9]" {
		t.Error(got)
	}
	if got := explained(taking(x8), taking(x8, x8)); got != "count [1 argument | 2 arguments] 1 argument is not in every compilation: x f32[8]" {
		t.Errorf("one more of the same name: %s", got)
	}
}

// What a Python branch leaves out is told by the functions that only some variants have operations in.
func TestFunctionsOfSomeCompilations(t *testing.T) {
	computing := func(v *facts.Variant, functions ...string) *facts.Variant {
		for _, f := range functions {
			v.Model = append(v.Model, facts.Statement{Source: hlo.Location{File: "src/losses.py", Line: 9, Function: f}})
		}
		return v
	}
	y := facts.Parameter{Name: "y", Shape: "s32[]"}
	for functions, want := range map[string]string{
		"total edges": "; static [] edges of losses.py has operations in some compilations only",
		"total":       "",
		"edges":       "", // nothing is known of the other one
	} {
		first := taking()
		if strings.Contains(functions, "total") {
			first = computing(first, "total")
		}
		got := explained(first, computing(taking(y), strings.Fields(functions)...))
		if got != "count [0 arguments | 1 argument] 1 argument is not in every compilation: y s32[]"+want {
			t.Errorf("%s: %s", functions, got)
		}
	}
}

// Of many arguments that are not always there some are named, and how many more there are.
func TestManyArguments(t *testing.T) {
	var named, counted []facts.Parameter
	for _, n := range strings.Fields("1 2 3 4 5 6 7 8") {
		named = append(named, facts.Parameter{Name: "x" + n, Shape: "f32[" + n + "]"})
		counted = append(counted, facts.Parameter{Name: fmt.Sprint("p", len(counted)), Shape: "f32[" + n + strings.Repeat(",1", len(counted)) + "]"})
	}
	if got := explained(taking(), taking(named...)); got != "count [0 arguments | 8 arguments] 8 arguments are not in every compilation: x1 f32[1], x2 f32[2], x3 f32[3], x4 f32[4], x5 f32[5], 3 more" {
		t.Error(got)
	}
	if got := explained(taking(counted[:1]...), taking(counted...)); !strings.HasSuffix(got, "not in every compilation: f32[2,1], f32[3,1,1], f32[4,1,1,1], f32[5,1,1,1,1], f32[6,1,1,1,1,1], 2 more") {
		t.Error(got)
	}
}

// Of as many arguments each is followed by its place, whatever it is called.
func TestArgumentsOfOtherNames(t *testing.T) {
	got := explained(taking(facts.Parameter{Name: "x", Shape: "f32[8]"}), taking(facts.Parameter{Name: "Arg_0.1", Shape: "f32[9]"}))
	if got != "x shape [f32[8] | f32[9]] dimension 0: 8, 9" {
		t.Error(got)
	}
}

func holding(constants ...facts.Constant) *facts.Variant {
	return &facts.Variant{Compiled: facts.Compiled{Constants: constants}}
}

func TestConstantsThatVary(t *testing.T) {
	two := facts.Constant{Shape: "f32[]", Value: "2", OpName: "jit(f)/mul", Source: hlo.Location{File: "train.py", Line: 12}}
	three := two
	three.Value = "3"
	if got := explained(holding(two), holding(three)); got != "constant [2 | 3] a static value or closed-over constant f32[] of jit(f)/mul (train.py:12)" {
		t.Error(got)
	}
	if got := explained(holding(two, two, two), holding(three, three, three)); got != "constant [2 | 3] a static value or closed-over constant f32[] of jit(f)/mul (train.py:12), and in 2 more places" {
		t.Error(got)
	}
	bare := facts.Constant{Shape: "f32[]", Value: "2"}
	if got := explained(holding(bare), holding(three)); got != "constant [2 | 3] a static value or closed-over constant f32[]" {
		t.Error(got)
	}
}

// Constants that do not line up are compared as sets.
func TestConstantsThatDoNotLineUp(t *testing.T) {
	a, b, c := facts.Constant{Shape: "f32[]", Value: "1"}, facts.Constant{Shape: "f32[]", Value: "2"}, facts.Constant{Shape: "s32[]", Value: "3"}
	const says = " constants in the program: a static argument or a closed-over value differs"
	for _, test := range []struct {
		one, other *facts.Variant
		want       string
	}{
		{holding(a), holding(a, c), "static [no extra constant | s32[] 3]" + says},
		{holding(a, c), holding(a), "static [s32[] 3 | no extra constant]" + says},
		{holding(c, a), holding(a, c), "none [] the arguments are alike; the programs differ inside"},
		{holding(c, a), holding(b, c), "static [f32[] 1 | f32[] 2]" + says},
		{holding(a), holding(a, a), "none [] the arguments are alike; the programs differ inside"},
	} {
		if got := explained(test.one, test.other); got != test.want {
			t.Errorf("%s, wanted %s", got, test.want)
		}
	}
}

// What only some variants do tells them apart where all else is alike.
func TestOperationsThatVary(t *testing.T) {
	op := func(opcode, attrs, opName string, line int32) facts.Op {
		o := facts.Op{Opcode: opcode, Attrs: attrs, OpName: opName}
		if line > 0 {
			o.Source = hlo.Location{File: "m.py", Line: line}
		}
		return o
	}
	doing := func(ops ...facts.Op) *facts.Variant { return &facts.Variant{Input: facts.Input{Differing: ops}} }
	const says = " a static argument or a Python branch decides"
	for _, c := range []struct {
		a, b *facts.Variant
		want string
	}{
		{doing(op("tanh", "", "jit(f)/tanh", 3)), doing(), "static [tanh | no extra operation]" + says + " (m.py:3)"},
		{doing(op("tanh", "", "jit(f)/tanh", 0)), doing(op("sine", "", "", 4)), "static [tanh | sine]" + says + " in jit(f)/tanh"},
		{doing(op("slice", "{[0:4]}", "", 0)), doing(op("slice", "{[0:8]}", "", 0)), "static [slice {[0:4]} | slice {[0:8]}]" + says},
		{doing(op("a", "", "", 0), op("b", "", "", 0), op("c", "", "", 0), op("d", "", "", 0)), doing(), "static [a, b, 2 more | no extra operation]" + says},
		{doing(op("tanh", "", "", 3)), doing(op("tanh", "", "", 4)), "none [] the arguments are alike; the programs differ inside"},
	} {
		if got := explained(c.a, c.b); got != c.want {
			t.Errorf("%s, wanted %s", got, c.want)
		}
	}
}

// The last resort: what is returned, then how much there is of the program.
func TestResultsThatVary(t *testing.T) {
	returning := func(result string, n float64) *facts.Variant {
		return &facts.Variant{Facts: facts.Values{"instructions.before": n}, Interface: facts.Interface{Result: result}}
	}
	if got := explained(returning("f32[8]", 1), returning("f32[9]", 2)); got != "static [f32[8] | f32[9]] the arguments are alike, the results are not: a static argument differs" {
		t.Error(got)
	}
	if got := explained(returning("f32[8]", 1), returning("f32[8]", 2)); got != "static [1 instructions | 2 instructions] the arguments are alike, the programs are not: a static argument or a Python branch differs" {
		t.Error(got)
	}
	if got := explained(returning("f32[8]", 1), returning("f32[8]", 1)); got != "none [] the arguments are alike; the programs differ inside" {
		t.Error(got)
	}
}

// A first step with fewer arguments than the later ones does not hide what those differ in.
func TestLaterStepsThatVary(t *testing.T) {
	first, two := taking(facts.Parameter{Name: "x", Shape: "f32[8]"}), taking(facts.Parameter{Name: "x", Shape: "f32[8]"}, facts.Parameter{Name: "state", Shape: "f32[9]"})
	three := *two
	two.Signature, three.Signature = "x, state", "x, state"
	two.Constants, three.Constants = []facts.Constant{{Shape: "s32[]", Value: "2"}}, []facts.Constant{{Shape: "s32[]", Value: "3"}}
	if got := explained(first, two, &three); !strings.HasSuffix(got, "constant [2 | 3] a static value or closed-over constant s32[]") {
		t.Error(got)
	}
}

// An argument without a name that comes in another type is the one in its place.
func TestArgumentsOfOtherTypes(t *testing.T) {
	of := func(dtype string) *facts.Variant {
		return taking(facts.Parameter{Name: "arg0", Shape: dtype + "[8,16]"}, facts.Parameter{Name: "arg1", Shape: "f32[]"})
	}
	if got := explained(of("s32"), of("s64")); !strings.HasPrefix(got, "arg0 dtype [s32[8,16] | s64[8,16]]") {
		t.Error(got)
	}
}

// JAX's own reason is quoted where the modules are equal, and an argument that is on a mesh in some calls only is a reason of the modules.
func TestReasonsOfJAX(t *testing.T) {
	const weak = "at x, now f32[]{weak_type=True} and before f32[]"
	equal := taking(facts.Parameter{Name: "x", Shape: "f32[]"})
	equal.Modules = []string{"module_0000.jit_f", "module_0002.jit_f"}
	const same = "the same module was compiled 2 times: nothing in it tells the calls apart"
	for want, logs := range map[string]*tensorflow.Logs{
		weak: {Misses: []tensorflow.CacheMiss{{Program: "f", Reason: weak}, {Program: "g", Reason: "other"}}},
		same: {},
		same + "; in a dump by xlagate capture, JAX says what differs": nil,
	} {
		fresh := &facts.Report{Programs: []*facts.Program{{Name: "f", Variants: []*facts.Variant{equal}}}, Logs: logs}
		if got := strings.Join(changes.Compare(&facts.Report{}, fresh).Programs[0].Differences(), "; "); got != want {
			t.Errorf("%s, wanted %s", got, want)
		}
	}
	off, on := facts.Parameter{Name: "w", Shape: "f32[8]", Sharding: "{replicated}"}, facts.Parameter{Name: "w", Shape: "f32[8]", Sharding: "{replicated}", Given: "{replicated}"}
	if got := explained(taking(off), taking(on)); got != "w sharding [on no mesh | replicated] on a mesh in some calls only" {
		t.Error(got)
	}
}

// The first step of an optimizer takes fewer arguments than those that follow. What was accepted of that is not why a program is compiled once more.
func TestCountsThatWereAccepted(t *testing.T) {
	x, longer, state := facts.Parameter{Name: "p0", Shape: "f32[8]"}, facts.Parameter{Name: "p0", Shape: "f32[9]"}, facts.Parameter{Name: "p1", Shape: "s32[4,4]"}
	p := &changes.Program{
		Name: "f",
		Old:  &facts.Program{Name: "f", Variants: []*facts.Variant{taking(x), taking(x, state)}},
		New:  &facts.Program{Name: "f", Variants: []*facts.Variant{taking(x), taking(x, state), taking(longer, state)}},
	}
	p.Recompile = changes.Explain(p.New)
	if got := strings.Join(p.Differences(), "; "); got != "p0: f32[8] → f32[9]" {
		t.Error(got)
	}
	p.Old.Variants = p.Old.Variants[:1]
	if got := strings.Join(p.Differences(), "; "); !strings.Contains(got, "1 argument is not in every compilation: s32[4,4]") {
		t.Error(got)
	}
}
