package changes_test

import (
	"slices"
	"testing"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
)

// returned is the difference of two programs with these results.
func returned(t *testing.T, old, fresh string, results, before []facts.Op) *changes.Variant {
	t.Helper()
	a, b := variant("()", "old"), variant("()", "fresh")
	a.Result, b.Result, a.Results, b.Results = old, fresh, before, results
	return compared(t, a, b)
}

func TestResultsThatAreNew(t *testing.T) {
	tanh, sum, sine := facts.Op{OpName: "jit(f)/tanh", Shape: "f32[8]"}, facts.Op{OpName: "jit(f)/sum", Shape: "f32[]"}, facts.Op{Opcode: "sine", Shape: "f32[8]"}
	for name, c := range map[string]struct {
		old, fresh      string
		before, results []facts.Op
		want            string
	}{
		"one more":       {"f32[]", "(f32[], f32[8])", []facts.Op{sum}, []facts.Op{sum, tanh}, "tanh f32[8] is now a result of the program"},
		"without a name": {"f32[]", "(f32[], f32[8])", []facts.Op{sum}, []facts.Op{sum, sine}, "sine f32[8] is now a result of the program"},
		"two more":       {"s32[]", "(f32[], f32[8])", nil, []facts.Op{sum, tanh}, "2 results are new, among them sum f32[]"},
		"one of a shape": {"f32[8]", "(f32[8], f32[8])", []facts.Op{sine}, []facts.Op{tanh, sine}, "tanh f32[8] is now a result of the program"},
		"an argument":    {"f32[]", "(f32[], f32[8])", []facts.Op{sum}, []facts.Op{sum, {Opcode: "parameter", Shape: "f32[8]"}}, "1 argument is now returned as it went in: f32[8]"},
		"the same":       {"f32[8]", "f32[8]", nil, []facts.Op{tanh}, ""},
		"one less":       {"(f32[], f32[8])", "f32[8]", nil, []facts.Op{tanh}, ""},
		"not known":      {"", "f32[8]", nil, []facts.Op{tanh}, ""},
	} {
		v := returned(t, c.old, c.fresh, c.results, c.before)
		if _, got := changes.NewResult(v); got != c.want {
			t.Errorf("%s: %q, wanted %q", name, got, c.want)
		}
		if isCause := v.Causes[0].Kind == changes.KindResults; isCause != (c.want != "" || len(v.Dropped()) > 0) {
			t.Errorf("%s: the cause is %s", name, v.Causes[0].Kind)
		}
	}
}

func TestNoOldResults(t *testing.T) {
	if _, got := changes.NewResult(nil); got != "" {
		t.Error(got)
	}
	if _, got := changes.NewResult(&changes.Variant{New: &facts.Variant{Interface: facts.Interface{Result: "f32[8]", Results: []facts.Op{{Shape: "f32[8]"}}}}}); got != "" {
		t.Error(got)
	}
}

// A result of another batch is no new result.
func TestRescaledResult(t *testing.T) {
	a, b := variant("", "old"), variant("", "fresh")
	a.Params, b.Params, a.Result, b.Result = shaped("f32[8]"), shaped("f32[16]"), "f32[8]", "f32[16]"
	b.Results = []facts.Op{{OpName: "jit(f)/tanh", Shape: "f32[16]"}}
	if _, got := changes.NewResult(compared(t, a, b)); got != "" {
		t.Error(got)
	}
}

// Of results of one shape, the one is new whose operation the old program did not end in.
func TestNewestOfOneShape(t *testing.T) {
	tanh, sine := facts.Op{OpName: "jit(f)/tanh", Shape: "f32[8]"}, facts.Op{OpName: "jit(f)/sin", Shape: "f32[8]"}
	a, b := variant("()", "old"), variant("()", "fresh")
	a.Result, b.Result, b.Results = "f32[8]", "(f32[8], f32[8])", []facts.Op{tanh, sine}
	a.Kernels = []facts.Kernel{kernel("jit(f)/sin", "sine", "f32[8]")}
	if op, _ := changes.NewResult(compared(t, a, b)); op.OpName != "jit(f)/tanh" {
		t.Errorf("sine ran already: %s", op.OpName)
	}
	a.Kernels[0].OpName = "jit(f)/tanh"
	if op, _ := changes.NewResult(compared(t, a, b)); op.OpName != "jit(f)/sin" {
		t.Errorf("tanh ran already: %s", op.OpName)
	}
}

func TestLostResults(t *testing.T) {
	for name, c := range map[string]struct {
		old, fresh string
		before     float64 // results that no argument reaches
		fixed      []int
		args       string
		want       []string
	}{
		"the same":                       {"(f32[], f32[8])", "(f32[], f32[8])", 0, nil, "f32[8]", nil},
		"in another order":               {"(f32[], f32[8])", "(f32[8], f32[])", 0, nil, "f32[8]", nil},
		"fewer rows":                     {"f32[20,16,32]", "f32[0,16,32]", 0, []int{0}, "f32[8]", []string{"f32[20,16,32] is now f32[0,16,32]"}},
		"wider":                          {"(bf16[4], s32[])", "(f32[4], s32[])", 0, nil, "f32[8]", []string{"bf16[4] is now f32[4]"}},
		"as the argument has it":         {"(bf16[8], s32[])", "(f32[8], s32[])", 0, nil, "f32[8]", nil},
		"one more":                       {"f32[8]", "(f32[8], f32[])", 0, nil, "f32[8]", nil},
		"one less":                       {"(f32[8], f32[])", "f32[8]", 0, nil, "f32[8]", nil},
		"of another batch":               {"f32[8]", "f32[16]", 0, nil, "f32[16]", nil},
		"from nothing":                   {"(f32[8], f32[4])", "(f32[8], f32[4])", 0, []int{1}, "f32[8]", []string{"f32[4] no longer depends on an argument"}},
		"from nothing as before":         {"(f32[8], f32[4])", "(f32[8], f32[4])", 1, []int{1}, "f32[8]", nil},
		"one of them is not known":       {"(f32[8], f32[4])", "(f32[8], f32[4])", 1, []int{0, 1}, "f32[8]", []string{"one no longer depends on an argument"}},
		"a constant is returned as well": {"f32[8]", "(f32[8], f32[4])", 0, []int{1}, "f32[8]", nil},
	} {
		a, b := variant("()", "old"), variant("()", "fresh")
		a.Params, b.Params, a.Result, b.Result = shaped("f32[8]"), shaped(c.args), c.old, c.fresh
		a.Facts[facts.ResultsConstant], b.Facts[facts.ResultsConstant], b.Fixed = c.before, float64(len(c.fixed)), c.fixed
		var got []string
		for _, l := range compared(t, a, b).LostResults() {
			got = append(got, l.String())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, wanted %q", name, got, c.want)
		}
	}
}
