package facts

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The size of the code that LLVM was given, and of the assembly that came out, is that of the files that are beside the module.
func TestCodeBesideAModule(t *testing.T) {
	dir := unpack(t, "cpu-while", func(_ string, data []byte) []byte { return data })
	modules, err := filepath.Glob(filepath.Join(dir, "*after_optimizations.txt"))
	if err != nil || len(modules) != 1 {
		t.Fatal(modules, err)
	}
	stem, want := strings.TrimSuffix(modules[0], "cpu_after_optimizations.txt"), Values{"code.ptx_entries": 1}
	for _, c := range []struct {
		file, as string
		fact     ID
	}{{"cpu.ll", "ir-with-opt.ll", "code.llvm_ir_bytes"}, {"gpu.ptx", "ptx", "code.ptx_bytes"}} {
		code, err := os.ReadFile("../artifacts/testdata/" + c.file)
		if err == nil {
			err = os.WriteFile(stem+c.as, code, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		want[c.fact] = float64(len(code))
	}
	measureDir(t, dir).Programs[0].Variants[0].Facts.want(t, want)
}
