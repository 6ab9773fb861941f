package facts

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/xlagate/xlagate/internal/dump"
)

// stagesOf copies the stages of a real compilation into a directory, under the names that name gives them; "" leaves one out.
func stagesOf(t *testing.T, archive, dir string, name func(*dump.Stage) string) {
	t.Helper()
	d, err := dump.Open(t.Context(), filepath.Join("../../testdata/dumps", archive), dump.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for i := range d.Modules[0].Stages {
		s := &d.Modules[0].Stages[i]
		to := name(s)
		if to == "" {
			continue
		}
		data, release, err := s.HLO().Bytes()
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, to), data, 0o600)
		}
		if err != nil || release() != nil {
			t.Fatal(err)
		}
	}
}

// byPasses are the names that a back end gives to what it dumps of a module.
func byPasses(module, extension string, before bool) func(*dump.Stage) string {
	return func(s *dump.Stage) string {
		if s.Kind != dump.StagePass && (s.Kind != dump.StageBefore || !before) {
			return ""
		}
		return module + "." + s.Label + "." + extension
	}
}

// graphcores are the names that Graphcore's fork of XLA gives them, which leave out the module's.
func graphcores(module, extension string, before bool) func(*dump.Stage) string {
	usual := byPasses(module, extension, before)
	return func(s *dump.Stage) string {
		if s.Kind != dump.StagePass {
			return usual(s)
		}
		return fmt.Sprintf("%s.%04d.IPU.after_%s.before_%s.%s", module, s.Pass.Number, s.Pass.After, s.Pass.Before, extension)
	}
}

// A back end that dumps passes only did not fail to compile: the last of them is measured, and it is said that it is not the end.
func TestPassesOnly(t *testing.T) {
	for _, names := range []func(module, extension string, before bool) func(*dump.Stage) string{byPasses, graphcores} {
		for _, before := range []bool{false, true} {
			dir := t.TempDir()
			stagesOf(t, "passes.tar.xz", dir, names("module_0003", "txt", before))
			stagesOf(t, "passes-proto.tar.xz", dir, names("module_0012", "hlo.pb", before))
			r := measureDump(t, dir, Options{})
			if len(r.Programs) != 2 || len(r.Problems) > 0 {
				t.Fatalf("%d programs, problems %v", len(r.Programs), r.Problems)
			}
			for i, want := range []struct {
				name    string
				kernels float64
			}{{"branchy", 9}, {"newton", 1}} {
				p := r.Programs[i]
				v := p.Variants[0]
				if p.Name != want.name || v.Facts["kernels.total"] != want.kernels || (v.InputPrint != "") != before {
					t.Errorf("%s: %v, input %q", p.Name, v.Facts, v.InputPrint)
				}
				if v.Reached != "before pass apply-xla-transforms" || p.Main != (want.name == "branchy") {
					t.Errorf("%s: measured %q, the main program: %v", p.Name, v.Reached, p.Main)
				}
			}
		}
	}
}

// Where the names of files name no module, the headers tell them apart.
func TestModulesOfOneNumber(t *testing.T) {
	dir := t.TempDir()
	stagesOf(t, "passes.tar.xz", dir, graphcores("module_0003", "txt", false))
	stagesOf(t, "passes-proto.tar.xz", dir, graphcores("module_0003", "hlo.pb", false))
	r := measureDump(t, dir, Options{})
	if len(r.Programs) != 2 || r.Programs[0].Name != "branchy" || r.Programs[1].Name != "newton" {
		t.Errorf("%d programs", len(r.Programs))
	}
	if len(r.Problems) != 1 {
		t.Errorf("that one number stands for two modules is told %d times: %v", len(r.Problems), r.Problems)
	}
}

// A module that has an end is measured there, whatever passes were dumped.
func TestPassesBeforeTheEnd(t *testing.T) {
	for _, archive := range []string{"passes.tar.xz", "passes-proto.tar.xz"} {
		r := measureDump(t, filepath.Join("../../testdata/dumps", archive), Options{})
		if v := r.Programs[0].Variants[0]; v.Reached != "" {
			t.Errorf("%s was measured %s", archive, v.Reached)
		}
	}
}
