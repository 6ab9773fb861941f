package facts

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/logs"
)

// What an H100 ran in command buffers, of which its profile names the functions alone, is told to be kernels of the module.
func TestProfileOfCommandBuffers(t *testing.T) {
	d, err := dump.Open(context.Background(), "testdata/gpu-h100-buffers.tar.xz", dump.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	r, err := Measure(context.Background(), d, Options{Profiles: []string{"../logs/testdata/h100.xplane.pb.gz"}})
	if err != nil || r.Profile == nil {
		t.Fatal(err, r.Problems)
	}
	runs := 0
	for _, h := range r.Profile.Hot {
		if h.Kernel == nil && h.Name != "MemcpyD2D" {
			t.Errorf("%s is no kernel of the module", h.Name)
		}
		runs += h.Count
	}
	v := r.Programs[0].Variants[0]
	conditions := v.Facts[LoopsWhile] // count once, and XLA does not ask them where it knows how long a loop is
	if launches := int(v.Facts[KernelsWeighted] + v.Facts[CopiesCount] - conditions); runs != 3*launches {
		t.Errorf("the profile of three runs has %d launches, a run of the module %d", runs, launches)
	}
}

// A folder stands for the profiles in it, each host once.
func TestProfilesOfAFolder(t *testing.T) {
	dir := t.TempDir()
	taken := filepath.Join(dir, "plugins", "profile", "2026_11_26")
	if err := os.MkdirAll(taken, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, form := range []string{"xplane.pb.gz", "trace.json.gz"} {
		data, err := os.ReadFile("../logs/testdata/h100." + form)
		if err == nil {
			err = os.WriteFile(filepath.Join(taken, "host."+form), data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(taken, "host.memory_profile"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	r, report := &measurer{Options: Options{Profiles: []string{dir}}, dump: &dump.Dump{}}, &Report{}
	if r.addProfiles(report); report.Profile == nil || len(report.Profile.Files) != 1 || len(report.Problems) > 0 || len(report.Profile.Unknown) != 1 {
		t.Errorf("%+v, %v", report.Profile, report.Problems)
	}
	if empty := t.TempDir(); !slices.Equal(inFolders([]string{empty}), []string{empty}) {
		t.Error("a folder without profiles is left out")
	}
}

// Kernels of the same code are one function, and so one line of a profile.
func TestProfileOfAlikeKernels(t *testing.T) {
	a, b := Kernel{Form: &Form{}, Name: "add.1", Plan: &Plan{Entry: "add_1"}}, Kernel{Form: &Form{}, Name: "add.2", Plan: &Plan{Entry: "add_1"}}
	v := &Variant{Origin: Origin{Compiles: []compile{{Name: "jit_f"}}}, Compiled: Compiled{Kernels: []Kernel{a, b, {Form: &Form{}, Name: "mul.1"}}}}
	l := newProfileJoin([]*Program{{Name: "f", Variants: []*Variant{v}}})
	ran := map[string]logs.ProfiledKernel{"add_1": {Count: 4, Self: 3}, "mul_1": {Count: 1, Self: 1}, "nvjet": {Count: 1, Self: 2}}
	l.add("", &logs.Profile{Modules: map[string]*logs.ProfiledModule{"jit_f": {Functions: ran, Kernels: map[string]logs.ProfiledKernel{"mul.1": {Count: 2, Self: 1}}}}})
	hot := l.list().Hot
	if len(hot) != 3 || hot[0].Name != "add_1" || hot[0].Alike != 1 || hot[0].Kernel.Name != "add.1" || hot[0].Count != 4 {
		t.Fatalf("%+v", hot)
	}
	if library, mul := hot[2], hot[1]; mul.Name != "mul.1" || mul.Count != 3 || library.Kernel != nil || !library.Buffered {
		t.Errorf("%+v", hot)
	}
}
