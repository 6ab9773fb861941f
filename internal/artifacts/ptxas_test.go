package artifacts_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/xlagate/xlagate/internal/artifacts"
	"github.com/xlagate/xlagate/internal/fuzztest"
)

// What ptxas 12.9 says of a Pallas kernel for an H100, and of three kernels of a module by JAX 0.5.3.
func TestRead(t *testing.T) {
	for _, c := range []struct {
		file string
		want []artifacts.KernelResources
	}{
		{"my_tanh_matmul.txt", []artifacts.KernelResources{{Name: "my_tanh_matmul", Registers: 255, SpillStores: 1116, Barriers: 1}}},
		{"several.txt", []artifacts.KernelResources{
			{Name: "loop_add_subtract_fusion", Registers: 32},
			{Name: "input_reduce_fusion_2", Registers: 20, Shared: 8320, Barriers: 1},
			{Name: "gemm_fusion_dot_128_0", Registers: 64, SpillStores: 8, Barriers: 1},
		}},
	} {
		got, err := artifacts.ReadAssembler(mustRead(t, filepath.Join("testdata", c.file)))
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: got %+v, %v\nwant %+v", c.file, got, err, c.want)
		}
	}
}

// Whatever ptxas says is read or refused.
func FuzzAssembler(f *testing.F) {
	fuzztest.Run(f, fuzztest.Text, func(t *testing.T, said []byte) error {
		kernels, err := artifacts.ReadAssembler(string(said))
		for _, k := range kernels {
			if err != nil || k.Registers < 0 || k.SpillStores < 0 || k.Shared < 0 {
				t.Errorf("%+v, %v", k, err)
			}
		}
		return err
	}, []byte("ptxas info    : Compiling entry function 'f' for 'sm_90'\n    8 bytes stack frame, 8 bytes spill stores, 8 bytes spill loads\nptxas info    : Used 12 registers, used 1 barriers, 64 bytes smem\n"),
		[]byte("ptxas info    : Compiling entry function 'f' for 'sm_90'\nptxas info    : Used -1 registers\n"))
}

func TestFind(t *testing.T) {
	home := t.TempDir()
	inPath, wheel, newer, cuda := filepath.Join(home, "bin/ptxas"), filepath.Join(home, "venv/lib/python3.11/site-packages/nvidia/cuda_nvcc/bin/ptxas"),
		filepath.Join(home, "conda/lib/python3.13/site-packages/nvidia/cu13/bin/ptxas"), filepath.Join(home, "cuda/bin/ptxas")
	for _, path := range []string{inPath, wheel, newer, cuda, filepath.Join(home, "venv/bin/python3")} {
		install(t, path, "exit 0")
	}
	path := "PATH=" + filepath.Join(home, "bin")
	for _, c := range []struct {
		name string
		env  []string
		want string
	}{
		{"named", []string{artifacts.AssemblerVariable + "=/opt/ptxas", path}, "/opt/ptxas"},
		{"off", []string{artifacts.AssemblerVariable + "=off", path}, ""},
		{"PATH before a wheel", []string{path, "VIRTUAL_ENV=" + filepath.Join(home, "venv")}, inPath},
		{"the active environment", []string{"VIRTUAL_ENV=" + filepath.Join(home, "venv"), "CUDA_HOME=" + filepath.Join(home, "cuda")}, wheel},
		{"CUDA 13", []string{"CONDA_PREFIX=" + filepath.Join(home, "conda")}, newer},
		{"the interpreter in PATH", []string{"PATH=" + filepath.Join(home, "venv/bin")}, wheel},
		{"CUDA's folder", []string{"CUDA_HOME=" + filepath.Join(home, "cuda")}, cuda},
	} {
		if got := artifacts.FindAssembler(environment(c.env...)); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// Messages are what ptxas 12.9 writes.
func TestRefusals(t *testing.T) {
	for _, c := range []struct{ name, body, target, want string }{
		{"an old assembler", `echo "ptxas kernel.ptx, line 1; fatal   : Unsupported .version 9.9; current version is '8.8'
ptxas fatal   : Ptx assembly aborted due to errors" >&2; exit 255`, "sm_90a", "ptxas 12.9.86: line 1: Unsupported .version 9.9; current version is '8.8'"},
		{"an unknown device", `echo "ptxas fatal   : Value 'sm_190' is not defined for option 'gpu-name'" >&2; exit 255`, "sm_190", "ptxas 12.9.86: Value 'sm_190' is not defined for option 'gpu-name'"},
		{"a crash", "kill -9 $$", "sm_90a", "ptxas 12.9.86: signal: killed"},
		{"half an answer", `echo "ptxas info    : Compiling entry function 'f' for 'sm_90a'" >&2`, "sm_90a", "ptxas does not say what f uses"},
		{"an option for an architecture", "touch $0.ran", "sm_90a -o x", `the PTX is for "sm_90a -o x", which is no architecture`},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "ptxas")
			install(t, path, `[ "$1" != --version ] || { echo ", V12.9.86"; exit; }`+"\n"+c.body)
			_, err := artifacts.NewAssembler(environment(artifacts.AssemblerVariable+"="+path)).Assemble(t.Context(), []byte("some PTX"), c.target)
			if err == nil || err.Error() != c.want {
				t.Errorf("got %v\nwant %s", err, c.want)
			}
		})
	}
	if _, err := artifacts.NewAssembler(environment(artifacts.AssemblerVariable + "=" + artifacts.Off)).Version(t.Context()); !errors.Is(err, artifacts.ErrNoAssembler) {
		t.Errorf("none is wanted: %v", err)
	}
	if _, err := artifacts.NewAssembler(environment(artifacts.AssemblerVariable + "=/bin/echo")).Version(t.Context()); err == nil || !strings.Contains(err.Error(), "does not answer as ptxas does") {
		t.Errorf("another program: %v", err)
	}
}

// An assembler that never ends is ended with the run.
func TestInterrupted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ptxas")
	install(t, path, `[ "$1" != --version ] || { echo ", V12.9.86"; exit; }`+"\nexec sleep 600")
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	a := artifacts.NewAssembler(environment(artifacts.AssemblerVariable + "=" + path))
	if _, err := a.Version(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Assemble(ctx, []byte("some PTX"), "sm_90a"); err == nil {
		t.Error("it ended")
	}
}

func install(t *testing.T, path, body string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
}

func environment(vars ...string) func(string) string {
	return func(name string) string {
		for _, v := range vars {
			if value, ok := strings.CutPrefix(v, name+"="); ok {
				return value
			}
		}
		return ""
	}
}

func mustRead(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
