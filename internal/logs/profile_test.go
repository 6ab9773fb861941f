package logs

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/xlagate/xlagate/internal/fuzztest"
	"github.com/xlagate/xlagate/internal/testfile"
)

// The profiles in testdata are jax.profiler's, of JAX 0.10.2 on CPU: three steps of a small training function, and two runs of a scan of
// five steps.
func read(t testing.TB, name string) *Profile {
	t.Helper()
	trace, err := ReadProfile(testfile.Unpack(t, "testdata/"+name))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return trace
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

// What a loop runs is not the loop's own time.
func TestScan(t *testing.T) {
	trace := read(t, "scan.xplane.pb.gz")
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

// A GPU's streams show instructions that the derived row shows again: the streams count, and an instruction outside of every module has none.
func TestStreamsAndDerivedRow(t *testing.T) {
	stat := func(id int, text string) proto { return proto{1: id, 5: text} }
	space := proto{1: proto{
		2: "/device:GPU:0",
		5: []any{proto{1: 1, 2: proto{2: "hlo_op"}}, proto{1: 2, 2: proto{2: "hlo_module"}}},
		4: []any{proto{1: 1, 2: proto{2: "loop_add_fusion_kernel", 5: []any{stat(1, "loop_add_fusion"), stat(2, "jit_f")}}}, proto{1: 2, 2: proto{2: "copy.1", 5: stat(1, "copy.1")}}},
		3: []any{
			proto{2: "Stream #20(Compute)", 4: []any{proto{1: 1, 2: 1_000_000, 3: 2_000_000}, proto{1: 2, 2: 20_000_000, 3: 1_000_000}}},
			proto{2: "XLA Ops", 4: proto{1: 1, 2: 1_000_000, 3: 2_000_000}},
		},
	}}
	trace, err := ReadProfile(space.bytes())
	if err != nil {
		t.Fatal(err)
	}
	if k, _ := trace.kernel("jit_f", "loop_add_fusion"); k != (ProfiledKernel{1, 2 * time.Microsecond, 2 * time.Microsecond}) {
		t.Errorf("%+v", k)
	}
	if k, ok := trace.kernel("", "copy.1"); !ok || k.Count != 1 || !slices.Equal(trace.Devices, []string{"/device:GPU:0"}) {
		t.Errorf("an instruction outside every module: %+v on %q", k, trace.Devices)
	}
}

func TestErrors(t *testing.T) {
	xplane := testfile.Unpack(t, "testdata/train.xplane.pb.gz")
	for name, data := range map[string]string{
		"empty": "", "blank": " \n", "a Chrome trace": `{"traceEvents":[]}`, "cut off": string(xplane[:len(xplane)-5]), "no proto": "\xff\xff\xff",
		"no plane": string(protowire.AppendTag(nil, 4, protowire.VarintType)) + "\x01",
	} {
		if trace, err := ReadProfile([]byte(data)); err == nil {
			t.Errorf("%s: %+v", name, trace)
		}
	}
	if _, err := ReadProfile(proto{1: proto{2: "/host:CPU"}}.bytes()); !errors.Is(err, ErrEmptyProfile) {
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
