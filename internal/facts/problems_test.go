package facts

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/dump"
)

// A file that is named on its own and holds no final module says so; asked for, it is measured as it is; a folder of it was not dumped to the end.
func TestNoFinalModule(t *testing.T) {
	dir := t.TempDir()
	stagesOf(t, "passes.tar.xz", dir, func(s *dump.Stage) string {
		if s.Kind != dump.StageBefore {
			return ""
		}
		return "module_0000.jit_newton.before_optimizations.txt"
	})
	file := filepath.Join(dir, "module_0000.jit_newton.before_optimizations.txt")
	for _, c := range []struct {
		path     string
		anyStage bool
		problem  string
	}{
		{file, false, "this is no final module (before-optimizations)"}, {file, true, ""}, {dir, false, "the module was dumped before its optimization and never after it"}, {dir, true, "the module was dumped before its optimization and never after it"},
	} {
		r := measureDump(t, c.path, Options{AnyStage: c.anyStage})
		if (len(r.Programs) == 1) != (c.problem == "") || len(r.Problems) != 1-len(r.Programs) {
			t.Errorf("%s, any stage %v: %d programs, %v", c.path, c.anyStage, len(r.Programs), r.Problems)
			continue
		}
		if c.problem != "" {
			if p := r.Problems[0]; !strings.HasPrefix(p.Message, c.problem) || p.Program != "newton" || p.Fix == "" {
				t.Errorf("%+v", p)
			}
		} else if v := r.Programs[0].Variants[0]; !slices.Equal(v.Missing, []string{"after-optimizations", "buffer-assignment"}) {
			t.Errorf("missing: %q", v.Missing)
		}
	}
}

// writtenModules measures modules that are written by hand, by what their files are called.
func writtenModules(t *testing.T, files map[string]string, opts Options) *Report {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return measureDump(t, dir, opts)
}

// Of many constants the largest are listed, of those of one size the first, in the order of the file.
func TestLargestConstants(t *testing.T) {
	var body strings.Builder
	var want []int64 // bytes
	for i := range 3 * maxConstants {
		n := 1 + i%101 // seven of each size above 61, so that there is room for four of size 65
		fmt.Fprintf(&body, "  %%c%d = f32[%d] constant({...})\n", i, n)
		if n > 65 || n == 65 && i < 4*101 {
			want = append(want, int64(4*n))
		}
	}
	r := writtenModules(t, map[string]string{
		"module_0001.jit_f.cpu_after_optimizations.txt": "HloModule jit_f\n\nENTRY %e {\n" + body.String() + "  ROOT %r = f32[] parameter(0)\n}\n",
	}, Options{})
	var got []int64
	for _, c := range r.Programs[0].Variants[0].Constants {
		got = append(got, c.Bytes)
	}
	if len(want) != maxConstants || !slices.Equal(got, want) {
		t.Errorf("%d constants are listed: %v", len(got), got)
	}
}

// Of many scalars each value is listed, wherever it is first.
func TestEachValueOfManyScalars(t *testing.T) {
	var body strings.Builder
	for i := range 2 * maxConstants {
		value := "1"
		if i == 2*maxConstants-1 {
			value = "0.025"
		}
		fmt.Fprintf(&body, "  %%c%d = f32[] constant(%s)\n", i, value)
	}
	r := writtenModules(t, map[string]string{
		"module_0001.jit_f.cpu_after_optimizations.txt": "HloModule jit_f\n\nENTRY %e {\n" + body.String() + "  ROOT %r = f32[] parameter(0)\n}\n",
	}, Options{})
	list := r.Programs[0].Variants[0].Constants
	if len(list) != maxConstants || !slices.ContainsFunc(list, func(c Constant) bool { return c.Value == "0.025" }) {
		t.Errorf("%d constants are listed: %+v", len(list), list)
	}
}

// Lines of the model that lead to a kernel are those of the variant, each once.
func TestFramesOfRealDumps(t *testing.T) {
	for _, name := range []string{"cpu-scan", "cpu-noisy", "gpu-0.10-train", "tpu-v5e-sharded"} {
		for _, p := range measure(t, name, Options{}).Programs {
			v := p.Variants[0]
			seen := map[string]bool{}
			for _, l := range v.Frames() {
				if seen[l.Short()] || l.File == "" {
					t.Errorf("%s: %v is listed twice, or nowhere", name, l)
				}
				seen[l.Short()] = true
			}
			for i := range v.Kernels {
				k := &v.Kernels[i]
				own := map[string]bool{}
				for _, l := range k.Frames() {
					if own[l.Short()] = true; !seen[l.Short()] {
						t.Errorf("%s: %v of %s is not in the variant's", name, l, k.Name)
					}
				}
				if k.Source.File != "" && !own[k.Source.Short()] {
					t.Errorf("%s: %v is not among the lines of %s", name, k.Source, k.Name)
				}
			}
			for i := range v.Model {
				for _, l := range v.Model[i].Frames() {
					if !seen[l.Short()] {
						t.Errorf("%s: %v of a statement is not in the variant's", name, l)
					}
				}
			}
		}
	}
	if (*Variant)(nil).Frames() != nil {
		t.Error("nothing has lines")
	}
}

// Double precision that the compiler for TPU spells as pairs of floats counts as what the model asked for.
func TestEmulatedDoubles(t *testing.T) {
	if f := inCase(t, "tpu-f64_array").Facts; f[Dtype.Of("f64")] != 3 {
		t.Errorf("%v", f)
	}
	for name, want := range map[string]bool{"jit(f)/add": true, "jit(f)/mul": true, "": false, "jit(f)/sub": false} {
		kernels := []Kernel{{Site: &Site{OpName: "jit(f)/add"}, Ops: []FusedOp{{Op: &Op{OpName: "jit(f)/mul"}}, {Op: &Op{}}}}, {Site: &Site{}}}
		if got := opNames(kernels)[name]; got != want {
			t.Errorf("%q is a name of kernels: %v", name, got)
		}
	}
}

// What each pass left of a module, and which of them changed it.
func TestPassesThatChanged(t *testing.T) {
	r := measureDump(t, "../../testdata/dumps/passes.tar.xz", Options{AllStages: true, Passes: true})
	if len(r.Passes) != 1 || len(r.Passes[0].Stages) != 25 {
		t.Fatalf("%+v", r.Passes)
	}
	stages, changed := r.Passes[0].Stages, ""
	for i := range stages[1:] {
		if s := &stages[i+1]; s.Changed(&stages[i]) {
			changed += s.Label[:4] + " "
		}
	}
	if changed != "0013 0014 0016 0017 0018 0019 0020 " {
		t.Errorf("the stages %sdiffer from those before them", changed)
	}
}
