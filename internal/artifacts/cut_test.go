package artifacts

import (
	"errors"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/wire"
)

// readers are the real files with what reads them.
var readers = map[string]func([]byte) (any, error){
	"attn.thunk_metadata.txt": anyOf(ReadThunkMetadata), "command-buffers.thunk_sequence.txt": anyOf(ReadThunks), "jax-0.10.2.thunk_sequence.txt": anyOf(ReadThunks),
	"jax-0.5.3.thunk_sequence.txt": anyOf(ReadThunks), "jax-0.8.3.thunk_sequence.txt": anyOf(ReadThunks), "sequential.thunk_sequence.txt": anyOf(ReadThunks),
	"cpu-all-to-all.buffer-assignment.txt": anyOf(ReadBufferAssignment), "cpu-callback.buffer-assignment.txt": anyOf(ReadBufferAssignment), "gpu-fp8.buffer-assignment.txt": anyOf(ReadBufferAssignment),
	"jax-0.4.13.buffer-assignment.txt": anyOf(ReadBufferAssignment), "jax-0.6.2.buffer-assignment.txt": anyOf(ReadBufferAssignment), "tf-2.21.buffer-assignment.txt": anyOf(ReadBufferAssignment),
	"tf-1.14.buffer-assignment.txt": anyOf(ReadBufferAssignment), "tf-1.15.buffer-assignment.txt": anyOf(ReadBufferAssignment), "tf-2.5.buffer-assignment.txt": anyOf(ReadBufferAssignment), "tpu.buffer-assignment.txt": anyOf(ReadBufferAssignment), "cpu-all-to-all.hlo.pb": anyOf(inProto),
	"cpu-callback.hlo.pb": anyOf(inProto), "gpu-fp8.hlo.pb": anyOf(inProto),
	"jax-0.6.2.memory-usage-report.txt": anyOf(ReadMemoryReport), "tpu.memory-usage-report.txt": anyOf(ReadMemoryReport), "tpu.memory-usage-report.pb": anyOf(ReadMemoryReportProto),
	"gpu.config.pbtxt": anyOf(ReadDebugOptions), "gpu.debug_options": anyOf(ReadDebugOptions), "tpu.flagfile": anyOf(ReadFlagFile), "gpu.ptx": anyOf(ReadPTX), "constants.ptx": anyOf(ReadPTX),
	"gpu.ll": anyOf(ReadLLVM), "cpu.ll": anyOf(ReadLLVM), "h100.gpu_target_config.pbtxt": anyOf(ReadTargetConfig), "mi300.gpu_target_config.pbtxt": anyOf(ReadTargetConfig),
	"tpu.target_arguments.txt": anyOf(ReadTargetArguments), "tpu.topology.pb": anyOf(ReadTopology), "tpu.topology.textproto": anyOf(ReadTopology),
}

// Cut anywhere, no file brings a reader down, and a text that ends inside a line is not taken for a smaller one.
func TestCutAnywhere(t *testing.T) {
	for file, reader := range readers {
		data := real(t, file)
		text := !strings.HasSuffix(file, ".pb")
		for n := 1; n < len(data); n += 1 + len(data)/400 {
			if _, err := reader(data[:n]); text && data[n-1] != '\n' && err == nil {
				t.Errorf("%s passes for whole with %d of its %d bytes", file, n, len(data))
				break
			}
		}
	}
}

// Cut at the end of any line, a file with an end says so: code, and flags that XLA writes only with the flag that has them written.
func TestCutAtLines(t *testing.T) {
	for _, c := range []struct {
		file string
		last int // how many lines at the end nothing tells to be missing: they are flags
	}{{"gpu.ll", 0}, {"cpu.ll", 0}, {"gpu.debug_options", 9}} {
		lines := strings.SplitAfter(string(real(t, c.file)), "\n")
		for n := range len(lines) - 1 - c.last {
			if _, err := readers[c.file]([]byte(strings.Join(lines[:n], ""))); err == nil {
				t.Errorf("%s passes for whole with %d of %d lines", c.file, n, len(lines)-1)
			}
		}
	}
}

// A line that is whole and cannot be read was not cut off: nobody knows its form.
func TestUnknownForm(t *testing.T) {
	for text, reader := range map[string]func([]byte) (any, error){
		"BufferAssignment:\nallocation 0: size 4, in silver:\n": anyOf(ReadBufferAssignment), "BufferAssignment:\nallocation 0: size 4:\n  x in it\n": anyOf(ReadBufferAssignment),
		"001: copies\n": anyOf(ReadThunks), "a flag\n": anyOf(ReadFlagFile),
	} {
		_, err := reader([]byte(text))
		if syntax := (*wire.SyntaxError)(nil); !errors.As(err, &syntax) || !syntax.Form || strings.Contains(err.Error(), "cut off") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A number that is cut is another number: of 208 bytes 2 are left.
func TestCutNumber(t *testing.T) {
	for _, text := range []string{"Total bytes used: 2", "Memory Space: default (color=0)\nTotal bytes: 7"} {
		if r, err := ReadMemoryReport([]byte(text)); err == nil || !strings.Contains(err.Error(), "it was cut off") {
			t.Errorf("%q: %+v, %v", text, r, err)
		}
	}
	if flags, err := ReadDebugOptions([]byte("xla_a: true\nxla_b: f")); err == nil || !strings.HasPrefix(err.Error(), "line 2: ") {
		t.Errorf("%v, %v", flags, err)
	}
	if flags, err := ReadFlagFile([]byte("--xla_a=1\n--xla_b=1")); err == nil {
		t.Errorf("%v", flags)
	}
}
