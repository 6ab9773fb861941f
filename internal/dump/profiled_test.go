package dump

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/testfile"
)

// runDir is a run directory of the profiler with what a real run of JAX left in it, and other files.
func runDir(t *testing.T, root, run string, files map[string][]byte) string {
	t.Helper()
	dir := filepath.Join(root, "plugins", "profile", run)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func profiledTrain(t *testing.T) []byte {
	return testfile.Unpack(t, "../logs/testdata/train.xplane.pb.gz")
}

func openDir(t *testing.T, path string) *Dump {
	t.Helper()
	d, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// finalNames lists the modules with a final stage.
func finalNames(d *Dump) (names []string) {
	for _, m := range d.Modules {
		if m.Stage(StageAfter) != nil {
			names = append(names, m.ID)
		}
	}
	return names
}

func TestProfileHoldsModules(t *testing.T) {
	root := t.TempDir()
	runDir(t, root, "r1", map[string][]byte{"a.xplane.pb": profiledTrain(t), "b.xplane.pb": profiledTrain(t)}) // two hosts of one run
	d := openDir(t, root)
	names := finalNames(d)
	if len(d.Problems) > 0 || len(names) != 1 || !strings.HasPrefix(names[0], "jit_train_step(") {
		t.Fatalf("modules %q, problems %v", names, d.Problems)
	}
	if len(d.Traces) != 2 {
		t.Errorf("%d traces", len(d.Traces))
	}
}

// What XProf made of a profile is read in its place, and says the same.
func TestProfileModulesInFiles(t *testing.T) {
	root := t.TempDir()
	runDir(t, root, "r1", map[string][]byte{"a.xplane.pb": profiledTrain(t)})
	first := openDir(t, root)
	files := map[string][]byte{noModuleProfiled: nil, "a.xplane.pb": profiledTrain(t)}
	for _, m := range first.Modules {
		data, release, err := m.Stages[0].File(KindHLOProto).Bytes()
		if err != nil {
			t.Fatal(err)
		}
		files[m.ID+profiledEnd] = append([]byte{}, data...)
		if err := release(); err != nil {
			t.Fatal(err)
		}
	}
	split := t.TempDir()
	runDir(t, split, "r2", files)
	d := openDir(t, split)
	if got, want := finalNames(d), finalNames(first); len(d.Problems) > 0 || len(want) == 0 || strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("modules %q, wanted %q; problems %v", got, want, d.Problems)
	}
	if path := d.Modules[0].Stages[0].File(KindHLOProto).Path; strings.Contains(path, "!") {
		t.Errorf("read from %s", path)
	}
}

func TestProfileRefused(t *testing.T) {
	train := profiledTrain(t)
	for what, make := range map[string]func(root string){
		"2 runs of the profiler": func(root string) {
			runDir(t, root, "r1", map[string][]byte{"a.xplane.pb": train})
			runDir(t, root, "r2", map[string][]byte{"a.xplane.pb": train})
		},
		"the profile cannot be read": func(root string) { runDir(t, root, "r1", map[string][]byte{"a.xplane.pb": train[:len(train)/2]}) },
		"no HLO module": func(root string) {
			runDir(t, root, "r1", map[string][]byte{noModuleProfiled: nil})
		},
	} {
		root := t.TempDir()
		make(root)
		d := openDir(t, root)
		said := ""
		for _, p := range d.Problems {
			said += p.Message + "\n"
		}
		if !strings.Contains(said, what) {
			t.Errorf("wanted %q, problems %q", what, said)
		}
	}
}
