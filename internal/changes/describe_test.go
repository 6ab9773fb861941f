package changes_test

import (
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
)

func TestDescribe(t *testing.T) {
	base := kernel("jit(f)/gelu/tanh", "add tanh", "f32[8,128]")
	single := func(kind string, class facts.Class) facts.Kernel {
		return with(kernel("", kind, "f32[8]"), func(k *facts.Kernel) { k.Kind, k.Class = kind, class })
	}
	gather := with(single("collective", facts.ClassCollective), func(k *facts.Kernel) { k.Target, k.Out = "all-gather", "f32[32,64]" })
	for _, c := range []struct {
		k    facts.Kernel
		want string
	}{
		{base, "loop add, tanh → f32[8,128]  jit(f)/gelu/tanh"},
		{with(base, func(k *facts.Kernel) { k.OpName = "" }), "loop add, tanh → f32[8,128]"},
		{with(base, func(k *facts.Kernel) { k.Source = hlo.Location{File: "a/b/model.py", Line: 3} }), "loop add, tanh → f32[8,128]  jit(f)/gelu/tanh (model.py:3)"},
		{single("sort", facts.ClassKernel), "sort → f32[8]"},
		{with(single("copy", facts.ClassCopy), func(k *facts.Kernel) { k.Attrs = "{1,0} → {0,1}" }), "copy → f32[8] {1,0} → {0,1}"},
		{with(single("sort", facts.ClassKernel), func(k *facts.Kernel) { k.Attrs = "dimensions={0}" }), "sort → f32[8]"},
		{gather, "all-gather f32[32,64]"},
		{with(gather, func(k *facts.Kernel) { k.Axes, k.Groups, k.Bytes = "x", "2 of 4", 8192 }), "all-gather f32[32,64] over x (2 groups of 4 devices), 8.0 KiB"},
		{with(gather, func(k *facts.Kernel) { k.Groups, k.OpName = "1 of 8", "jit(f)/dot" }), "all-gather f32[32,64] (all 8 devices)  jit(f)/dot"},
		{with(gather, func(k *facts.Kernel) { k.Groups = "unknown" }), "all-gather f32[32,64] (unknown)"},
	} {
		if got := c.k.Describe(); got != c.want {
			t.Errorf("%q, wanted %q", got, c.want)
		}
	}
}

func TestOperations(t *testing.T) {
	of := func(do string) facts.Kernel {
		return facts.Kernel{Form: &facts.Form{Kind: "loop", Do: facts.OpcodesOf(strings.Fields(do)...)}, Site: &facts.Site{}}
	}
	for _, c := range []struct {
		k    facts.Kernel
		want string
	}{
		{of(""), "loop"},
		{of("add"), "add"},
		{of("add add reduce tanh tanh tanh"), "2 add, reduce, 3 tanh"},
		{of("a b c d e f g h"), "a, b, c, d, e, f, g, h"},
		{of("a b c d e f g h h i"), "a, b, c, d, e, f, g, 2 more"},
		{with(of("custom-call"), func(k *facts.Kernel) { k.Target = "cublas" }), "cublas"},
		{with(of(""), func(k *facts.Kernel) { k.Target = "cublas" }), "cublas"},
		{with(of("add custom-call"), func(k *facts.Kernel) { k.Target = "cublas" }), "add, custom-call"},
		{with(of("custom-call"), func(k *facts.Kernel) { k.Target, k.Function = "triton", "softmax" }), "softmax (triton)"},
	} {
		if got := c.k.Operations(); got != c.want {
			t.Errorf("%q, wanted %q", got, c.want)
		}
	}
}

// What has a line in the model is shown before what has none.
func TestFirstThat(t *testing.T) {
	bare := kernel("a", "tanh", "f32[1]")
	placed := with(bare, func(k *facts.Kernel) { k.OpName, k.Source.File = "b", "m.py" })
	unfit := with(placed, func(k *facts.Kernel) { k.OpName = "c" })
	cares := func(k *facts.Kernel) bool { return k.OpName != "c" }
	for _, c := range []struct {
		list []facts.Kernel
		want string
	}{
		{nil, ""}, {[]facts.Kernel{unfit}, ""}, {[]facts.Kernel{bare}, "a"}, {[]facts.Kernel{unfit, bare, placed}, "b"}, {[]facts.Kernel{bare, with(bare, func(k *facts.Kernel) { k.OpName = "d" })}, "a"},
	} {
		got := ""
		if k := facts.FirstKernel(c.list, cares); k != nil {
			got = k.OpName
		}
		if got != c.want {
			t.Errorf("%q, wanted %q", got, c.want)
		}
	}
}

func TestTitleOfASplit(t *testing.T) {
	tanh := kernel("", "tanh", "")
	for want, between := range map[string][]changes.Divider{
		"add, tanh is split into 3 kernels": nil,
		"add, tanh is split into 3 kernels by an optimization barrier (m.py:9), a host callback": {{Opcode: "opt-barrier", Places: []hlo.Location{{File: "m.py", Line: 9}}}, {Opcode: "xla_python_callback"}},
		"one kernel became 3: tanh now reads its add too":                                        {{Value: "add", Users: []*facts.Kernel{&tanh}}},
		"one kernel became 3: tanh now reads its add too (2 places)":                             {{Value: "add", Users: []*facts.Kernel{&tanh, &tanh}}},
	} {
		g := &changes.Regroup{One: kernel("", "add tanh", ""), Many: make([]facts.Kernel, 3), Between: between}
		if got := g.Title(); got != want {
			t.Errorf("%q, wanted %q", got, want)
		}
	}
}
