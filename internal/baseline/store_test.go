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

// filed is a store of programs without kernels, by the names of their files.
func filed(programs map[string]string) fstest.MapFS {
	store := fstest.MapFS{}
	for name, program := range programs {
		p := &Program{Program: facts.Program{Name: program, Variants: []*facts.Variant{{Signature: "()", Facts: facts.Values{"kernels.total": 1}, Origin: facts.Origin{Modules: []string{"m"}}}}}}
		store[name] = &fstest.MapFile{Data: Format(p, nil, "")}
	}
	return store
}

// Programs come by name, whatever their files are called; folders and other files are passed over.
func TestLoadReadsAFolder(t *testing.T) {
	store := filed(map[string]string{
		"m/cpu/zeta.jsonl": "zeta", "m/cpu/alpha.jsonl": "alpha", "m/cpu/%3Cl%3E.jsonl": "<l>", "m/cpu/deep/beta.jsonl": "beta", "m/cpu/odd.jsonl/x.jsonl": "odd",
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
		store["m/"+name+".jsonl"] = &fstest.MapFile{Data: []byte(name)}
	}
	for range 20 {
		if _, err := Load(store, "m"); err == nil || !strings.HasPrefix(err.Error(), "m/e.jsonl:1:1: ") {
			t.Fatalf("%v", err)
		}
	}
}

// A repository may hold links. One to a device is refused, not read: it has no end.
func TestLinkToADevice(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "m"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/zero", filepath.Join(dir, "m", "f"+ext)); err != nil {
		t.Skip(err)
	}
	if _, err := Load(os.DirFS(dir), "m"); err == nil || !strings.Contains(err.Error(), "it is no regular file") {
		t.Errorf("%v", err)
	}
}

func TestTargetWithoutPrograms(t *testing.T) {
	for name, store := range map[string]fstest.MapFS{
		"nothing": {}, "another target": filed(map[string]string{"n/f.jsonl": "f"}), "no baseline": {"m/README.md": {}}, "only below": filed(map[string]string{"m/deep/f.jsonl": "f"}),
	} {
		if set, err := Load(store, "m"); !errors.Is(err, ErrNone) || set != nil {
			t.Errorf("%s: %+v, %v", name, set, err)
		}
	}
}

// Two files that hold the baseline of one program: which of them counts would be chance.
func TestProgramInTwoFiles(t *testing.T) {
	store := filed(map[string]string{"m/f.jsonl": "f"})
	store["m/copy.jsonl"] = store["m/f.jsonl"]
	_, err := Load(store, "m")
	if err == nil || !strings.Contains(err.Error(), "m/copy.jsonl") || !strings.Contains(err.Error(), "m/f.jsonl") {
		t.Errorf("%v", err)
	}
}

// Graphs alone are a baseline too.
func TestOnlyGraphs(t *testing.T) {
	store := fstest.MapFS{"m/+graphs.jsonl": {Data: formatGraphs(facts.Values{"clusters.count": 0})}}
	set, err := Load(store, "m")
	if err != nil || len(set.Programs) != 0 || set.Graphs == nil {
		t.Fatalf("%+v, %v", set, err)
	}
	if c := set.Report().Clusters; c == nil || !c.Ran || len(c.Clusters) != 0 {
		t.Errorf("%+v", c)
	}
	store["m/+graphs.jsonl"].Data = []byte("other\n")
	if _, err := Load(store, "m"); err == nil || !strings.HasPrefix(err.Error(), "m/+graphs.jsonl:1:1: ") {
		t.Errorf("graphs that cannot be read: %v", err)
	}
}

func TestTargets(t *testing.T) {
	store := filed(map[string]string{"z/f.jsonl": "f", "a/b/c/f.jsonl": "f", "a/f.jsonl": "f", "a/g.jsonl": "g", "f.jsonl": "f"})
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
