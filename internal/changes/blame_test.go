package changes_test

import (
	"testing"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
)

// changed is the difference of two programs of which the model and the kernels are known.
func changed(t *testing.T, oldModel, model []facts.Statement, oldKernels, kernels []facts.Kernel) *changes.Variant {
	t.Helper()
	a, b := variant("()", "old"), variant("()", "fresh")
	a.Model, b.Model, a.Kernels, b.Kernels = oldModel, model, oldKernels, kernels
	return compared(t, a, b)
}

// Kernels are put down to the edit on their line, else to that of their scope, else to the weightiest.
func TestKernelsArePutDownToTheirCause(t *testing.T) {
	light, heavy := asks("jit(f)/mlp", "tanh", 3), asks("jit(f)/head", "sort", 9)
	heavy.Source.Function = "g"
	onLine := kernel("jit(f)/else/tanh", "tanh", "f32[1]")
	onLine.Source = light.Source
	inScope, below, astray := kernel("jit(f)/mlp/sine", "sine", "f32[2]"), kernel("jit(f)/mlp/deep/sub/log", "log", "f32[3]"), kernel("other", "power", "f32[4]")
	rest := asks("jit(f)", "dot", 1)
	v := changed(t, []facts.Statement{rest}, []facts.Statement{rest, light, heavy}, nil, []facts.Kernel{onLine, inScope, below, astray})
	if len(v.Causes) != 2 || v.Causes[0].Title != "new: sort" || v.Causes[1].Title != "new: tanh" {
		t.Fatalf("%+v", v.Causes)
	}
	for _, k := range []*facts.Kernel{&onLine, &inScope, &below} {
		if !holds(v.Causes[1].After, k) {
			t.Errorf("%s is not put down to %s", k.OpName, v.Causes[1].Title)
		}
	}
	if !holds(v.Causes[0].After, &astray) || len(v.Causes[0].After) != 1 {
		t.Errorf("to %s: %d kernels", v.Causes[0].Title, len(v.Causes[0].After))
	}
}

func holds(list []facts.Kernel, k *facts.Kernel) bool {
	for i := range list {
		if list[i].OpName == k.OpName {
			return true
		}
	}
	return false
}

// Edits of one function are one cause, those of two are two.
func TestOneCauseAFunction(t *testing.T) {
	rest, a, b := asks("jit(f)", "dot", 1), asks("jit(f)/a", "tanh", 3), asks("jit(f)/b", "sort", 9)
	v := changed(t, []facts.Statement{rest}, []facts.Statement{rest, a, b}, nil, nil)
	if len(v.Causes) != 1 || v.Causes[0].Title != "new: sort, tanh" || len(v.Causes[0].Edits) != 2 || v.Causes[0].Source.Line != 9 {
		t.Errorf("one function: %+v", v.Causes)
	}
	b.Source.Function = "g"
	if v := changed(t, []facts.Statement{rest}, []facts.Statement{rest, a, b}, nil, nil); len(v.Causes) != 2 {
		t.Errorf("two functions: %+v", v.Causes)
	}
	b.Source.Function, b.Source.File = "f", "other.py"
	if v := changed(t, []facts.Statement{rest}, []facts.Statement{rest, a, b}, nil, nil); len(v.Causes) != 2 {
		t.Errorf("two files: %+v", v.Causes)
	}
}

// An edit whose line is not known belongs to the one around its scope.
func TestEditWithoutALine(t *testing.T) {
	rest, known := asks("jit(f)", "dot", 1), asks("jit(f)/mlp", "tanh", 3)
	inside, outside := asks("jit(f)/mlp/act", "sine", 0), asks("jit(g)/mlp", "sine", 0)
	v := changed(t, []facts.Statement{rest}, []facts.Statement{rest, known, inside}, nil, nil)
	if len(v.Causes) != 1 || v.Causes[0].Title != "new: tanh, sine" {
		t.Errorf("inside: %+v", v.Causes)
	}
	v = changed(t, []facts.Statement{rest}, []facts.Statement{rest, known, outside}, nil, nil)
	if len(v.Causes) != 2 {
		t.Errorf("outside: %+v", v.Causes)
	}
}

// What merely went, from no known line, belongs to the weightiest edit of the same function of the framework.
func TestWhatWentWithoutALine(t *testing.T) {
	rest, known, gone := asks("jit(f)/x", "dot", 1), asks("jit(f)/mlp", "tanh", 3), asks("jit(f)/else", "sine", 0)
	v := changed(t, []facts.Statement{rest, gone}, []facts.Statement{rest, known}, nil, nil)
	if len(v.Causes) != 1 || v.Causes[0].Title != "new: tanh; gone: sine" {
		t.Errorf("%+v", v.Causes)
	}
	gone.Scope = "jit(g)/else"
	v = changed(t, []facts.Statement{rest, gone}, []facts.Statement{rest, known}, nil, nil)
	if len(v.Causes) != 2 {
		t.Errorf("of another function: %+v", v.Causes)
	}
}

// Where nothing is known of the model the kernels themselves are all that can be said.
func TestNothingIsKnownOfTheModel(t *testing.T) {
	v := changed(t, nil, nil, nil, []facts.Kernel{kernel("jit(f)/tanh", "add tanh", "f32[8]")})
	if len(v.Causes) != 1 || v.Causes[0].Kind != changes.KindUnknown || v.Causes[0].Title == "" || v.Causes[0].OpName != "jit(f)/tanh" {
		t.Errorf("%+v", v.Causes)
	}
}

// Where the model asks for the same operations, the kernel that grew most is named, and its line.
func TestTheSameOperationsInOtherShapes(t *testing.T) {
	of := func(op, do, out string, bytes int64, line int32) facts.Kernel {
		k := kernel("jit(f)/"+op, do, out)
		k.Bytes, k.Source = bytes, hlo.Location{File: "m.py", Line: line}
		return k
	}
	asked := []facts.Statement{asks("jit(f)", "dot reduce", 1)}
	before := []facts.Kernel{of("argmax", "reduce", "f32[4]", 64, 2), of("dot_general", "dot", "f32[4,512]", 1024, 1)}
	after := []facts.Kernel{of("argmax", "reduce", "f32[64]", 128, 2), of("dot_general", "dot", "f32[256,512]", 65536, 1)}
	v := changed(t, asked, asked, before, after)
	want := "dot f32[4,512] → f32[256,512], and 1 more kernel on arrays of other shapes; the model's operations are the same"
	if len(v.Causes) != 1 || v.Causes[0].Title != want || v.Causes[0].Source.Line != 1 {
		t.Errorf("%+v, wanted %q", v.Causes, want)
	}
}

// What took the place of something that only went is looked for at the kernel that does most.
func TestThePlaceOfWhatTookOver(t *testing.T) {
	old := []facts.Statement{asks("jit(f)", "dot subtract", 0)}
	small, large := kernel("jit(f)/top_k", "iota compare", "s32[8]"), kernel("jit(f)/sub", "subtract reduce", "f32[8]")
	small.Bytes, small.Source = 64, hlo.Location{File: "m.py", Line: 4}
	large.Bytes, large.Source = 65536, hlo.Location{File: "m.py", Line: 2}
	v := changed(t, old, []facts.Statement{asks("jit(f)", "subtract", 2)}, nil, []facts.Kernel{small, large})
	if len(v.Causes) != 1 || v.Causes[0].Title != "gone: dot" || v.Causes[0].Source.Line != 2 {
		t.Errorf("%+v", v.Causes)
	}
}

// Flags that differ are what the compiler is told; without any it did so by itself.
func TestTheCompilersDoing(t *testing.T) {
	of := func(print string, flags map[string]string) *facts.Report {
		v := variant("()", print)
		v.InputPrint = "same"
		r := report(&facts.Program{Name: "f", Variants: []*facts.Variant{v}})
		r.Toolchain.Flags = flags
		return r
	}
	without := only(t, changes.Compare(of("old", nil), of("fresh", nil))).Causes[0]
	with := only(t, changes.Compare(of("old", map[string]string{"xla_a": "1"}), of("fresh", map[string]string{"xla_a": "2"}))).Causes[0]
	if without.Kind != changes.KindToolchain || with.Kind != changes.KindToolchain || without.Title == with.Title {
		t.Errorf("%q and %q", without.Title, with.Title)
	}
}

// Why picks what adds most to what is asked about; the first where nothing adds anything.
func TestWhy(t *testing.T) {
	sized := func(bytes int64) facts.Kernel {
		return with(kernel("", "tanh", "f32[8]"), func(k *facts.Kernel) { k.Bytes = bytes })
	}
	bytes := func(k *facts.Kernel) int64 { return k.Bytes }
	v := &changes.Variant{Causes: []changes.Cause{
		{Title: "first", After: []facts.Kernel{sized(5)}, Before: []facts.Kernel{sized(5)}},
		{Title: "second", After: []facts.Kernel{sized(9), sized(1)}, Before: []facts.Kernel{sized(3)}},
		{Title: "third", After: []facts.Kernel{sized(20)}, Before: []facts.Kernel{sized(14)}},
	}}
	if got := v.Why(bytes); got.Title != "second" {
		t.Errorf("%s adds most", got.Title)
	}
	if got := v.Why(func(*facts.Kernel) int64 { return 0 }); got.Title != "first" {
		t.Errorf("nothing adds anything: %s", got.Title)
	}
	if got := v.Why(func(k *facts.Kernel) int64 { return -k.Bytes }); got.Title != "first" {
		t.Errorf("all take away: %s", got.Title)
	}
	if got := (&changes.Variant{}).Why(bytes); got != nil {
		t.Errorf("no cause: %+v", got)
	}
}

func TestCauseOfAKernel(t *testing.T) {
	named := func(name, print string) facts.Kernel {
		return with(kernel("", "tanh", "f32[8]"), func(k *facts.Kernel) { k.Name, k.Print = name, print })
	}
	v := &changes.Variant{Causes: []changes.Cause{
		{Title: "first", After: []facts.Kernel{named("a", "1")}, Before: []facts.Kernel{named("c", "1")}},
		{Title: "second", After: []facts.Kernel{named("a", "2"), named("b", "1")}},
	}}
	for _, c := range []struct{ name, print, want string }{{"a", "1", "first"}, {"a", "2", "second"}, {"b", "1", "second"}, {"b", "2", ""}, {"c", "1", ""}} {
		k, got := named(c.name, c.print), ""
		if cause := v.CauseOf(&k); cause != nil {
			got = cause.Title
		}
		if got != c.want {
			t.Errorf("%s %s came by %q, wanted %q", c.name, c.print, got, c.want)
		}
	}
}
