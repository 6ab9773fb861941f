package changes_test

import (
	"fmt"
	"testing"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
)

// typed is a statement in a type.
func typed(dtype, scope, do string, line int32) facts.Statement {
	s := asks(scope, do, line)
	s.Type = dtype
	return s
}

// first spells the operation that brought a type in: "dot jit(f)/add m.py:3".
func first(op facts.Op) string {
	return fmt.Sprintf("%s %s:%d", op.Opcode, op.Source.File, op.Source.Line)
}

// A type is brought in by the first statement that has it and did not before, one with a known line before one without.
func TestFirstStatementOfAType(t *testing.T) {
	for name, c := range map[string]struct {
		old, fresh []facts.Statement
		want       string
	}{
		"new":               {nil, []facts.Statement{typed("f32", "a", "dot", 1), typed("f64", "a", "add dot", 2), typed("f64", "b", "tanh", 3)}, "dot m.py:2"},
		"had already":       {[]facts.Statement{typed("f64", "a", "tanh", 1)}, []facts.Statement{typed("f64", "a", "tanh", 1), typed("f64", "b", "sort", 3)}, "sort m.py:3"},
		"one more in place": {[]facts.Statement{typed("f64", "a", "tanh", 1)}, []facts.Statement{typed("f64", "a", "tanh", 1), typed("f64", "a", "sort", 3)}, "sort m.py:3"},
		"another type had":  {[]facts.Statement{typed("f32", "a", "tanh", 1)}, []facts.Statement{typed("f64", "a", "tanh", 4)}, "tanh m.py:4"},
		"a line is known":   {nil, []facts.Statement{typed("f64", "a", "tanh", 0), typed("f64", "b", "sort", 5)}, "sort m.py:5"},
		"no line is known":  {nil, []facts.Statement{typed("f64", "a", "tanh", 0), typed("f64", "b", "sort", 0)}, "tanh :0"},
		"nowhere new":       {[]facts.Statement{typed("f64", "a", "tanh", 1)}, []facts.Statement{typed("f64", "a", "tanh", 1)}, " :0"},
	} {
		v := &changes.Variant{Old: &facts.Variant{Input: facts.Input{Model: c.old}}, New: &facts.Variant{Input: facts.Input{Model: c.fresh}}}
		if got := first(v.FirstNew("f64")); got != c.want {
			t.Errorf("%s: %q, wanted %q", name, got, c.want)
		}
	}
}

// A model that was read off the optimized module does not tell what one from before had.
func TestFirstOfATypeAcrossKindsOfModels(t *testing.T) {
	had := []facts.Statement{typed("f64", "a", "tanh", 1)}
	v := &changes.Variant{Old: &facts.Variant{Input: facts.Input{Model: had, ModelAfter: true}}, New: &facts.Variant{Input: facts.Input{Model: had}}}
	if got := first(v.FirstNew("f64")); got != "tanh m.py:1" {
		t.Error(got)
	}
	if got := first((&changes.Variant{New: v.New}).FirstNew("f64")); got != "tanh m.py:1" {
		t.Errorf("without an old program: %s", got)
	}
}

// Where nothing is known of the model its kernels tell.
func TestFirstKernelOfAType(t *testing.T) {
	bare, placed := kernel("a", "tanh", "(f32[8], f64[8])"), kernel("b", "sort", "f64[4]")
	placed.Source = hlo.Location{File: "m.py", Line: 6}
	for _, c := range []struct {
		kernels []facts.Kernel
		want    string
	}{
		{nil, " :0"},
		{[]facts.Kernel{kernel("c", "sine", "f32[8]")}, " :0"},
		{[]facts.Kernel{kernel("c", "sine", "f32[8]"), bare}, "tanh :0"},
		{[]facts.Kernel{bare, kernel("c", "sine", "f64[1]")}, "tanh :0"},
		{[]facts.Kernel{bare, placed}, "sort m.py:6"},
	} {
		if got := first((&changes.Variant{New: &facts.Variant{Compiled: facts.Compiled{Kernels: c.kernels}}}).FirstNew("f64")); got != c.want {
			t.Errorf("%q, wanted %q", got, c.want)
		}
	}
}

// Types that are used more than before are listed by name; those used less or no more are not.
func TestTypesThatGrew(t *testing.T) {
	a, b := variant("()", "old"), variant("()", "fresh")
	a.Facts = facts.Values{"dtypes.f32": 9, "dtypes.bf16": 2, "dtypes.s32": 1, "kernels.total": 1}
	b.Facts = facts.Values{"dtypes.f32": 8, "dtypes.bf16": 3, "dtypes.s32": 1, "dtypes.f64": 4, "kernels.total": 5}
	got := compared(t, a, b).Dtypes
	if len(got) != 2 || got[0].Type != "bf16" || got[0].Old != 2 || got[0].New != 3 || got[1].Type != "f64" || got[1].Old != 0 || got[1].New != 4 {
		t.Errorf("%+v", got)
	}
}
