package changes_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
)

// at is a line of m.py.
func at(line int32) hlo.Location { return hlo.Location{File: "m.py", Line: line} }

// onLine gives a kernel its line in the model.
func onLine(k facts.Kernel, line int32) facts.Kernel {
	return with(k, func(k *facts.Kernel) { k.Source = at(line) })
}

// Arguments that are spread otherwise are given at the call; what that does shows where devices have to talk.
func TestShardingStandsWhereDevicesTalk(t *testing.T) {
	a, b := variant("()", "old"), variant("()", "fresh")
	a.Params, b.Params = []facts.Parameter{{Name: "w", Shape: "f32[8]"}}, []facts.Parameter{{Name: "w", Shape: "f32[8]", Sharding: "{devices=[8]<=[8]}"}}
	quiet := onLine(kernel("jit(f)/tanh", "tanh", "f32[8]"), 3)
	talks := with(onLine(kernel("jit(f)/dot", "all-gather", "f32[64]"), 9), func(k *facts.Kernel) { k.Class, k.Kind = facts.ClassCollective, "collective" })
	nameless := with(talks, func(k *facts.Kernel) { k.OpName, k.Source, k.Out = "", hlo.Location{}, "f32[1]" })
	b.Kernels = []facts.Kernel{quiet, nameless, talks}
	if c := compared(t, a, b).Causes[0]; c.Kind != changes.KindSharding || c.OpName != "jit(f)/dot" || c.Source != at(9) {
		t.Errorf("%s at %+v", c.Kind, c.Source)
	}
	b.Kernels = b.Kernels[:1]
	if c := compared(t, a, b).Causes[0]; c.OpName != "jit(f)/tanh" || c.Source != at(3) {
		t.Errorf("without a collective: %+v", c.Source)
	}
}

// A kernel whose line is not known is placed at the nearest line of the model.
func TestNearestLineOfTheModel(t *testing.T) {
	a, b := variant("()", "old"), variant("()", "fresh")
	b.Kernels = []facts.Kernel{kernel("jit(f)/mlp/deep/tanh", "tanh", "f32[8]")}
	far, near, inside, nowhere := asks("jit(f)/head", "dot", 1), asks("jit(f)/mlp", "dot", 2), asks("jit(f)/mlp/deep", "tanh", 3), asks("jit(f)/mlp/deep", "sine", 0)
	for _, c := range []struct {
		model []facts.Statement
		want  int32
	}{
		{[]facts.Statement{far}, 1}, {[]facts.Statement{far, near}, 2}, {[]facts.Statement{near, far}, 2}, {[]facts.Statement{near, inside, far}, 3}, {[]facts.Statement{nowhere, far}, 1}, {[]facts.Statement{nowhere}, 0},
	} {
		b.Model = c.model
		if got := compared(t, a, b).Causes[0].Source.Line; got != c.want {
			t.Errorf("%+v: line %d, wanted %d", c.model, got, c.want)
		}
	}
}

// What merely went is placed where something came in its stead.
func TestPlaceOfWhatWent(t *testing.T) {
	rest, gone := asks("jit(f)/a", "dot", 0), asks("jit(f)/mlp", "tanh", 0)
	came := onLine(kernel("jit(f)/mlp/relu", "maximum", "f32[8]"), 5)
	v := changed(t, []facts.Statement{rest, gone}, []facts.Statement{rest}, nil, []facts.Kernel{came})
	if c := v.Causes[0]; c.Title != "gone: tanh" || c.OpName != "jit(f)/mlp/relu" || c.Source != at(5) {
		t.Errorf("%q at %+v", c.Title, c.Source)
	}
}

// Of several kernels that were split the fullest is described, the others are counted.
func TestSeveralSplits(t *testing.T) {
	whole := func(scope, do string) facts.Kernel { return kernel("jit(f)/"+scope+"/div", do, "f32[8]") }
	a, b := variant("()", "old"), variant("()", "fresh")
	a.Kernels = []facts.Kernel{whole("a", "add divide"), whole("b", "add exponential divide")}
	b.Kernels = []facts.Kernel{kernel("jit(f)/a/x", "add", "f32[4]"), kernel("jit(f)/a/div", "divide", "f32[8]"), kernel("jit(f)/b/x", "add exponential", "f32[4]"), kernel("jit(f)/b/div", "divide", "f32[8]")}
	if got := compared(t, a, b).Causes[0].Title; got != "add, divide, exponential is split into 2 kernels, and 1 more kernel was split" {
		t.Error(got)
	}
	a.Kernels, b.Kernels = a.Kernels[:1], b.Kernels[:2]
	if got := compared(t, a, b).Causes[0].Title; got != "add, divide is split into 2 kernels" {
		t.Error(got)
	}
}

// Nothing of the model stands between the pieces of what the compiler took apart by itself.
func TestCompilerPutsNothingBetween(t *testing.T) {
	a, b := variant("()", "old"), variant("()", "fresh")
	a.Kernels = []facts.Kernel{kernel("jit(f)/a/div", "add divide", "f32[8]")}
	b.Kernels = []facts.Kernel{with(kernel("jit(f)/a/x", "add", "f32[4]"), func(k *facts.Kernel) { k.Result = true }), with(kernel("jit(f)/a/div", "divide", "f32[8]"), func(k *facts.Kernel) { k.From = []int32{0} })}
	a.InputPrint, b.InputPrint = "a", "b"
	if got := compared(t, a, b).Causes[0].Title; !strings.Contains(got, "split into 2 kernels because x is a result of the program") {
		t.Errorf("the model's doing: %s", got)
	}
	b.InputPrint = "a"
	if got := compared(t, a, b).Causes[0].Title; strings.Contains(got, "because") || !strings.Contains(got, "is split into 2 kernels") {
		t.Errorf("the compiler's: %s", got)
	}
}

// Of several kernels of an unrolled loop the one that stands most often in the program is described.
func TestSeveralUnrolled(t *testing.T) {
	body := func(do string) facts.Kernel {
		return with(kernel("jit(f)/while/body/x", do, "f32[8]"), func(k *facts.Kernel) { k.InLoop, k.Times = true, 4 })
	}
	a, b := variant("()", "old"), variant("()", "fresh")
	a.Kernels = []facts.Kernel{body("dynamic-slice tanh"), body("dynamic-slice dot")}
	copies := func(do string, n int) {
		for range n {
			b.Kernels = append(b.Kernels, kernel("jit(f)/x", do, "f32[8]"))
		}
	}
	copies("slice tanh", 2)
	copies("slice dot", 3)
	for times, want := range map[int64]string{2: "dot, dynamic-slice of a loop's body is in the program 3 times", 4: "5 new kernels"} { // of the loop, now
		for i := range a.Kernels {
			a.Kernels[i].Loop = "jit(f)/while"
		}
		other := with(body("add"), func(k *facts.Kernel) { k.Loop, k.Times = "jit(f)/while", times })
		now := *b
		now.Kernels = append(slices.Clone(b.Kernels), other)
		if got := compared(t, a, &now).Causes[0].Title; !strings.HasPrefix(got, want) {
			t.Errorf("where the loop runs %d times: %s", times, got)
		}
	}
}

// A constant is placed at the edited line of what reads it.
func TestPlaceOfAConstant(t *testing.T) {
	for _, c := range []struct {
		reads string
		line  int32
		want  int32
	}{{large.Shape, 5, 5}, {large.Shape, 6, 0}, {"f32[9]", 5, 0}} {
		reads := with(onLine(kernel("f/add", "gather add", "f32[8]"), c.line), func(k *facts.Kernel) {
			k.In, k.Stack = []string{c.reads}, &facts.Stack{Location: at(c.line)}
		})
		old, fresh := variant("()", "old"), variant("()", "fresh")
		old.Kernels, fresh.Kernels, fresh.Constants = []facts.Kernel{reads}, []facts.Kernel{reads}, []facts.Constant{large}
		program := func(v *facts.Variant) *facts.Report {
			return report(&facts.Program{Name: "f", Variants: []*facts.Variant{v}})
		}
		d := changes.CompareEdited(program(old), program(fresh), lines([2]int32{5, 5}))
		if got := d.Programs[0].Variants[0].Causes[0].Source.Line; got != c.want {
			t.Errorf("%+v: at line %d", c, got)
		}
	}
}
