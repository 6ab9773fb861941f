package artifacts

import (
	"testing"
)

// fuzz feeds a reader with anything, beginning with real files: it may refuse, but never panic or hang.
func fuzz[T any](f *testing.F, reader func([]byte) (T, error), files ...string) {
	f.Helper()
	for _, name := range files {
		f.Add(real(f, name))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := reader(data); err != nil && err.Error() == "" {
			t.Error("an error without a message")
		}
	})
}

func FuzzBufferAssignment(f *testing.F) {
	fuzz(f, func(data []byte) (*Buffers, error) {
		b, err := ReadBufferAssignment(data)
		if err == nil {
			b.Totals(AllColors)
			b.Largest(3)
		}
		return b, err
	}, "tf-2.5.buffer-assignment.txt", "tpu.buffer-assignment.txt")
}

func FuzzBufferAssignmentProto(f *testing.F) {
	fuzz(f, inProto, "cpu-callback.hlo.pb", "gpu-fp8.hlo.pb")
}

func FuzzLiveRange(f *testing.F) {
	fuzz(f, ReadLiveRange, "tpu.live-range.txt", "jax-0.4.13.buffer-assignment.txt")
}

func FuzzMemoryReport(f *testing.F) {
	fuzz(f, ReadMemoryReport, "tpu.memory-usage-report.txt", "jax-0.6.2.memory-usage-report.txt")
}

func FuzzMemoryReportProto(f *testing.F) {
	fuzz(f, ReadMemoryReportProto, "tpu.memory-usage-report.pb")
}

func FuzzThunks(f *testing.F) {
	fuzz(f, func(data []byte) (*Thunks, error) {
		thunks, err := ReadThunks(data)
		if err == nil {
			for i, k := range thunks.Thunks {
				if k.Parent >= i {
					f.Fatalf("thunk %d stands in %d, which comes later", i, k.Parent)
				}
			}
		}
		return thunks, err
	}, "jax-0.5.3.thunk_sequence.txt", "sequential.thunk_sequence.txt", "command-buffers.thunk_sequence.txt")
}

func FuzzDebugOptions(f *testing.F) {
	fuzz(f, ReadDebugOptions, "gpu.debug_options", "gpu.config.pbtxt", "jax-0.5.3.autotune_results.pbtxt")
}

func FuzzDevice(f *testing.F) {
	fuzz(f, ReadTargetConfig, "h100.gpu_target_config.pbtxt", "mi300.gpu_target_config.pbtxt")
}

func FuzzTopology(f *testing.F) { fuzz(f, ReadTopology, "tpu.topology.textproto", "tpu.topology.pb") }

func FuzzFlagFile(f *testing.F) { fuzz(f, ReadFlagFile, "tpu.flagfile") }

func FuzzPTX(f *testing.F) { fuzz(f, ReadPTX, "gpu.ptx", "constants.ptx") }

func FuzzLLVM(f *testing.F) { fuzz(f, ReadLLVM, "gpu.ll", "cpu.ll") }
