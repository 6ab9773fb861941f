package artifacts

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/xlagate/xlagate/internal/fuzztest"
)

// fuzz feeds a reader with what is nearly a real file. What it returns is the same the second time, and nothing beside an error.
func fuzz[T any](f *testing.F, format fuzztest.Format, reader func([]byte) (T, error), files ...string) {
	f.Helper()
	var seeds [][]byte
	for _, name := range files {
		seeds = append(seeds, real(f, name))
	}
	fuzztest.Run(f, format, func(t *testing.T, data []byte) error {
		got, err := reader(data)
		if again, _ := reader(data); err == nil && !reflect.DeepEqual(got, again) {
			t.Errorf("%+v, and then %+v", got, again)
		}
		return err
	}, seeds...)
}

func FuzzBufferAssignment(f *testing.F) {
	fuzz(f, fuzztest.Text, func(data []byte) (*Buffers, error) {
		b, err := ReadBufferAssignment(data)
		if err == nil {
			b.Totals(AllColors)
			b.Largest(3)
		}
		return b, err
	}, "tf-2.5.buffer-assignment.txt", "tpu.buffer-assignment.txt")
}

func FuzzBufferAssignmentProto(f *testing.F) {
	fuzz(f, fuzztest.Proto, inProto, "cpu-callback.hlo.pb", "gpu-fp8.hlo.pb")
}

func FuzzMemoryReport(f *testing.F) {
	fuzz(f, fuzztest.Text, ReadMemoryReport, "tpu.memory-usage-report.txt", "jax-0.6.2.memory-usage-report.txt")
}

func FuzzMemoryReportProto(f *testing.F) {
	fuzz(f, fuzztest.Proto, ReadMemoryReportProto, "tpu.memory-usage-report.pb")
}

func FuzzThunks(f *testing.F) {
	fuzz(f, fuzztest.Text, func(data []byte) (*Thunks, error) {
		thunks, err := ReadThunks(data)
		if err == nil {
			for i, k := range thunks.Thunks {
				if k.Parent >= i {
					panic(fmt.Sprintf("thunk %d stands in %d, which comes later", i, k.Parent))
				}
			}
		}
		return thunks, err
	}, "jax-0.5.3.thunk_sequence.txt", "sequential.thunk_sequence.txt", "command-buffers.thunk_sequence.txt")
}

func FuzzDebugOptions(f *testing.F) {
	fuzz(f, fuzztest.Text, ReadDebugOptions, "gpu.debug_options", "gpu.config.pbtxt", "jax-0.5.3.autotune_results.pbtxt")
}

func FuzzDevice(f *testing.F) {
	fuzz(f, fuzztest.Text, ReadTargetConfig, "h100.gpu_target_config.pbtxt", "mi300.gpu_target_config.pbtxt")
}

func FuzzTopology(f *testing.F) { fuzz(f, fuzztest.Text, ReadTopology, "tpu.topology.textproto") }

func FuzzTopologyProto(f *testing.F) { fuzz(f, fuzztest.Proto, ReadTopology, "tpu.topology.pb") }

func FuzzFlagFile(f *testing.F) { fuzz(f, fuzztest.Text, ReadFlagFile, "tpu.flagfile") }

func FuzzPTX(f *testing.F) { fuzz(f, fuzztest.Text, ReadPTX, "gpu.ptx", "constants.ptx") }

func FuzzLLVM(f *testing.F) { fuzz(f, fuzztest.Text, ReadLLVM, "gpu.ll", "cpu.ll") }
