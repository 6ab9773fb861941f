package changes_test

import (
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
)

// An edited line that calls a function which runs elsewhere, too, makes it run again.
func TestRunsAgain(t *testing.T) {
	in := func(s facts.Statement, function string, caller int32) facts.Statement {
		s.Source.Function = function
		s.Stacks = []*facts.Stack{{Location: s.Source, Caller: &facts.Stack{Location: hlo.Location{File: "model.py", Line: caller, Function: "step"}}}}
		return s
	}
	encode := func(scope, function string, caller int32) facts.Statement {
		return in(asks(scope, "dot", 5), function, caller)
	}
	var kernels []facts.Kernel
	report := func(model ...facts.Statement) *facts.Report {
		v := variant("()", string(rune('a'+len(model))))
		v.Model, v.Kernels = model, kernels
		return report(&facts.Program{Name: "f", Variants: []*facts.Variant{v}})
	}
	title := func(function string, fresh facts.Statement) string {
		was := encode("jit(f)/loss", function, 20)
		d := changes.CompareEdited(report(was), report(was, fresh), lines([2]int32{30, 30}))
		return d.Programs[0].Variants[0].Causes[0].Title
	}
	for function, name := range map[string]string{"encode": "encode", "Model.encode": "encode", "Block.__call__": "Block"} {
		if got := title(function, encode("jit(f)", function, 30)); got != name+" runs again: dot" {
			t.Errorf("%s: %s", function, got)
		}
	}
	if got := title("encode", in(asks("jit(f)", "sort", 9), "rank", 30)); got != "new: sort" {
		t.Error(got)
	}
	gradient := asks("jit(f)/transpose(jvp())", "dot", 5)
	if got := title("encode", in(gradient, "encode", 30)); got != "new: dot" {
		t.Errorf("only the gradient is new: %s", got)
	}
	every := func(fresh facts.Statement) string { // every call was edited
		was := encode("jit(f)/loss", "encode", 20)
		return changes.CompareEdited(report(was), report(was, fresh), lines([2]int32{20, 20}, [2]int32{30, 30})).Programs[0].Variants[0].Causes[0].Title
	}
	if got := every(encode("jit(f)", "encode", 30)); got != "encode runs again: dot" {
		t.Error(got)
	}
	if got := every(in(asks("jit(f)", "sort", 5), "encode", 30)); got != "new: sort" {
		t.Errorf("what the function did not do before: %s", got)
	}
	kernels = []facts.Kernel{kernel("jit(f)/loss/dot", "dot", "f32[8]")}
	if got := title("encode", encode("jit(f)", "encode", 30)); got != "encode is called again, and the compiler merges the calls: dot" {
		t.Error(got)
	}
}

// Another mesh is told once, not by every argument on it.
func TestAnotherMesh(t *testing.T) {
	on := func(shardings ...string) (list []facts.Parameter) {
		for i, s := range shardings {
			list = append(list, facts.Parameter{Name: string(rune('a' + i)), Shape: "f32[16,16]", Sharding: s, Spec: "P('data')"})
		}
		return list
	}
	v := called(t, on("{devices=[2,1,4]<=[2,4] last_tile_dim_replicate}", "{devices=[2,4]<=[8]}"), on("{devices=[4,1,2]<=[4,2] last_tile_dim_replicate}", "{devices=[4,2]<=[8]}"))
	if got := v.Causes[0].Title; got != "the mesh is now 4 × 2, was 2 × 4: a, b" {
		t.Error(got)
	}
}

// Arguments of one shape are told apart by their names, in whatever order and however the paths are written.
func TestArgumentsInAnotherOrder(t *testing.T) {
	named := func(names ...string) (list []facts.Parameter) {
		for _, name := range names {
			list = append(list, facts.Parameter{Name: name, Shape: "f32[8]"})
		}
		return list
	}
	v := called(t, named("state['opt']", "state['params']"), named("state.params", "state.opt"))
	for was, is := range v.KeptParams {
		if want := map[string]string{"state['opt']": "state.opt", "state['params']": "state.params"}[was.Name]; is.Name != want {
			t.Errorf("%s became %s, wanted %s", was.Name, is.Name, want)
		}
	}
	want := "state['params'] is called state.params, state['opt'] is called state.opt"
	if len(v.Causes) != 1 || v.Causes[0].Title != want {
		t.Errorf("%+v", v.Causes)
	}
}

// What a program was compiled for before is no reason why it is compiled once more.
func TestOnlyNewDifferences(t *testing.T) {
	compiled := func(x, y, constant string) *facts.Variant {
		v := taking(facts.Parameter{Name: "x", Shape: x}, facts.Parameter{Name: "y", Shape: y})
		v.Signature = x + y
		v.Constants = []facts.Constant{{Shape: "f32[]", Value: constant}}
		return v
	}
	old := []*facts.Variant{compiled("f32[8]", "s32[8]", "1"), compiled("f32[16]", "s32[8]", "1")}
	for want, added := range map[string]*facts.Variant{
		"y: s32[8] → s8[8] (dtype)":                            compiled("f32[16]", "s8[8]", "1"),
		"1 → 2 (a static value or closed-over constant f32[])": compiled("f32[16]", "s32[8]", "2"),
		"x: f32[8] → f32[16] → f32[24]":                        compiled("f32[24]", "s32[8]", "1"),
	} {
		p := &changes.Program{Old: &facts.Program{Variants: old}, New: &facts.Program{Variants: append(old[:2:2], added)}}
		p.Recompile = changes.Explain(p.New)
		if got := p.Differences(); len(got) != 1 || got[0] != want {
			t.Errorf("%q, wanted %q", got, want)
		}
	}
}

// Results that are sharded in another way are told where no argument is: those of a program that makes the arguments of another.
func TestResultsOnOtherDevices(t *testing.T) {
	v := func(print string, outputs ...facts.Output) *facts.Variant {
		v := variant("", print)
		v.Outputs = outputs
		return v
	}
	split := facts.Output{Shape: "f32[8,64]", Split: "[4,1]", Sharding: "{devices=[4,1]<=[4]}", Spec: "P('expert', None)", OpName: "jit(init)/mul"}
	whole := facts.Output{Shape: "f32[8,64]", Sharding: "{replicated}", OpName: "jit(init)/mul"}
	d := compared(t, v("old", split, whole, split), v("fresh", whole, whole, whole))
	if got := d.Causes[0].Title; d.Causes[0].Kind != changes.KindSharding || got != "result 0 (jit(init)/mul) and 1 more: now replicated, was sharded P('expert', None)" {
		t.Errorf("%s: %s", d.Causes[0].Kind, got)
	}
}

// A tree of arguments that has another type is told as one.
func TestTreeOfAnotherType(t *testing.T) {
	of := func(dtype string) (list []facts.Parameter) {
		for _, leaf := range []string{"mu['a']", "mu['b']", "mu['c']", "mu['d']", "nu"} {
			list = append(list, facts.Parameter{Name: "state." + leaf, Shape: map[bool]string{true: dtype, false: "f32"}[leaf != "nu"] + "[8]", Bytes: 32})
		}
		return list
	}
	if got := called(t, of("bf16"), of("f32")).Causes[0].Title; got != "state.mu (4 arrays, 128 B): bf16 → f32" {
		t.Error(got)
	}
}

// A program that returns its results in another order says so.
func TestResultsInAnotherOrder(t *testing.T) {
	of := func(print, result string) *facts.Variant {
		v := variant("", print)
		v.Result, v.Kernels = result, []facts.Kernel{kernel("jit(f)/add", "add", "f32[8]")}
		return v
	}
	if got := compared(t, of("old", "(f32[8], s32[])"), of("fresh", "(s32[], f32[8])")).Causes[0].Title; got != "the results are in another order" {
		t.Error(got)
	}
}

// Data that is moved in another type is told as that, unless something else came.
func TestMovedInAnotherType(t *testing.T) {
	in := func(dtype, do string) facts.Statement {
		s := asks("jit(f)", do, 5)
		s.Type = dtype
		return s
	}
	for do, want := range map[string]string{"slice": "slice: bf16 → s32", "slice sort": "new: sort, slice; gone: slice"} {
		if got := changed(t, []facts.Statement{in("bf16", "slice")}, []facts.Statement{in("s32", do)}, nil, nil).Causes[0].Title; got != want {
			t.Errorf("%s: %s", do, got)
		}
	}
}

// Arrays that join a tree of arguments are told as some of it, and not as the tree.
func TestArraysOfATree(t *testing.T) {
	of := func(leaves ...string) (list []facts.Parameter) {
		for _, leaf := range leaves {
			list = append(list, facts.Parameter{Name: "state" + leaf, Shape: "f32[" + leaf[2:3] + "]", Bytes: 4})
		}
		return list
	}
	old, fresh := of("['1']"), of("['1']", "['2']", "['3']", "['4']", "['5']")
	for want, sides := range map[string][2][]facts.Parameter{
		"4 arrays of state are new: 16 B": {old, fresh}, "4 arrays of state are gone: 16 B": {fresh, old}, "state is new: 5 arrays, 20 B": {nil, fresh},
	} {
		if got := called(t, sides[0], sides[1]).Causes[0].Title; got != want {
			t.Errorf("%s, wanted %s", got, want)
		}
	}
}

// A collective that was split for the types of its arrays sends no more of them.
func TestCollectivesInALoop(t *testing.T) {
	sends := func(out string, times int64) facts.Kernel {
		return with(kernel("jit(f)/while/body/psum", "all-reduce", out), func(k *facts.Kernel) {
			k.Class, k.Target, k.Times, k.InLoop = facts.ClassCollective, "all-reduce", times, times > 1
		})
	}
	for _, c := range []struct {
		old, fresh []facts.Kernel
		says       bool
	}{
		{[]facts.Kernel{sends("f32[8]", 1)}, []facts.Kernel{sends("f32[8]", 4)}, true},
		{[]facts.Kernel{sends("(f32[8], f32[4])", 4)}, []facts.Kernel{sends("f32[8]", 4), sends("f64[4]", 4)}, false},
	} {
		old, fresh := variant("()", "old"), variant("()", "fresh")
		old.Kernels, fresh.Kernels = c.old, c.fresh
		if got := compared(t, old, fresh).Causes[0].Title; strings.Contains(got, "all-reduce runs ") != c.says {
			t.Errorf("%v became %v: %s", c.old, c.fresh, got)
		}
	}
}

// Arguments are of another type if most of their bytes are.
func TestRetyped(t *testing.T) {
	param := func(name, shape string, bytes int64) facts.Parameter {
		return facts.Parameter{Name: name, Shape: shape, Bytes: bytes}
	}
	w, step := param("w", "f32[8]", 32), param("step", "s32[]", 4)
	for _, c := range []struct {
		fresh []facts.Parameter
		want  bool
	}{
		{[]facts.Parameter{w, step}, false},
		{[]facts.Parameter{param("w", "f64[8]", 64), step}, true},
		{[]facts.Parameter{w, param("step", "s64[]", 8)}, false},
		{[]facts.Parameter{param("w", "f32[16]", 64), step}, false},
	} {
		if got := called(t, []facts.Parameter{w, step}, c.fresh).Retyped(true); got != c.want {
			t.Errorf("%v: %v", c.fresh, got)
		}
	}
}
