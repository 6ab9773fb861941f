package capture

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func fill(t *testing.T, dir string, files ...string) {
	t.Helper()
	for _, f := range files {
		path := filepath.Join(dir, f)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPrepareEmptiesAnEarlierCapture(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, toolchainFile, logFile, "module_0000.jit_f.before_optimizations.txt", "module_0000.jit_f/module.mlir",
		"1795247831679955.module_0000.after_optimizations.txt", "jit_f/host_1234/module_0002.jit_f.debug_options",
		"main.1.module_0000.jit_f._fusion.html", "graph/mark_for_compilation.pbtxt", "graph/deep/er.pbtxt", "shardy/a.mlir",
		"jit_f.gemm_fusion.triton-to-llvm.txt", "jit_f_1795465042252/compile_options.pb", "jit_f_1795465042252/module.mlir")
	if err := prepare(dir); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("%v left, error %v", left, err)
	}
}

func TestPrepareMakesADirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	if err := prepare(dir); err != nil {
		t.Fatal(err)
	}
	if err := prepare(dir); err != nil {
		t.Errorf("an empty directory is refused: %v", err)
	}
}

func TestPrepareRefusesForeignFiles(t *testing.T) {
	for name, tt := range map[string]struct {
		files []string
		want  string
	}{
		"no capture":  {[]string{"module_0000.jit_f.before_optimizations.txt"}, "was not written by a capture"},
		"a user file": {[]string{toolchainFile, "module_0000.jit_f.txt", "notes.md", "train.py"}, "notes.md and 1 more"},
		"below":       {[]string{toolchainFile, "sub/notes.md"}, "notes.md"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			fill(t, dir, tt.files...)
			err := prepare(dir)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
			for _, f := range tt.files {
				if _, err := os.Stat(filepath.Join(dir, f)); err != nil {
					t.Errorf("%s was removed", f)
				}
			}
		})
	}
}

func TestPrepareRefusesAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	fill(t, filepath.Dir(file), "file")
	if err := prepare(file); err == nil {
		t.Error("a file is taken for a directory")
	}
}
