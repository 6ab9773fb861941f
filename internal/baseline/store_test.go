package baseline

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/xlagate/xlagate/internal/facts"
)

// filed is a store of programs without kernels, by the names of their readable files.
func filed(programs map[string]string) fstest.MapFS {
	store := fstest.MapFS{}
	for name, program := range programs {
		p := &Program{Program: facts.Program{Name: program, Variants: []*facts.Variant{{Signature: "()", Facts: facts.Values{"kernels.total": 1}, Origin: facts.Origin{Modules: []string{"m"}}}}}}
		text := Format("m", p)
		store[name] = &fstest.MapFile{Data: text.Readable}
		store[strings.TrimSuffix(name, readableExt)+machineExt] = &fstest.MapFile{Data: text.Machine}
	}
	return store
}

// Programs come by name, whatever their files are called; folders and other files are passed over.
func TestLoadReadsAFolder(t *testing.T) {
	store := filed(map[string]string{
		"m/cpu/zeta.yaml": "zeta", "m/cpu/alpha.yaml": "alpha", "m/cpu/%3Cl%3E.yaml": "<l>", "m/cpu/deep/beta.yaml": "beta", "m/cpu/odd.yaml/x.yaml": "odd",
	})
	store["m/cpu/README.md"] = &fstest.MapFile{Data: []byte("x")}
	set, err := Load(store, "m/cpu")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range set.Programs {
		names = append(names, p.Name)
	}
	if !slices.Equal(names, []string{"<l>", "alpha", "zeta"}) || set.Target != "m/cpu" || set.Graphs != nil {
		t.Errorf("%v of %s", names, set.Target)
	}
}

// Of several files that are wrong the first is told of, whichever was read first.
func TestFirstWrongFileIsToldOf(t *testing.T) {
	store := fstest.MapFS{}
	for _, name := range strings.Split("qwertyuiop", "") {
		store["m/"+name+".yaml"] = &fstest.MapFile{Data: []byte("schema: " + name)}
	}
	for range 20 {
		if _, err := Load(store, "m"); err == nil || !strings.HasPrefix(err.Error(), "m/e.yaml:1:1: ") {
			t.Fatalf("%v", err)
		}
	}
}

// A repository may hold links. One to a device is refused, not read: it has no end.
func TestLinkToADevice(t *testing.T) {
	for _, ext := range []string{readableExt, machineExt} {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "m"), 0o700); err != nil {
			t.Fatal(err)
		}
		text := Format("m", &Program{Program: facts.Program{Name: "f", Variants: []*facts.Variant{{Signature: "()"}}}})
		for name, data := range map[string][]byte{"f" + readableExt: text.Readable, "f" + machineExt: text.Machine} {
			if err := os.WriteFile(filepath.Join(dir, "m", name), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := Load(os.DirFS(dir), "m"); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(os.Remove(filepath.Join(dir, "m", "f"+ext)), os.Symlink("/dev/zero", filepath.Join(dir, "m", "f"+ext))); err != nil {
			t.Skip(err)
		}
		if _, err := Load(os.DirFS(dir), "m"); err == nil || !strings.Contains(err.Error(), "it is no regular file") {
			t.Errorf("f%s: %v", ext, err)
		}
	}
}

func TestTargetWithoutPrograms(t *testing.T) {
	for name, store := range map[string]fstest.MapFS{
		"nothing": {}, "another target": filed(map[string]string{"n/f.yaml": "f"}), "no baseline": {"m/README.md": {}}, "only below": filed(map[string]string{"m/deep/f.yaml": "f"}),
	} {
		if set, err := Load(store, "m"); !errors.Is(err, ErrNone) || set != nil {
			t.Errorf("%s: %+v, %v", name, set, err)
		}
	}
}

// Two files that hold the baseline of one program: which of them counts would be chance.
func TestProgramInTwoFiles(t *testing.T) {
	store := filed(map[string]string{"m/f.yaml": "f"})
	store["m/copy.yaml"], store["m/copy.jsonl"] = store["m/f.yaml"], store["m/f.jsonl"]
	_, err := Load(store, "m")
	if err == nil || !strings.Contains(err.Error(), "m/copy.yaml") || !strings.Contains(err.Error(), "m/f.yaml") {
		t.Errorf("%v", err)
	}
}

// Graphs alone are a baseline too.
func TestOnlyGraphs(t *testing.T) {
	store := fstest.MapFS{"m/+graphs.yaml": {Data: formatGraphs("m", facts.Values{"clusters.count": 0})}}
	set, err := Load(store, "m")
	if err != nil || len(set.Programs) != 0 || set.Graphs == nil {
		t.Fatalf("%+v, %v", set, err)
	}
	if c := set.Report().Clusters; c == nil || !c.Ran || len(c.Clusters) != 0 {
		t.Errorf("%+v", c)
	}
	store["m/+graphs.yaml"].Data = []byte("schema: other\n")
	if _, err := Load(store, "m"); err == nil || !strings.HasPrefix(err.Error(), "m/+graphs.yaml:1:1: ") {
		t.Errorf("graphs that cannot be read: %v", err)
	}
}

func TestTargets(t *testing.T) {
	store := filed(map[string]string{"z/f.yaml": "f", "a/b/c/f.yaml": "f", "a/f.yaml": "f", "a/g.yaml": "g", "f.yaml": "f"})
	store["d/README.md"] = &fstest.MapFile{}
	if got, err := Targets(store); err != nil || !slices.Equal(got, []string{"a", "a/b/c", "z"}) {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := Targets(fstest.MapFS{}); err != nil || len(got) != 0 {
		t.Errorf("%v, %v", got, err)
	}
}

func TestFind(t *testing.T) {
	set := &Set{Programs: []*Program{{Program: facts.Program{Name: "f"}}, {Program: facts.Program{Name: "g"}}}}
	if set.Find("g") != set.Programs[1] || set.Find("h") != nil || (*Set)(nil).Find("f") != nil {
		t.Error("the wrong program was found")
	}
}

// A set looks like a dump that was measured: programs in order, and the toolchain that made them.
func TestSetAsAReport(t *testing.T) {
	chain := facts.Toolchain{Framework: "jax"}
	set := &Set{Programs: []*Program{{Program: facts.Program{Name: "f"}, Toolchain: chain}, {Program: facts.Program{Name: "g"}, Toolchain: chain}}}
	r := set.Report()
	if len(r.Programs) != 2 || r.Programs[1].Name != "g" || r.Toolchain.Framework != "jax" || r.Clusters != nil {
		t.Errorf("%+v", r)
	}
}
