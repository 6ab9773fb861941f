package facts

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/artifacts"
	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/logs"
	"github.com/xlagate/xlagate/internal/tensorflow"
)

// A kernel in a line, of most classes in real dumps.
func TestDescribe(t *testing.T) {
	for _, c := range []struct{ dump, name, want string }{
		{"cpu-scan", "wrapped_broadcast.3", "loop broadcast → f32[16,32]  jit(rnn)/transpose(jvp())/broadcast_in_dim (models.py:109)"},
		{"cpu-scan", "copy.34", "copy → s32[]"},
		{"cpu-scan", "ynn_fusion.1", "library dot → f32[4,32]  jit(rnn)/jvp()/while/body/closed_call/dot_general (models.py:108)"},
		{"cpu-conv", "conv_general_dilated.1", "convolution → f32[2,8,8,8]  jit(conv)/conv_general_dilated (cov.py:12)"},
		{"cpu-conv", "all-reduce", "all-reduce f32[8,8] over tp (2 groups of 2 devices), 256 B  jit(gspmd)/dot_general (cov.py:58)"},
		{"gpu-0.8.3-collectives", "collective-permute-start", "collective-permute f32[8,4] (4 pairs), 128 B  jit(coll)/shard_map/ppermute (gpu_cov.py:48)"},
		{"gpu-0.8.3-collectives", "loop_multiply_fusion", "loop and, 2 convert, multiply, shift-right-logical → f32[8,4]  jit(coll)/shard_map/mul (gpu_cov.py:50)"},
		{"gpu-0.10-sort", "fusion", "custom iota, sort → (f32[1048576], s32[1048576])  jit(<lambda>)/jit(sort)/sort (gpu_cov.py:31)"},
		{"tpu-v5e-sharded", "copy.110", "copy → s32[1,2,4,128] {3,2,1,0:T(4,128)S(1)} → {3,1,2,0:T(2,128)S(1)}"},
		{"tpu-v5e-sharded", "iota.33", "iota → s32[4,255,1,1]"},
		{"torch-xla-mlp", "dot.12", "dot → f32[128,512]  aten__addmm"},
	} {
		var kernels []Kernel
		for _, p := range measure(t, c.dump, Options{}).Programs {
			kernels = append(kernels, p.Variants[0].Kernels...)
		}
		k := FirstKernel(kernels, func(k *Kernel) bool { return k.Name == c.name })
		if k == nil {
			t.Errorf("%s has no kernel %s", c.dump, c.name)
		} else if got := k.Describe(); got != c.want {
			t.Errorf("%s: %s\nwanted %s", c.dump, got, c.want)
		}
	}
}

func TestReplicaGroups(t *testing.T) {
	for in, want := range map[string]string{
		"1 pairs": "1 pair", "4 pairs": "4 pairs", "1 of 1": "one device", "1 of 8": "all 8 devices", "4 of 1": "4 groups of one device", "2 of 4": "2 groups of 4 devices", "": "",
	} {
		if got := replicaGroups(in); got != want {
			t.Errorf("%q is %q, wanted %q", in, got, want)
		}
	}
}

func TestOperations(t *testing.T) {
	do := func(words ...string) (list Opcodes) {
		for _, w := range words {
			list = append(list, OpcodeTimes{w, 1})
		}
		return list
	}
	for _, c := range []struct {
		form   Form
		within int
		want   string
	}{
		{Form{Kind: "loop", Do: Opcodes{{"add", 1}, {"reduce", 2}}}, 8, "add, 2 reduce"},
		{Form{Kind: "loop", Do: do("a", "b", "c", "d")}, 2, "a, 3 more"},
		{Form{Kind: "copy"}, 8, "copy"},
		{Form{Kind: "custom", Target: "TopK", Do: do("custom-call")}, 8, "TopK"},
		{Form{Kind: "custom", Target: "TopK", Do: do("custom-call", "add")}, 8, "custom-call, add"},
		{Form{Kind: "custom", Target: "tpu_custom_call", Handwritten: Handwritten{Function: "flash"}}, 8, "flash (tpu_custom_call)"},
	} {
		k := Kernel{Form: &c.form, Site: &Site{}}
		if got := k.OperationsWithin(c.within); got != c.want {
			t.Errorf("%+v: %s, wanted %s", c.form, got, c.want)
		}
	}
}

// Opcodes are read as they are written.
func TestOpcodesInJSON(t *testing.T) {
	for text, want := range map[string]Opcodes{`[]`: {}, `["add"]`: {{"add", 1}}, `["add","multiply*2"]`: {{"add", 1}, {"multiply", 2}}} {
		var got Opcodes
		if err := json.Unmarshal([]byte(text), &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, %v", text, got, err)
		}
		if again, err := json.Marshal(got); err != nil || string(again) != text {
			t.Errorf("%s: written as %s, %v", text, again, err)
		}
	}
	for _, text := range []string{`"add"`, `["add*"]`, `["add*0"]`, `["add*-1"]`, `["add*two"]`, `["add*99999999"]`, `[1]`} {
		if err := json.Unmarshal([]byte(text), new(Opcodes)); err == nil {
			t.Errorf("%s is read", text)
		}
	}
}

// Sums over kernels follow from each of them.
func TestSumsOverKernels(t *testing.T) {
	for _, name := range []string{"cpu-scan", "gpu-0.10-sort", "gpu-0.10-train", "gpu-0.10-scan", "gpu-h100-rnn_grad_scan"} {
		v := only(t, name)
		if n := v.CountKernels(AnyKernel); n != float64(len(v.Kernels)) {
			t.Errorf("%s: %v of %d kernels", name, n, len(v.Kernels))
		}
		var bytes, launches, calls float64
		for i := range v.Kernels {
			k := &v.Kernels[i]
			bytes += float64(k.Bytes)
			if launches += k.Runs(); k.InLoop && k.Times <= 1 {
				launches++
			}
			if k.Target != "" && !k.IsCollective() {
				calls += k.Runs()
			}
			if first := FirstKernel(v.Kernels, func(o *Kernel) bool { return o.Name == k.Name }); first != k {
				t.Errorf("%s: %s is found as %v", name, k.Name, first)
			}
		}
		if v.KernelBytes(AnyKernel) != bytes || v.Launches(AnyKernel) != launches || v.CustomCallRuns() != calls {
			t.Errorf("%s: %v bytes, %v launches, %v calls; wanted %v, %v, %v", name, v.KernelBytes(AnyKernel), v.Launches(AnyKernel), v.CustomCallRuns(), bytes, launches, calls)
		}
		if at := v.FirstSource(); at.File == "" || at.Line == 0 {
			t.Errorf("%s comes from nowhere", name)
		}
		if none := FirstKernel(v.Kernels, func(*Kernel) bool { return false }); none != nil || v.CountKernels(func(*Kernel) bool { return false }) != 0 {
			t.Errorf("%s: found %v", name, none)
		}
	}
	if at := (&Variant{}).FirstSource(); at != (hlo.Location{}) {
		t.Errorf("no kernel comes from %v", at)
	}
}

// inCase measures the program of a real pair's new side.
func inCase(t *testing.T, name string) *Variant {
	t.Helper()
	r := measureAt(t, "../../testdata/cases/"+name+"/after.tar.xz", Options{})
	return r.Programs[0].Variants[0]
}

// Loops with a trip count, and some whose count nobody knows.
func TestLoopsOfRealDumps(t *testing.T) {
	for _, c := range []struct {
		name, place string
		length      int64 // 0: nobody knows
		step        LoopWork
		launches    float64 // of a run, of which the loop counts once where nobody knows
	}{
		{"cpu-exit_made", "at pairs.py:453", 0, LoopWork{14, 626693}, 15},
		{"cpu-bound_given", "at pairs.py:367", 0, LoopWork{4, 2097154}, 5},
		{"gpu-exit_tested", "at pairs.py:728", 0, LoopWork{4, 8579}, 4},
		{"cpu-psum_in_loop", "at pairs.py:275", 12, LoopWork{7, 132098}, 62},
		{"gpu-two_steps_at_once", "at pairs.py:418", 6, LoopWork{7, 4390914}, 39},
	} {
		v := inCase(t, c.name)
		loops, endless := v.Loops(), v.EndlessLoops()
		if len(loops) != 1 || len(endless) != 0 && c.length > 0 || len(endless) != 1 && c.length == 0 {
			t.Errorf("%s: %d loops, %d of unknown length", c.name, len(loops), len(endless))
			continue
		}
		l := loops[0]
		if l.LoopPlace() != c.place || v.LoopStep(l) != c.step || Iterations(loops) != float64(c.length) || !v.KnowsTripCounts() {
			t.Errorf("%s: %s, %+v, %v iterations", c.name, l.LoopPlace(), v.LoopStep(l), Iterations(loops))
		}
		if line := l.LoopLine(); !strings.HasPrefix(line, fmt.Sprintf("loop of %d iterations ", c.length)) || !strings.HasSuffix(line, l.OpName) {
			t.Error(line)
		}
		if n, known := v.Facts.Launches(); n != c.launches || known != (c.length > 0) {
			t.Errorf("%s: %v launches, known %v", c.name, n, known)
		}
	}
	for want, k := range map[string]Kernel{"jit(f)/while": {Site: &Site{OpName: "jit(f)/while"}}, "without a name": {Site: &Site{}}} {
		if got := k.LoopPlace(); got != want {
			t.Errorf("%s, wanted %s", got, want)
		}
	}
}

// A graph without a name of its own has a number; a program counts every compilation.
func TestProgramsOfGraphs(t *testing.T) {
	for name, want := range map[string]string{"SyncTensorsGraph": "SyncTensorsGraph", "SyncTensorsGraph-2": "SyncTensorsGraph", "IrToHlo-12": "IrToHlo", "SyncTensorsGraph-x": "", "step-2": "", "step": ""} {
		stem, ok := NumberedGraph(name)
		if ok != (want != "") || ok && stem != want {
			t.Errorf("%s: %s, %v", name, stem, ok)
		}
		if lazy := (&Program{Name: name}).IsLazyGraph(); lazy != (want != "") {
			t.Errorf("%s is lazy: %v", name, lazy)
		}
	}
	for name, want := range map[string]int{"cpu-scan": 1, "recompile-jit_in_loop": 4, "recompile-static_args": 4, "recompile-weak_types": 5} {
		r := measure(t, name, Options{})
		if got := r.Programs[0].Compilations(); got != want {
			t.Errorf("%s: %d compilations of %s, wanted %d", name, got, r.Programs[0].Name, want)
		}
	}
}

// What the assembler says of a module's files, or why it says nothing.
func TestAssembled(t *testing.T) {
	kernel := func(name, function string) Kernel {
		return Kernel{Name: name, Site: &Site{}, Form: &Form{Class: ClassKernel, Handwritten: Handwritten{Function: function}}}
	}
	code := func(name string, registers, spilled int64) Code {
		return Code{KernelResources: artifacts.KernelResources{Name: name, Registers: registers, SpillStores: spilled}, Target: "sm_90"}
	}
	ptx := dump.InMemory("module_0001.jit_f.ptx", nil)
	for _, c := range []struct {
		name        string
		files       []assembly
		err         error
		unassembled string
		facts       Values
	}{
		{"two kernels", []assembly{{file: ptx, kernels: []Code{code("fusion_1", 32, 0), code("fusion_2", 96, 16)}}}, nil, "", Values{RegistersMax: 96, SpillsBytes: 16}},
		{"constants alone", []assembly{{file: ptx}}, nil, "", Values{RegistersMax: 0, SpillsBytes: 0}},
		{"no assembler", nil, artifacts.ErrNoAssembler, NoAssembler, Values{}},
		{"an assembler that fails", nil, errors.New("exit 1"), "exit 1", Values{}},
		{"a file that it refuses", []assembly{{file: ptx, kernels: []Code{code("fusion_1", 32, 0)}}, {file: ptx, err: errors.New("bad")}}, nil, "module_0001.jit_f.ptx: bad", Values{}},
	} {
		v := &Variant{Facts: Values{}}
		v.Kernels, v.Compiles = []Kernel{kernel("fusion.1", ""), kernel("fusion.2", ""), kernel("other", "")}, make([]compile, 1)
		out := &measuring{Variant: v}
		out.assembled(c.files, "12.8", c.err)
		if v.Unassembled != c.unassembled || !maps.Equal(v.Facts, c.facts) {
			t.Errorf("%s: %q, %v", c.name, v.Unassembled, v.Facts)
		}
		if v.Unassembled == "" && c.facts[RegistersMax] > 0 && (v.Kernels[1].Code == nil || v.Kernels[1].Spilled() != 16 || v.Kernels[2].Code != nil || v.Kernels[2].Spilled() != 0) {
			t.Errorf("%s: %+v", c.name, v.Kernels)
		}
	}
}

// A log that names kernels which spill tells of the program that launches them, where no assembler told.
func TestSpilledInALog(t *testing.T) {
	variant := func(facts Values) *Variant {
		v := &Variant{Facts: facts}
		v.Kernels = []Kernel{{Name: "fusion.1", Site: &Site{}, Form: &Form{Class: ClassKernel}}, {Name: "add", Site: &Site{}, Form: &Form{Class: ClassCopy}}}
		return v
	}
	unknown, told, other := variant(Values{}), variant(Values{SpillsBytes: 0}), variant(Values{})
	other.Kernels = other.Kernels[1:]
	r := &Report{
		Programs: []*Program{{Name: "f", Variants: []*Variant{unknown, told}}, {Name: "g", Variants: []*Variant{other}}},
		Logs:     &tensorflow.Logs{Notes: []tensorflow.LogNote{{Kind: logs.Spill, Op: "fusion_1", Value: 8}, {Kind: logs.Spill, Op: "fusion_1", Value: 24}, {Kind: logs.Remat, Op: "x", Value: 99}}},
	}
	r.spilled()
	if unknown.Facts[SpillsBytes] != 24 || told.Facts[SpillsBytes] != 0 || len(other.Facts) != 0 {
		t.Errorf("%v, %v, %v", unknown.Facts, told.Facts, other.Facts)
	}
	(&Report{}).spilled()
}

// A launch that uses almost nothing of the device.
func TestTiny(t *testing.T) {
	for _, c := range []struct {
		grid, block [3]int64
		bytes       int64
		want        bool
	}{
		{[3]int64{1, 1, 1}, [3]int64{32, 1, 1}, 4, true}, {[3]int64{1, 1, 1}, [3]int64{64, 1, 1}, 4, false}, {[3]int64{1, 1, 1}, [3]int64{64, 1, 1}, 1 << 20, true},
		{[3]int64{2, 1, 1}, [3]int64{64, 1, 1}, 1 << 20, false}, {[3]int64{0, 1, 1}, [3]int64{64, 1, 1}, 1 << 20, false},
	} {
		k := Kernel{Form: &Form{Bytes: c.bytes}, Plan: &Plan{Grid: c.grid, Block: c.block}}
		if k.Tiny() != c.want {
			t.Errorf("%+v: %v", c, k.Tiny())
		}
	}
}

// Profiles of several dumps of one run are one: times add up, what took longest comes first.
func TestMergeOfProfiles(t *testing.T) {
	a := &Profile{Files: []string{"a"}, Devices: []string{"gpu:1", "gpu:0"}, Time: 5, Hot: []HotKernel{{Name: "x", Self: 2}}, Runs: map[string]int{"f": 1}}
	b := &Profile{Files: []string{"b"}, Devices: []string{"gpu:0"}, Time: 7, Hot: []HotKernel{{Name: "y", Self: 4}}, Runs: map[string]int{"f": 2, "g": 1}, Unknown: []UnknownModule{{Name: "z", Time: 1}}}
	if a.merge(nil) != a || (*Profile)(nil).merge(b) != b {
		t.Error("one profile only")
	}
	want := &Profile{
		Files: []string{"a", "b"}, Devices: []string{"gpu:0", "gpu:1"}, Time: 12, Hot: []HotKernel{{Name: "y", Self: 4}, {Name: "x", Self: 2}},
		Runs: map[string]int{"f": 3, "g": 1}, Unknown: []UnknownModule{{Name: "z", Time: 1}},
	}
	if got := a.merge(b); !reflect.DeepEqual(got, want) || a.Runs["f"] != 1 {
		t.Errorf("%+v", got)
	}
}

// The facts that count loops as often as they run take the place of others where they are known.
func TestFactsOfARun(t *testing.T) {
	for _, c := range []struct {
		facts Values
		id    ID
		want  ID
	}{
		{Values{CostFlops: 3, CostWeightedFlops: 9}, CostFlops, CostWeightedFlops}, {Values{CostFlops: 3}, CostFlops, CostFlops}, {Values{}, MemoryAllocation, MemoryAllocation},
	} {
		if got := c.facts.OfRun(c.id); got != c.want {
			t.Errorf("%v of %v is %s", c.id, c.facts, got)
		}
	}
	if n, known := (Values{KernelsWeighted: 9, LoopsUnknown: 1}).Launches(); n != 9 || known {
		t.Errorf("%v launches, known %v", n, known)
	}
	groups := Groups()
	for i := range Table {
		if !slices.Contains(groups, Table[i].ID.Group()) {
			t.Errorf("%s is in no group", Table[i].ID)
		}
	}
	if unique := slices.Compact(slices.Sorted(slices.Values(groups))); len(unique) != len(groups) {
		t.Errorf("%q", groups)
	}
}
