package artifacts

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/wire"
)

func real(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// read reads a real file, which must succeed.
func read[T any](t *testing.T, name string, reader func([]byte) (T, error)) T {
	t.Helper()
	v, err := reader(real(t, name))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return v
}

func TestBufferTotals(t *testing.T) {
	for _, c := range []struct {
		file  string
		color int64
		want  Totals
	}{
		{"tf-1.14.buffer-assignment.txt", AllColors, Totals{Total: 32, Argument: 8, Output: 24, Largest: 16}},
		{"tf-1.15.buffer-assignment.txt", AllColors, Totals{Total: 32, Argument: 8, Output: 24, Largest: 16}},
		{"tf-2.5.buffer-assignment.txt", AllColors, Totals{Total: 83049, Argument: 49152, Output: 17432, Constant: 20, ThreadLocal: 45, Temp: 16400, Largest: 32768}},
		{"tf-2.21.buffer-assignment.txt", AllColors, Totals{Total: 67859, Argument: 49152, Output: 17432, Constant: 32, ThreadLocal: 75, Temp: 1168, Largest: 32768}},
		{"jax-0.4.13.buffer-assignment.txt", AllColors, Totals{Total: 11104, Argument: 7008, Output: 4096, Largest: 6144}},
		{"cpu-callback.buffer-assignment.txt", AllColors, Totals{Total: 184, Argument: 64, Output: 64, Constant: 20, ThreadLocal: 12, Temp: 24, Largest: 64}},
		{"gpu-fp8.buffer-assignment.txt", 0, Totals{Total: 4784392, Argument: 262152, Output: 65536, Temp: 4456704, Largest: 4456704}},
		{"tpu.buffer-assignment.txt", AllColors, Totals{Total: 106500, Argument: 36864, Output: 512, ThreadLocal: 3072, Temp: 66052, Largest: 33280}},
		{"tpu.buffer-assignment.txt", 0, Totals{Total: 73728, Argument: 36864, Output: 512, ThreadLocal: 3072, Temp: 33280, Largest: 33280}},
		{"tpu.buffer-assignment.txt", 1, Totals{Total: 32768, Temp: 32768, Largest: 32768}},
		{"tpu.buffer-assignment.txt", 2, Totals{Total: 4, Temp: 4, Largest: 4}},
		{"tpu.buffer-assignment.txt", 3, Totals{}},
	} {
		if got := read(t, c.file, ReadBufferAssignment).Totals(c.color); got != c.want {
			t.Errorf("%s, memory space %d: got %+v, want %+v", c.file, c.color, got, c.want)
		}
	}
}

// areTuples says of each allocation in an HloProto whether it is marked as holding a table of pointers.
func areTuples(t *testing.T, hloProto []byte) (list []bool) {
	var is bool
	allocation := func(data []byte) error {
		is = false
		err := wire.Scan(data, wire.Fields{{11, "is_tuple", &is}})
		list = append(list, is)
		return err
	}
	if err := wire.Scan(hloProto, wire.Fields{{3, "buffer_assignment", wire.Fields{{3, "buffer_allocations", allocation}}}}); err != nil {
		t.Fatal(err)
	}
	return list
}

// TestBuffersAgree reads the same buffer assignment from text and proto, and compares with XLA's own figures. These leave out
// scratch memory that happens to be marked as holding a table of pointers.
func TestBuffersAgree(t *testing.T) {
	var oracle map[string]struct{ N, Total, Temp, Params, Constants, Out int64 }
	if err := json.Unmarshal(real(t, "buffers.oracle.json"), &oracle); err != nil {
		t.Fatal(err)
	}
	for name, want := range oracle {
		text := read(t, name+".buffer-assignment.txt", ReadBufferAssignment)
		proto := read(t, name+".hlo.pb", inProto)
		if text.Totals(AllColors) != proto.Totals(AllColors) {
			t.Errorf("%s: text %+v, proto %+v", name, text.Totals(AllColors), proto.Totals(AllColors))
		}
		got, tuples := proto.Totals(AllColors), areTuples(t, real(t, name+".hlo.pb"))
		for i, a := range proto.Allocations {
			if a.Temp() && tuples[i] {
				got.Temp -= a.Size
			}
		}
		if int64(len(proto.Allocations)) != want.N || got.Total != want.Total || got.Temp != want.Temp || got.Argument != want.Params || got.Constant != want.Constants || got.Output != want.Out {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
		for i := range text.Allocations {
			sameAllocation(t, name, text.Allocations[i], proto.Allocations[i])
		}
		named := text.Largest(most)
		for i := range named {
			named[i].Shape = ""
		}
		if got := proto.Largest(most); !reflect.DeepEqual(got, named) || len(got) == 0 {
			t.Errorf("%s: the largest values are %+v in text, %+v in the proto", name, named, got)
		}
	}
}

// most is more values than a test has.
const most = 1000

func inProto(data []byte) (*Buffers, error) { return ReadBufferAssignmentProto(data, most) }

// sameAllocation compares what text and proto both tell.
func sameAllocation(t *testing.T, name string, text, proto Allocation) {
	t.Helper()
	values := map[int64]Value{}
	for _, v := range proto.Values {
		values[v.ID] = v
	}
	for _, v := range text.Values {
		if p := values[v.ID]; p.ID != v.ID || p.Size != v.Size || p.Offset != v.Offset {
			t.Errorf("%s: value %+v in text, %+v in the proto", name, v, p)
		}
	}
	text.Values, proto.Values = nil, nil
	if !reflect.DeepEqual(text, proto) {
		t.Errorf("%s: allocation %+v in text, %+v in the proto", name, text, proto)
	}
}

func TestLargestBuffers(t *testing.T) {
	largest := read(t, "tpu.buffer-assignment.txt", ReadBufferAssignment).Largest(3)
	var got []string
	for _, b := range largest {
		got = append(got, b.Name)
	}
	if want := []string{"copy-start", "multiply_reduce_fusion", "multiply_reduce_fusion"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if b := largest[0]; b.Size != 32768 || !reflect.DeepEqual(b.Index, []int64{0}) || b.Shape != "f32[64,64]{1,0:T(8,128)S(1)}" {
		t.Errorf("%+v", b)
	}
}

func TestAllocationLines(t *testing.T) {
	a, ok := readAllocation("allocation 3: 0x55f846fb0658, size 8192, color 5, page 0, parameter 2, shape |(f32[2,3], s32[])| at ShapeIndex {1,0}, maybe-live-out:")
	want := Allocation{Index: 3, Size: 8192, Color: 5, Parameter: 2, LiveOut: true}
	if !ok || !reflect.DeepEqual(a, want) {
		t.Errorf("got %+v %v, want %+v", a, ok, want)
	}
	for _, line := range []string{
		"allocation 3: size 8192", "allocation 3: size -1:", "allocation x: size 1:", "allocation 1: size 1, something-new:", "allocation 1: size 1, constantly:",
		"allocation 1: size 1, parameter -2, shape || at ShapeIndex {}:", "allocation 1: size 1, shape |f32[2]:", "allocation 1:",
		"allocation 1: size 99999999999999999999:",
	} {
		if a, ok := readAllocation(line); ok {
			t.Errorf("%q: %+v", line, a)
		}
	}
}

func TestMemoryReports(t *testing.T) {
	spaces := []MemorySpace{{0, 73728}, {1, 32768}, {2, 4}}
	if got := read(t, "tpu.memory-usage-report.txt", ReadMemoryReport); !reflect.DeepEqual(got, spaces) {
		t.Errorf("%+v", got)
	}
	if got := read(t, "tpu.memory-usage-report.pb", ReadMemoryReportProto); !reflect.DeepEqual(got, spaces) {
		t.Errorf("%+v", got)
	}
	if got := read(t, "jax-0.6.2.memory-usage-report.txt", ReadMemoryReport); !reflect.DeepEqual(got, []MemorySpace{{AllColors, 208}}) {
		t.Errorf("%+v", got)
	}
}

func TestOptions(t *testing.T) {
	flags := read(t, "gpu.debug_options", ReadDebugOptions)
	for name, want := range map[string]string{
		"xla_dump_hlo_as_text":                       "true",
		"xla_gpu_enable_command_buffer":              "CONDITIONAL,CUBLAS,CUBLASLT,CUDNN,CUSTOM_CALL,DYNAMIC_SLICE_FUSION,FUSION",
		"xla_gpu_device_execution_terminate_timeout": "",
		"xla_gpu_gxl_scratch_size_bytes":             "0",
	} {
		if got, ok := flags[name]; !ok || got != want {
			t.Errorf("%s: %q %v, want %q", name, got, ok, want)
		}
	}
	nested, err := ReadDebugOptions([]byte("xla_dump_to: \"d\"\nxla_backend_extra_options { key: \"xla_x\" value: \"a\\nb\" }\nxla_cpu_x: [1, 2];\n# a comment\ny: 'it''s'\n"))
	want := Flags{"xla_dump_to": "d", "xla_backend_extra_options": "{key: xla_x value: a\nb}", "xla_cpu_x": "1,2", "y": "its"}
	if err != nil || !reflect.DeepEqual(nested, want) {
		t.Errorf("got %v %v, want %v", nested, err, want)
	}
	file := read(t, "tpu.flagfile", ReadFlagFile)
	if file["xla_enable_async_all_reduce"] != "false" || file["xla_enable_async_all_gather"] != "auto" || len(file) < 50 {
		t.Errorf("%d flags: %v", len(file), file)
	}
}

func TestDevices(t *testing.T) {
	for _, c := range []struct {
		file   string
		reader func([]byte) (*Device, error)
		want   Device
	}{
		{"h100.gpu_target_config.pbtxt", ReadTargetConfig, Device{Platform: "CUDA", Name: "NVIDIA H100 80GB HBM3", Capability: "sm_9.0a"}},
		{"mi300.gpu_target_config.pbtxt", ReadTargetConfig, Device{Platform: "ROCM", Name: "MI300X", Capability: "gfx942"}},
		{"tpu.target_arguments.txt", ReadTargetArguments, Device{Platform: "tpu", Name: "VIPERFISH lite"}},
		{"tpu.topology.pb", ReadTopology, Device{Platform: "tpu", Name: "TPU v5 lite", Build: "cl/933746096"}},
	} {
		if got := read(t, c.file, c.reader); *got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.file, *got, c.want)
		}
	}
	if got := read(t, "tpu.topology.textproto", ReadTopology); got.Platform != "tpu" || !strings.HasPrefix(got.Name, "TPU v") || got.Build == "" {
		t.Errorf("%+v", got)
	}
}

func TestCode(t *testing.T) {
	if got := read(t, "gpu.ptx", ReadPTX); !reflect.DeepEqual(*got, PTX{"8.8", "sm_90a", []string{"loop_pad_fusion"}}) {
		t.Errorf("%+v", got)
	}
	if got := read(t, "constants.ptx", ReadPTX); !reflect.DeepEqual(*got, PTX{"8.8", "sm_90a", nil}) {
		t.Errorf("%+v", got)
	}
	if got, err := ReadPTX(nil); err != nil || got.Entries != nil {
		t.Errorf("an empty file is one without kernels: %+v %v", got, err)
	}
	for name, want := range map[string]int64{"gpu.ll": 953, "cpu.ll": int64(len(real(t, "cpu.ll")))} {
		if got := read(t, name, ReadLLVM); got != want {
			t.Errorf("%s has %d bytes, want %d", name, got, want)
		}
	}
}

// TestCutFiles cuts real files short: that must not pass for a small file.
func TestCutFiles(t *testing.T) {
	for file, reader := range map[string]func([]byte) (any, error){
		"cpu-callback.hlo.pb":           anyOf(inProto),
		"cpu.ll":                        anyOf(ReadLLVM),
		"gpu.ptx":                       anyOf(ReadPTX),
		"h100.gpu_target_config.pbtxt":  anyOf(ReadTargetConfig),
		"sequential.thunk_sequence.txt": anyOf(ReadThunks),
		"tf-2.5.buffer-assignment.txt":  anyOf(ReadBufferAssignment),
	} {
		data := real(t, file)
		if _, err := reader(data[:len(data)/3]); err == nil {
			t.Errorf("a third of %s passes for the whole", file)
		}
	}
}

func anyOf[T any](reader func([]byte) (T, error)) func([]byte) (any, error) {
	return func(data []byte) (any, error) { return reader(data) }
}
