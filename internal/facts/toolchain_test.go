package facts

import (
	"fmt"
	"testing"

	"github.com/xlagate/xlagate/internal/artifacts"
)

func TestTelling(t *testing.T) {
	kept := telling(artifacts.Flags{
		"xla_dump_to": "/tmp/x", "xla_gpu_cuda_data_dir": "/usr/local/cuda", "xla_detailed_logging": "false",
		"xla_cpu_multi_thread_eigen": "false", "xla_disable_hlo_passes": "fusion", "xla_gpu_autotune_level": "0",
	})
	if len(kept) != 2 || kept["xla_disable_hlo_passes"] != "fusion" || kept["xla_gpu_autotune_level"] != "0" {
		t.Errorf("kept %v", kept)
	}
	if telling(artifacts.Flags{"xla_dump_to": "/tmp/x"}) != nil {
		t.Error("flags that say nothing are kept")
	}
}

// A TPU's compiler writes thousands of flags for every module.
func TestTellingThousands(t *testing.T) {
	flags := artifacts.Flags{}
	for i := range 4000 {
		flags[fmt.Sprint("xla_flag_", i)] = "true"
	}
	if n := testing.AllocsPerRun(1, func() { telling(flags) }); n > 1000 {
		t.Errorf("%v allocations for %d flags", n, len(flags))
	}
}

func TestFrameworkOf(t *testing.T) {
	for module, want := range map[string]string{
		"jit_train_step": "jax", "pmap_step": "jax", "SyncTensorsGraph.42": "torch_xla", "IrToHlo.7": "torch_xla",
		"a_inference_f_17__XlaMustCompile_true_.2": "tensorflow", "cluster_0__XlaCompiledKernel_true_.3": "tensorflow", "main": "",
	} {
		if got := frameworkOf(module); got != want {
			t.Errorf("frameworkOf(%q) = %q, want %q", module, got, want)
		}
	}
}

func TestDeviceTag(t *testing.T) {
	for tag, want := range map[string]string{"sm_9.0a_gpu": "sm_9.0a", "gfx942_gpu": "gfx942", "cpu": "", "gpu": "", "": ""} {
		if got := deviceTag(tag); got != want {
			t.Errorf("deviceTag(%q) = %q, want %q", tag, got, want)
		}
	}
}
