package baseline

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/testfile"
)

// full is a program of which everything is known that a baseline keeps.
func full() *Program {
	tanh := facts.Kernel{
		Form: &facts.Form{
			Kind: "loop", Do: facts.OpcodesOf("add", "tanh"), Root: "tanh", Out: "f32[8]", In: []string{"f32[8]", "f32[]"}, Attrs: "dimensions={0}", Bytes: 64, Flops: 16, Fusion: true,
			Print: "0123456789abcdef", Family: "fedcba9876543210",
		},
		Site: &facts.Site{OpName: "jit(f)/mlp/tanh", OpType: "Tanh", Times: 4, Loop: "jit(f)/while", InLoop: true},
	}
	gather := facts.Kernel{
		Form: &facts.Form{Kind: "collective", Class: facts.ClassCollective, Do: facts.OpcodesOf("all-gather"), Root: "all-gather", Out: "f32[8]", Target: "all-gather", Collective: facts.Collective{Groups: "2 of 4", Axes: "dp, tp"}},
		Site: &facts.Site{OpName: "jit(f)/gather", Times: 1, InEntry: true},
	}
	written := facts.Kernel{
		Form: &facts.Form{Kind: "custom", Class: facts.ClassLibrary, Do: facts.OpcodesOf("custom-call"), Root: "custom-call", Out: "f32[8]", Target: "tpu_custom_call", Config: []string{"a.b=[1, 2]", "order=TOTAL"}, Handwritten: facts.Handwritten{Function: "attn", Written: map[string]int{"math.exp": 2}}},
		Site: &facts.Site{Times: 1, InEntry: true},
	}
	p := &Program{
		Toolchain: facts.Toolchain{Framework: "jax", Backend: "gpu", Device: "NVIDIA H100 80GB HBM3", Versions: map[string]string{"jax": "0.10.2"}, Flags: map[string]string{"xla_a": "true"}},
		Program: facts.Program{Name: "<lambda>", Variants: []*facts.Variant{{Signature: "(x: f32[8])", Unstable: []string{"cost.flops"}, Facts: facts.Values{"cost.flops": 1.5, "memory.temp_bytes": 1 << 40}, Compiled: facts.Compiled{Fingerprint: "00ff", Constants: []facts.Constant{{Shape: "f32[2]", Bytes: 8, Value: "{1, 2}", OpName: "jit(f)/mul"}}, Buffers: []facts.Buffer{{Bytes: 128, Shape: "f32[32]", OpName: "jit(f)/mlp/dot"}}, Kernels: []facts.Kernel{gather, written, tanh, tanh}}, Input: facts.Input{InputPrint: "ff00", Model: []facts.Statement{{Scope: "jit(f)/mlp", Type: "f32", OpName: "jit(f)/mlp", Do: []string{"add", "tanh", "tanh"}}}, ModelAfter: true}, Interface: facts.Interface{Result: "f32[8]", Params: []facts.Parameter{
			{Name: "x", Shape: "f32[8]", Layout: "0", Sharding: "{replicated}", Spec: "P('dp')", Bytes: 32, Aliased: true},
			{Name: "n", Shape: "s32[]", Bytes: 4, Donated: true, Unused: true, Constant: "3"},
		}}, Origin: facts.Origin{Modules: []string{"", "", ""}, Reader: "f (train.py)"}}}},
	}
	v := p.Variants[0]
	for id, n := range implied(v) {
		if !v.Facts.Known(id) {
			v.Facts[id] = n
		}
	}
	return p
}

// The form of the file is fixed: what lies in repositories stays readable, and is not rewritten by a new xlagate.
func TestFormOfTheFile(t *testing.T) {
	testfile.Golden(t, "testdata/full.jsonl", string(Format(full(), nil, "first")))
}

// Everything that is kept comes back as it was.
func TestEverythingComesBack(t *testing.T) {
	back, err := Parse("x.jsonl", Format(full(), nil, "first"))
	if err != nil {
		t.Fatal(err)
	}
	want := full()
	want.Reasons = []string{"first"}
	v := want.Variants[0]
	v.Fingerprint, v.InputPrint = "", "" // follow from the rest, see facts.Identify
	v.Kernels = []facts.Kernel{v.Kernels[1], v.Kernels[0], v.Kernels[2], v.Kernels[3]}
	opts := cmp.Options{cmpopts.EquateEmpty(), cmpopts.IgnoreUnexported(facts.Program{}, facts.Variant{}, facts.Kernel{}, facts.Form{}, Program{}), cmpopts.IgnoreFields(facts.Kernel{}, "Ops")}
	if diff := cmp.Diff(want, back, opts); diff != "" {
		t.Error(diff)
	}
}

// In which order the compiler lists things means nothing to the file.
func TestOrderMeansNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, name := range realDumps[:2] {
		r := measured(t, name)
		for _, program := range r.Programs {
			p := &Program{Program: *program, Toolchain: r.Toolchain}
			want := string(Format(p, nil, ""))
			for _, v := range p.Variants {
				random.Shuffle(len(v.Kernels), func(i, j int) { v.Kernels[i], v.Kernels[j] = v.Kernels[j], v.Kernels[i] })
				random.Shuffle(len(v.Constants), func(i, j int) { v.Constants[i], v.Constants[j] = v.Constants[j], v.Constants[i] })
				random.Shuffle(len(v.Buffers), func(i, j int) { v.Buffers[i], v.Buffers[j] = v.Buffers[j], v.Buffers[i] })
				random.Shuffle(len(v.Model), func(i, j int) { v.Model[i], v.Model[j] = v.Model[j], v.Model[i] })
			}
			if got := string(Format(p, nil, "")); got != want {
				t.Errorf("%s %s: %s", name, p.Name, cmp.Diff(want, got))
			}
		}
	}
}

// Names that change with every compile are not kept, and lines of the source are not compared.
func TestNamesOfTheCompileAreNotKept(t *testing.T) {
	p := full()
	want := Format(p, nil, "")
	v := p.Variants[0]
	v.File, v.Modules, v.Missing, v.Elsewhere = "module_0001.f.txt", []string{"a", "b", "c"}, []string{"thunks"}, []string{"d"}
	v.CallSite.File = "train.py"
	for i := range v.Kernels {
		v.Kernels[i].Name, v.Kernels[i].From = "fusion.7", []int32{0}
	}
	if got := Format(p, nil, ""); !bytes.Equal(got, want) {
		t.Error(cmp.Diff(string(want), string(got)))
	}
	v.Kernels[0].Source.File = "train.py"
	if !Same(p, full()) {
		t.Error("a line of the source is compared")
	}
}

// A line that stays keeps its note: the reason of the accept that brought it, and the line of the model then.
func TestNotesStay(t *testing.T) {
	first := full()
	first.Variants[0].Kernels[2].Site = &facts.Site{OpName: "jit(f)/mlp/tanh", Source: hlo.Location{File: "/src/train.py", Line: 98}}
	text := Format(first, nil, "first")
	if !strings.Contains(string(text), `"at":"train.py:98"`) || strings.Count(string(text), `"reason":"first"`) != 1 || !strings.HasPrefix(string(text), `{"baseline":{"schema":"xlagate.baseline/v1","program":"<lambda>"},"reason":"first"}`) {
		t.Fatalf("%s", text)
	}
	moved := full()
	moved.Variants[0].Kernels[2].Site = &facts.Site{OpName: "jit(f)/mlp/tanh", Source: hlo.Location{File: "/src/train.py", Line: 120}}
	if again := Format(moved, text, "again"); !bytes.Equal(again, text) {
		t.Errorf("of a line that moved: %s", cmp.Diff(string(text), string(again)))
	}
	moved.Variants[0].Kernels[0].Form = &facts.Form{Kind: "copy", Class: facts.ClassCopy}
	changed := string(Format(moved, text, "second"))
	if !strings.Contains(changed, `"at":"train.py:98"`) || !strings.Contains(changed, `"class":"copy"},"reason":"second"}`) || !strings.Contains(changed, `"reason":"first"`) {
		t.Error(changed)
	}
	back, err := Parse("x", []byte(changed))
	if err != nil || back.ReasonSince(first) != "first; second" {
		t.Errorf("%v: %v", back.Reasons, err)
	}
}

// Of equal lines of several compilations, each keeps the note that it has.
func TestNotesStayInTheirCompilation(t *testing.T) {
	of := func(result string) *facts.Variant {
		v := full().Variants[0]
		v.Result = result
		return v
	}
	p := full()
	at := func(line int32, variants ...*facts.Variant) *Program {
		for _, v := range variants {
			v.Kernels[0].Site = &facts.Site{OpName: "jit(f)/gather", Times: 1, InEntry: true, Source: hlo.Location{File: "/src/train.py", Line: line}}
		}
		p.Variants = variants
		return p
	}
	notes := func(text []byte) (got []string) {
		for line := range strings.Lines(string(text)) {
			if _, note, ok := strings.Cut(line, `,"at":"train.py:`); ok {
				got = append(got, strings.TrimSpace(note))
			}
		}
		return got
	}
	eight := []byte(strings.Replace(string(Format(at(1, of("f32[8]")), nil, "")), `"at":"train.py:1"`, `"at":"train.py:1","reason":"PR 1"`, 1))
	both := Format(at(2, of("f32[9]"), of("f32[8]")), eight, "")
	if got := notes(both); !slices.Equal(got, []string{`2"}`, `1","reason":"PR 1"}`}) {
		t.Errorf("of a new compilation before: %q\n%s", got, both)
	}
	if got := notes(Format(at(3, of("f32[8]")), both, "")); !slices.Equal(got, []string{`1","reason":"PR 1"}`}) {
		t.Errorf("of a compilation that went: %q", got)
	}
	if got := notes(Format(at(3, of("f32[7]")), eight, "")); !slices.Equal(got, []string{`1","reason":"PR 1"}`}) {
		t.Errorf("of a compilation that changed: %q", got)
	}
}

// Each thing that is kept changes the text, lest a change of it go unseen.
func TestWhateverIsKeptShows(t *testing.T) {
	want := string(Format(full(), nil, ""))
	for name, edit := range map[string]func(*Program, *facts.Variant){
		"name":        func(p *Program, _ *facts.Variant) { p.Name = "g" },
		"framework":   func(p *Program, _ *facts.Variant) { p.Toolchain.Framework = "tensorflow" },
		"flag":        func(p *Program, _ *facts.Variant) { p.Toolchain.Flags = map[string]string{"xla_a": "false"} },
		"signature":   func(_ *Program, v *facts.Variant) { v.Signature = "()" },
		"result":      func(_ *Program, v *facts.Variant) { v.Result = "f32[9]" },
		"ceiling":     func(p *Program, _ *facts.Variant) { p.Ceilings = []Ceiling{{Change: "1"}} },
		"counts":      func(_ *Program, v *facts.Variant) { v.Counts = facts.Counts{{Op: "jit(f)/mul"}: {"dtypes.f32": 1}} },
		"print":       func(_ *Program, v *facts.Variant) { v.Model[0].Print = 7 },
		"compiles":    func(_ *Program, v *facts.Variant) { v.Modules = v.Modules[:2] },
		"unstable":    func(_ *Program, v *facts.Variant) { v.Unstable = nil },
		"model after": func(_ *Program, v *facts.Variant) { v.ModelAfter = false },
		"model":       func(_ *Program, v *facts.Variant) { v.Model[0].Do = v.Model[0].Do[:2] },
		"type":        func(_ *Program, v *facts.Variant) { v.Model[0].Type = "f64" },
		"fact":        func(_ *Program, v *facts.Variant) { v.Facts["kernels.total"] = 4 },
		"no fact":     func(_ *Program, v *facts.Variant) { delete(v.Facts, "kernels.total") },
		"aliased":     func(_ *Program, v *facts.Variant) { v.Params[0].Aliased = false },
		"constant":    func(_ *Program, v *facts.Variant) { v.Constants[0].Value = "{1, 3}" },
		"buffer":      func(_ *Program, v *facts.Variant) { v.Buffers[0].Bytes++ },
		"kernel":      func(_ *Program, v *facts.Variant) { v.Kernels = v.Kernels[1:] },
		"twice":       func(_ *Program, v *facts.Variant) { v.Kernels = v.Kernels[:3] },
		"trips":       func(_ *Program, v *facts.Variant) { v.Kernels[2].Times = 5 },
		"arguments":   func(_ *Program, v *facts.Variant) { slices.Reverse(v.Params) },
	} {
		p := full()
		edit(p, p.Variants[0])
		if got := string(Format(p, nil, "")); got == want {
			t.Errorf("%s: nothing shows", name)
		}
	}
}

// A kernel is a record, however often it is in the program, and the record says how often.
func TestRepeatedKernels(t *testing.T) {
	p := full()
	k := p.Variants[0].Kernels[0]
	p.Variants[0].Kernels = slices.Repeat([]facts.Kernel{k}, 1000)
	text := Format(p, nil, "")
	if strings.Count(string(text), `{"kernel":`) != 1 || !strings.Contains(string(text), `,"times":1000}`) {
		t.Errorf("%s", text)
	}
	back, err := Parse("x", text)
	if err != nil || len(back.Variants[0].Kernels) != 1000 {
		t.Errorf("%v", err)
	}
}
