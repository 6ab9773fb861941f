package logs

import (
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/xlagate/xlagate/internal/fuzztest"
	"github.com/xlagate/xlagate/internal/testfile"
)

// The profiles in testdata are jax.profiler's: of JAX 0.10.2 on CPU, three steps of a small training function, and two runs of a scan of five steps; of JAX
// 0.11.2 on an H100, what three runs of a training step, a scan over layers, did on the device.
func read(t testing.TB, name string) *Profile {
	t.Helper()
	trace, err := ReadProfile(testfile.Unpack(t, "testdata/"+name))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return trace
}

// The two files of a profile say the same.
func TestFormatsAgree(t *testing.T) {
	for _, name := range []string{"train", "scan", "h100"} {
		chrome, xplane := read(t, name+".trace.json.gz"), read(t, name+".xplane.pb.gz")
		if !reflect.DeepEqual(chrome, xplane) {
			t.Errorf("%s: the Chrome trace says %+v\nthe XSpace %+v", name, chrome, xplane)
		}
	}
}

func TestTrain(t *testing.T) {
	m := read(t, "train.xplane.pb.gz").Modules["jit_train_step"]
	if m.Runs != 3 || len(m.Kernels) != 25 {
		t.Fatalf("ran %d times with %d kernels", m.Runs, len(m.Kernels))
	}
	sum := time.Duration(0)
	for name, k := range m.Kernels {
		if k.Count != 3 || k.Self != k.Total || k.Self <= 0 {
			t.Errorf("%s: %+v", name, k)
		}
		sum += k.Self
	}
	if sum != m.Time {
		t.Errorf("the kernels take %v, the module %v", sum, m.Time)
	}
}

// Of what a command buffer launches on a GPU the profiler names the function alone.
func TestCommandBuffers(t *testing.T) {
	m := read(t, "h100.xplane.pb.gz").Modules["jit_gpt_gradients_unrolled__before_0"]
	launched := 0
	for name, k := range m.Functions {
		if launched += k.Count; k.Count%3 != 0 || k.Self != k.Total || k.Self <= 0 {
			t.Errorf("%s: %+v", name, k)
		}
	}
	for name := range m.Kernels {
		if strings.HasPrefix(name, "command_buffer") {
			t.Errorf("%s is taken for an instruction", name)
		}
	}
	if slices := m.Functions["loop_dynamic_update_slice_fusion_26"]; launched != 1092 || slices.Count != 24 {
		t.Errorf("%d launches, a result of each layer %+v", launched, slices)
	}
}

// What a loop runs is not the loop's own time.
func TestScan(t *testing.T) {
	trace := read(t, "scan.trace.json.gz")
	loop, ok := trace.kernel("jit_scan", "while.5")
	if !ok || loop.Count != 2 || loop.Self >= loop.Total/2 {
		t.Errorf("%+v", loop)
	}
	if body, ok := trace.kernel("jit_scan", "broadcast_multiply_fusion"); !ok || body.Count != 10 || body.Self != body.Total {
		t.Errorf("%+v", body)
	}
	if runs := trace.Modules["jit_scan"].Runs; runs != 2 {
		t.Errorf("%d runs, want 2", runs)
	}
	if _, ok := trace.kernel("jit_scan", "missing"); ok {
		t.Error("an instruction that did not run was measured")
	}
}

// A GPU's streams show instructions that the derived row shows again; a TPU shows them on the row alone, and the module beside it. The
// layout is the profiler's, the events are made by hand.
func TestDerivedRows(t *testing.T) {
	const head = `{"traceEvents":[
		{"ph":"M","pid":1,"name":"process_name","args":{"name":"/device:GPU:0"}},
		{"ph":"M","pid":1,"tid":10,"name":"thread_name","args":{"name":"Stream #20(Compute)"}},
		{"ph":"M","pid":1,"tid":11,"name":"thread_name","args":{"name":"XLA Ops"}},
		{"ph":"M","pid":2,"name":"process_name","args":{"name":"/device:TPU:0"}},
		{"ph":"M","pid":2,"tid":20,"name":"thread_name","args":{"name":"XLA Modules"}},
		{"ph":"M","pid":2,"tid":21,"name":"thread_name","args":{"name":"XLA Ops"}},`
	const events = `
		{"ph":"X","pid":1,"tid":10,"ts":1,"dur":2,"name":"loop_add_fusion_kernel","args":{"hlo_op":"loop_add_fusion","hlo_module":"jit_f"}},
		{"ph":"X","pid":1,"tid":11,"ts":1,"dur":2,"name":"loop_add_fusion","args":{}},
		{"ph":"X","pid":2,"tid":20,"ts":5,"dur":10,"name":"jit_g(4711)","args":{"run_id":7}},
		{"ph":"X","pid":2,"tid":21,"ts":6,"dur":1.5,"name":"%fusion.3 = f32[8] fusion(x)","args":{"x":[1]}},
		{"ph":"X","pid":2,"tid":21,"ts":20,"dur":1,"name":"copy.1"},
		{"ph":"B","pid":2,"tid":21,"ts":20,"name":"begin"}],"displayTimeUnit":"ns"}`
	trace, err := ReadProfile([]byte(head + events))
	if err != nil {
		t.Fatal(err)
	}
	if k, _ := trace.kernel("jit_f", "loop_add_fusion"); k.Count != 1 || k.Total != 2*time.Microsecond {
		t.Errorf("%+v", k)
	}
	if k, _ := trace.kernel("jit_g", "fusion.3"); k.Count != 1 || k.Total != 1500*time.Nanosecond {
		t.Errorf("%+v", k)
	}
	if want := []string{"/device:GPU:0", "/device:TPU:0"}; !slices.Equal(trace.Devices, want) {
		t.Errorf("ran on %q", trace.Devices)
	}
	if k, ok := trace.kernel("", "copy.1"); !ok || k.Count != 1 {
		t.Errorf("an instruction outside every module: %+v", k)
	}
}

// proto is a message of fields: numbers, texts and messages by number.
type proto map[protowire.Number]any

func (p proto) bytes() (out []byte) {
	for _, field := range slices.Sorted(maps.Keys(p)) {
		values, several := p[field].([]any)
		if !several {
			values = []any{p[field]}
		}
		for _, v := range values {
			switch v := v.(type) {
			case int:
				out = protowire.AppendVarint(protowire.AppendTag(out, field, protowire.VarintType), uint64(v))
			case string:
				out = protowire.AppendString(protowire.AppendTag(out, field, protowire.BytesType), v)
			case proto:
				out = protowire.AppendBytes(protowire.AppendTag(out, field, protowire.BytesType), v.bytes())
			}
		}
	}
	return out
}

// An XSpace of a TPU shows instructions on a row of their own by what they are called or displayed as, and modules with the id of the run. The layout
// is the profiler's, the events are made by hand.
func TestXSpaceOfADevice(t *testing.T) {
	const ( // the numbers of fields in xplane.proto
		spacePlane, planeName, planeLine, planeEvents, planeStats = 1, 2, 3, 4, 5
		lineName, lineTimestamp, lineEvent, lineDisplayName       = 2, 3, 4, 11
		eventMetadata, eventOffset, eventDuration, eventStat      = 1, 2, 3, 4
		statMetadata, statInt, statText, statRef                  = 1, 4, 5, 7
		entryKey, entryValue                                      = 1, 2
		metadataName, metadataDisplayName, metadataStat           = 2, 4, 5
	)
	kind := func(id int, more proto) proto { return proto{entryKey: id, entryValue: more} }
	event := func(kind, offset, duration int) proto {
		return proto{eventMetadata: kind, eventOffset: offset, eventDuration: duration}
	}
	run := event(1, 0, 9_000_000)
	run[eventStat] = proto{statMetadata: 1, statInt: 7}
	space := proto{spacePlane: proto{
		planeName: "/device:TPU:0",
		planeStats: []any{
			kind(1, proto{metadataName: "run_id"}), kind(2, proto{metadataName: "hlo_op"}), kind(3, proto{metadataName: "hlo_module"}), kind(4, proto{metadataName: "jit_f"}),
		},
		planeEvents: []any{
			kind(1, proto{metadataName: "jit_f(4711)"}),
			kind(2, proto{metadataName: "%fusion.3 = f32[8] fusion(x)"}),
			kind(3, proto{metadataName: "fusion", metadataDisplayName: "%copy.1"}),
			kind(4, proto{metadataName: "a kernel", metadataStat: []any{proto{statMetadata: 2, statText: "dot.2"}, proto{statMetadata: 3, statRef: 4}}}),
		},
		planeLine: []any{
			proto{lineDisplayName: "XLA Modules", lineTimestamp: 1000, lineEvent: run},
			proto{lineName: "XLA Ops", lineTimestamp: 1000, lineEvent: []any{event(2, 1_000_000, 2_000_000), event(3, 4_000_000, 1_000_000), event(4, 6_000_000, 3_000_000), event(99, 0, 1)}},
		},
	}}
	trace, err := ReadProfile(space.bytes())
	if err != nil {
		t.Fatal(err)
	}
	if len(trace.Modules) != 1 || trace.Modules["jit_f"] == nil || trace.Modules["jit_f"].Runs != 1 || trace.Modules["jit_f"].Time != 6*time.Microsecond {
		t.Fatalf("%+v", trace.Modules)
	}
	for name, want := range map[string]time.Duration{"fusion.3": 2 * time.Microsecond, "copy.1": time.Microsecond, "dot.2": 3 * time.Microsecond} {
		if k, ok := trace.kernel("jit_f", name); !ok || k != (ProfiledKernel{1, want, want}) {
			t.Errorf("%s: %+v", name, k)
		}
	}
}

func TestErrors(t *testing.T) {
	xplane := testfile.Unpack(t, "testdata/train.xplane.pb.gz")
	for name, data := range map[string]string{
		"empty": "", "blank": " \n", "no trace": `{"a":1}`, "no list": `{"traceEvents":3}`,
		"cut off": `{"traceEvents":[{"ph":"X"`, "cut between events": `{"traceEvents":[{"ph":"M"},`, "cut xplane": string(xplane[:len(xplane)-5]), "no proto": "\xff\xff\xff",
		"no plane": string(protowire.AppendTag(nil, 4, protowire.VarintType)) + "\x01",
	} {
		if trace, err := ReadProfile([]byte(data)); err == nil {
			t.Errorf("%s: %+v", name, trace)
		}
	}
	if _, err := ReadProfile([]byte(`{"traceEvents":[{"ph":"X","name":"PjitFunction(f)","ts":1,"dur":1}]}`)); !errors.Is(err, ErrEmptyProfile) {
		t.Errorf("a profile without instructions: %v", err)
	}
}

func TestNames(t *testing.T) {
	for in, want := range map[string]string{"jit_f(12)": "jit_f", "jit_f": "jit_f", "jit(f)": "jit(f)", "f()": "f"} {
		if got := moduleName(in); got != want {
			t.Errorf("moduleName(%s) = %s", in, got)
		}
	}
	if got := instructionName("%fusion.3 = f32[8] fusion(%a)"); got != "fusion.3" {
		t.Error(got)
	}
}

// readsProfile checks that whatever the bytes, the reader ends in an error or in times that add up.
func readsProfile(t *testing.T, data []byte) error {
	trace, err := ReadProfile(data)
	if err != nil {
		return err
	}
	for _, m := range trace.Modules {
		for name, k := range m.Kernels {
			if k.Count < 1 || strings.Contains(name, " = ") {
				t.Fatalf("%s: %+v", name, k)
			}
		}
	}
	return nil
}

func FuzzChromeTrace(f *testing.F) {
	fuzztest.Run(f, fuzztest.Text, readsProfile, testfile.Unpack(f, "testdata/scan.trace.json.gz"), []byte(`[{"ph":"X","args":{"hlo_op":1}}]`))
}

func FuzzXSpace(f *testing.F) {
	fuzztest.Run(f, fuzztest.Proto, readsProfile, testfile.Unpack(f, "testdata/scan.xplane.pb.gz"))
}

// kernel returns what was measured of an instruction.
func (t *Profile) kernel(module, name string) (k ProfiledKernel, ok bool) {
	if m := t.Modules[module]; m != nil {
		k, ok = m.Kernels[name]
	}
	return k, ok
}
