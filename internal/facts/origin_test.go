package facts

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/xlagate/xlagate/internal/dump"
)

// A TPU is called by the runtime's name, whichever of its files is read first.
func TestOriginOfTPU(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"module_0000.jit_f.cl_1.after_optimizations.txt":   "HloModule jit_f\n\nENTRY %main.1 (x.1: f32[4]) -> f32[4] {\n  ROOT %x.1 = f32[4]{0} parameter(0)\n}\n",
		"module_0000.jit_f.cl_1.target_arguments.txt":      "tpu_topology_args {\n  version: TPU_VERSION_VIPERFISH\n  tpu_variant: \"lite\"\n}\n",
		"module_0000.jit_f.cl_1/topology.textproto":        "platform_name: \"tpu\"\nplatform_version: \"TFRT TPU v5 lite\\nBuilt on Jun 17 2026 11:08:48 (1781719728) cl/933746096\"\n",
		"module_0000.jit_f.cl_1/compile_options.textproto": "",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	d, err := dump.Open(t.Context(), dir, dump.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if len(d.Modules) != 1 {
		t.Fatalf("%d modules", len(d.Modules))
	}
	got := ToolchainOf(d.Modules[0])
	if got.Framework != "jax" || got.Backend != "tpu" || got.Device != "TPU v5 lite" {
		t.Errorf("origin %+v", got)
	}
}
