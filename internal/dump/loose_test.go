package dump

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCompilerIR stores the stages of one compile under names that people give them, all stages in one directory: they are one module.
func TestCompilerIR(t *testing.T) {
	stages := map[string][]byte{}
	for _, stage := range irWords {
		stages[stage] = content(t, "testdata/tf-compiler-ir.tar.xz", "dense."+stage)
	}
	for what, name := range map[string]func(stage string) string{
		"the stage alone":    func(stage string) string { return stage + ".txt" },
		"the program before": func(stage string) string { return "dense-" + stage + ".txt" },
		"the program after":  func(stage string) string { return stage + "_dense.pb" },
		"no extension":       func(stage string) string { return "dense." + stage },
		"names of other words": func(stage string) string {
			return map[bool]string{true: "final", false: "first"}[stage == "optimized_hlo"]
		},
	} {
		dir := t.TempDir()
		for stage, data := range stages {
			if what != "names of other words" || stage == "optimized_hlo" || stage == "hlo" {
				write(t, filepath.Join(dir, name(stage)), data)
			}
		}
		d := open(t, dir)
		if len(d.Modules) != 1 || d.Modules[0].Unoptimized() == nil || d.Modules[0].Stage(StageAfter) == nil || len(d.Problems) > 0 {
			t.Errorf("%s: %s", what, describe(d))
		}
	}
}

// An unoptimized module that is alone is never taken for the final one, whatever it is called.
func TestUnoptimizedAlone(t *testing.T) {
	for _, stage := range []string{"hlo", "hlo_serialized", "hlo_no_metadata"} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "step"), content(t, "testdata/tf-compiler-ir.tar.xz", "dense."+stage))
		d := open(t, dir)
		if len(d.Modules) != 1 || d.Modules[0].Optimized() != nil || len(d.Problems) != 1 || !strings.Contains(d.Problems[0].Message, "not optimized") {
			t.Errorf("%s: %s", stage, describe(d))
		}
	}
}

// Two compiles of one program are two modules, even where one of them could be the other's first stage.
func TestTwoCompilesOfOneName(t *testing.T) {
	dir := t.TempDir()
	for name, stage := range map[string]string{"small": "optimized_hlo", "large": "optimized_hlo", "given": "hlo"} {
		write(t, filepath.Join(dir, name), content(t, "testdata/tf-compiler-ir.tar.xz", "dense."+stage))
	}
	if d := open(t, dir); len(d.Modules) != 3 || len(d.Problems) != 1 {
		t.Error(describe(d))
	}
}

// A file that is named by itself may hold what XLA's parser takes as well: a module without header, or one instruction.
func TestWrittenByHand(t *testing.T) {
	for text, modules := range map[string]int{
		"ENTRY e { ROOT p = f32[] parameter(0) }\n":  1,
		"e {\n  ROOT p = f32[] parameter(0)\n}\n":    1,
		"ROOT n = f32[4] negate(f32[4] p)\n":         1,
		"hello (world)\n":                            0,
		"# Notes\n\n\tn = f32[4] negate(f32[4] p)\n": 0,
	} {
		for _, name := range []string{"given.txt", "given.hlo"} {
			dir := t.TempDir()
			path := filepath.Join(dir, name)
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			for path, want := range map[string]int{path: modules, dir: 0} {
				d, err := Open(t.Context(), path, Options{})
				if err != nil {
					t.Fatal(err)
				}
				if len(d.Modules) != want || (len(d.Problems) == 0) != (want == 1) {
					t.Errorf("%q in %s: %d modules, problems %v", text, path, len(d.Modules), d.Problems)
				}
				if err := d.Close(); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// TensorFlow's proto with the buffer assignment holds a module as well, from before the optimization: it stands for it where nothing else was stored.
func TestBuffersAlone(t *testing.T) {
	dir := t.TempDir()
	const name = "dense.optimized_hlo_proto_serialized"
	write(t, filepath.Join(dir, name), content(t, "testdata/tf-compiler-ir.tar.xz", name))
	d := open(t, dir)
	if len(d.Modules) != 1 || d.Modules[0].Unoptimized() == nil || d.Modules[0].Optimized() != nil || len(d.Modules[0].Companions) > 0 {
		t.Error(describe(d))
	}
}
