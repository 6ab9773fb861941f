package facts

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/dump"
)

// optimized is the optimized module of a dump with one: its file's name and bytes.
func optimized(t *testing.T, d *dump.Dump) (name string, data []byte) {
	t.Helper()
	for _, m := range d.Modules {
		for i := range m.Stages {
			f := m.Stages[i].HLO()
			if f == nil || !strings.Contains(f.Path, "after_optimizations") {
				continue
			}
			data, release, err := f.Bytes()
			if err != nil {
				t.Fatal(err)
			}
			data = append([]byte(nil), data...)
			if err := release(); err != nil {
				t.Fatal(err)
			}
			return f.Path[strings.LastIndexAny(f.Path, "!/")+1:], data
		}
	}
	t.Fatal("no optimized module")
	return "", nil
}

// alone measures a dump of one file.
func alone(t *testing.T, name string, data []byte) *Report {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
		t.Fatal(err)
	}
	return measureDir(t, dir)
}

// Wherever a module is cut off, it is a problem that names the file, and no program: never less of one.
func TestModuleCutAnywhere(t *testing.T) {
	for _, path := range []string{"testdata/cpu-while.tar.gz", "testdata/gpu-0.10-sort.tar.gz", "testdata/tpu-v5e-sharded.tar.gz", "../../testdata/cpu-fusion_callback_barrier/proto.tar.xz"} {
		name, data := optimized(t, opened(t, path))
		if r := alone(t, name, data); len(r.Problems) != 0 || len(r.Programs) != 1 {
			t.Fatalf("%s as it is: %d programs, %+v", path, len(r.Programs), r.Problems)
		}
		for n := range 16 {
			r := alone(t, name, data[:len(data)*n/16])
			if len(r.Programs)+len(r.Helpers) != 0 || len(r.Problems) == 0 {
				t.Errorf("%s, %d of 16: %d programs, %d problems", path, n, len(r.Programs), len(r.Problems))
			} else if p := r.Problems[0]; !strings.Contains(p.File, name) || p.Message == "" || p.Fix == "" {
				t.Errorf("%s, %d of 16: %+v", path, n, p)
			}
		}
	}
}

// A byte less is a module that was cut off, too: the last brace may be the one that counts.
func TestModuleCutByLittle(t *testing.T) {
	name, data := optimized(t, opened(t, "testdata/cpu-while.tar.gz"))
	text := strings.TrimRight(string(data), "\n")
	for n := 1; n <= 12; n++ {
		if r := alone(t, name, []byte(text[:len(text)-n])); len(r.Problems) == 0 || len(r.Programs) != 0 {
			t.Errorf("%q at its end: %d programs, %d problems", text[len(text)-n-8:len(text)-n], len(r.Programs), len(r.Problems))
		}
	}
}

// Junk behind a module, or before it, is not passed over.
func TestModuleWithJunk(t *testing.T) {
	name, data := optimized(t, opened(t, "testdata/cpu-while.tar.gz"))
	for what, text := range map[string]string{"behind": string(data) + "\nENTRY %twice {\n", "before": "junk\n" + string(data), "inside": strings.Replace(string(data), "ROOT", "\x00ROOT", 1)} {
		if r := alone(t, name, []byte(text)); len(r.Problems) == 0 {
			t.Errorf("%s: %d programs and no problem", what, len(r.Programs))
		}
	}
}

// A PTX file that was cut off still reads: that kernels are missing from it shows in the module and in its plan.
func TestPTXCutOff(t *testing.T) {
	const head, other = ".version 8.6\n.target sm_90a\n.address_size 64\n\n", ".visible .entry another(\n)\n{\n\tret;\n}\n"
	for _, c := range []struct{ what, ptx, says string }{
		{"nothing", "", "no PTX file of the module holds a kernel, and the module has fusions"},
		{"its header", head, "the file ends behind its header"},
		{"a kernel that is not launched", head + other, "the file holds no kernel "},
	} {
		d := opened(t, "testdata/gpu-0.10-train.tar.gz")
		name, data := optimized(t, d)
		dir := t.TempDir()
		files := map[string][]byte{name: data, name[:strings.Index(name, ".sm_")] + ".ptx": []byte(c.ptx)}
		plan := d.Modules[0].Companion(dump.KindThunks)
		err := plan.Read(func(data []byte) error {
			files[filepath.Base(strings.ReplaceAll(plan.Path, "!", "/"))] = slices.Clone(data)
			return nil
		})
		for name, data := range files {
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, name), data, 0o600)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		r := measureDir(t, dir)
		if len(r.Programs) != 1 || len(r.Problems) != 1 || !strings.Contains(r.Problems[0].Message, c.says) || !strings.HasSuffix(r.Problems[0].File, ".ptx") {
			t.Errorf("%s: %d programs, problems %+v", c.what, len(r.Programs), r.Problems)
		}
	}
}
