package baseline

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/facts/factstest"
	"github.com/xlagate/xlagate/internal/fuzztest"
)

// measured is a dump of the repository's.
func measured(t *testing.T, name string) *facts.Report {
	t.Helper()
	return factstest.Measure(t, filepath.Join("../../testdata", name), facts.Options{})
}

var realDumps = []string{"cpu-donation_lost/before.tar.xz", "gpu-softmax_barrier/after.tar.xz", "tpu-intermediate_out/after.tar.xz", "tf-clusters-clean/dump.tar.xz", "recompile-jit_in_loop/dump.tar.xz"}

// What is written reads back as it was, and is written the same again.
func TestRealProgramsRoundTrip(t *testing.T) {
	for _, name := range realDumps {
		r := measured(t, name)
		for _, p := range r.Programs {
			text := Format("model/cpu", &Program{Program: *p, Toolchain: r.Toolchain, Reason: `because "it" is: so`})
			if lines := bytes.Count(text.Readable, []byte("\n")); lines > 200 {
				t.Errorf("%s: %d lines are more than anybody reads", name, lines)
			}
			back, err := Parse("x.yaml", []byte(text.String()))
			if err != nil {
				t.Fatalf("%s: %v\n%s", name, err, text)
			}
			if again := Format("model/cpu", back); again.String() != text.String() {
				t.Errorf("%s: written differently the second time:\n%s", name, cmp.Diff(text.String(), again.String()))
			}
			for i, v := range p.Variants {
				if diff := cmp.Diff(v.Facts, back.Variants[i].Facts); diff != "" {
					t.Errorf("%s: facts: %s", name, diff)
				}
				if diff := cmp.Diff(v.Params, back.Variants[i].Params, cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("%s: arguments: %s", name, diff)
				}
				if len(v.Kernels) != len(back.Variants[i].Kernels) {
					t.Errorf("%s: %d kernels became %d", name, len(v.Kernels), len(back.Variants[i].Kernels))
				}
			}
		}
	}
}

// No line of the source, module or time of the run is compared: the machine file holds none. People see the lines of what is dearest.
func TestNothingThatMovesIsCompared(t *testing.T) {
	r := measured(t, realDumps[0])
	text := Format("m", &Program{Program: *r.Programs[0], Toolchain: r.Toolchain})
	for _, moving := range []string{".py", "module_0", "stack_frame", "20" + "26-"} {
		if bytes.Contains(text.Machine, []byte(moving)) {
			t.Errorf("the machine file holds %q", moving)
		}
	}
	if !regexp.MustCompile(`(?m)^  - \{ns: \d+, launches: .*at: \['\w+\.py:\d+'`).Match(text.Readable) {
		t.Errorf("no price and line of a kernel: %s", text.Readable)
	}
}

// Any text, as odd as dumps are, comes back as it was.
func TestTextRoundTrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		p := &Program{}
		p.Name = "p"
		p.Variants = []*facts.Variant{{Signature: "s" + text, Facts: facts.Values{facts.ID("a" + text): 1}, Compiled: facts.Compiled{Constants: []facts.Constant{{Shape: "f32[]", Value: text, Bytes: 4}}, Kernels: []facts.Kernel{{Form: &facts.Form{Kind: "loop"}, Site: &facts.Site{OpName: text, Times: 1, InEntry: true}}}}, Interface: facts.Interface{Result: text, Params: []facts.Parameter{{Name: text, Shape: "f32[]"}}}, Origin: facts.Origin{Modules: []string{"m"}}}}
		back, err := Parse("x", []byte(Format("t", p).String()))
		if err != nil {
			t.Fatalf("%v\n%s", err, Format("t", p))
		}
		v := back.Variants[0]
		if v.Signature != "s"+text || v.Result != text || v.Params[0].Name != text || v.Constants[0].Value != text || v.Kernels[0].OpName != text || v.Facts[facts.ID("a"+text)] != 1 {
			t.Fatalf("%q came back as %+v", text, v)
		}
	})
}

func TestFileNamesAreSafeAndDistinct(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		long := rapid.Map(rapid.StringOfN(rapid.Rune(), 250, 260, -1), func(s string) string { return strings.Repeat("a", 200) + s })
		a, b := rapid.OneOf(rapid.String(), long).Draw(t, "a"), rapid.OneOf(rapid.String(), long).Draw(t, "b")
		if strings.ContainsAny(FileName(a), "/\\\x00 ") || strings.HasPrefix(FileName(a), ".") && a != "" && a[0] == '.' {
			t.Fatalf("%q is stored as %q", a, FileName(a))
		}
		if len(FileName(a)) > 255 {
			t.Fatalf("%q is stored under a name of %d bytes", a, len(FileName(a)))
		}
		if a != b && strings.EqualFold(FileName(a), FileName(b)) {
			t.Fatalf("%q and %q are stored as %q and %q", a, b, FileName(a), FileName(b))
		}
		if FileName(a) == graphsFile {
			t.Fatalf("%q takes the name of the graphs' file", a)
		}
	})
}

func TestFileNamesThatStay(t *testing.T) {
	const plain = "az09_-.b"
	if got := FileName(plain); got != plain+".yaml" {
		t.Errorf("%s is stored as %s", plain, got)
	}
	for name, want := range map[string]string{"aux": "%61ux.yaml", "NUL.1": "%4EUL.1%-e.yaml", "com1": "%63om1.yaml", "auxiliary": "auxiliary.yaml", "com": "com.yaml"} {
		if got := FileName(name); got != want {
			t.Errorf("%s is stored as %s, want %s", name, got, want)
		}
	}
	longest := strings.Repeat("a", longestName-len(".jsonl"))
	if got := MachineName(longest); got != longest+".jsonl" || len(MachineName(longest+"a")) != longestName {
		t.Errorf("a name that just fits is stored as %s, the next as %s", got, MachineName(longest+"a"))
	}
}

// macOS and Windows take two names that differ only in case for one. The name of a program's file does not depend on what other programs there are.
func TestFileNamesThatDifferOnlyInCase(t *testing.T) {
	for name, want := range map[string]string{
		"step": "step.yaml", "Step": "Step%-8.yaml", "STEP": "STEP%-f.yaml", "sTep": "sTep%-4.yaml", "SyncTensorsGraph": "SyncTensorsGraph%-881.yaml", "a_b.c-D": "a_b.c-D%-1.yaml",
	} {
		if got := FileName(name); got != want {
			t.Errorf("%s is stored as %s, want %s", name, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.StringMatching(`[a-zA-Z<.0-9]{1,12}([a-zA-Z]{225,245})?`).Draw(t, "a")
		flipped := []byte(a)
		for i, c := range flipped {
			if (isLower(c) || isUpper(c)) && rapid.Bool().Draw(t, "flip") {
				flipped[i] ^= 'a' - 'A'
			}
		}
		b := string(flipped)
		if a != b && strings.EqualFold(FileName(a), FileName(b)) {
			t.Fatalf("%q and %q are stored as %q and %q", a, b, FileName(a), FileName(b))
		}
	})
}

func FuzzParse(f *testing.F) {
	fuzztest.Run(f, fuzztest.Text, func(t *testing.T, data []byte) error {
		p, err := Parse("f.yaml", data)
		if err != nil {
			return err
		}
		text := Format("t", p).String()
		again, err := Parse("f.yaml", []byte(text))
		if err != nil {
			t.Errorf("what was read cannot be written and read again: %v", err)
		} else if second := Format("t", again).String(); second != text {
			t.Errorf("what is written differs the second time:\n%s\n%s", text, second)
		}
		return nil
	}, []byte(Format("t", full()).String()))
}

func TestLoadAndTargets(t *testing.T) {
	dir := t.TempDir()
	if _, err := Load(os.DirFS(dir), "a/b"); !errors.Is(err, ErrNone) {
		t.Errorf("an empty store: %v", err)
	}
	r := measured(t, realDumps[0])
	p := &Program{Program: *r.Programs[0]}
	accept := func() (changed []string) {
		e := edit(t, Place{Where: dir})
		defer e.Close()
		written, err := Save(e, "a/b", p)
		graphs, graphsErr := SaveGraphs(e, "a/b", facts.Values{"clusters.count": 2, "unclustered.AsString": 1})
		if commitErr := e.Commit(); errors.Join(err, graphsErr, commitErr) != nil {
			t.Fatal(err, graphsErr, commitErr)
		}
		return append(written, graphs...)
	}
	if got := accept(); !slices.Equal(got, []string{"a/b/train_step.yaml", "a/b/train_step.jsonl", "a/b/.gitattributes", "a/b/+graphs.yaml"}) {
		t.Errorf("it wrote %v", got)
	}
	if got := accept(); got != nil {
		t.Errorf("the same again wrote %v", got)
	}
	set, err := Load(os.DirFS(dir), "a/b")
	if err != nil || len(set.Programs) != 1 || set.Find(p.Name) == nil || set.Find("other") != nil {
		t.Fatalf("%+v, %v", set, err)
	}
	if c := set.Report().Clusters; c == nil || len(c.Clusters) != 2 || len(c.Unclustered) != 1 || c.Unclustered[0].Op != "AsString" {
		t.Errorf("clusters %+v", c)
	}
	if targets, err := Targets(os.DirFS(dir)); err != nil || len(targets) != 1 || targets[0] != "a/b" {
		t.Errorf("targets %v, %v", targets, err)
	}
}

func ExampleFileName() {
	fmt.Println(FileName("train_step"))
	fmt.Println(FileName("<lambda>"))
	// Output:
	// train_step.yaml
	// %3Clambda%3E.yaml
}

// A program that accepting would not change is what its files say, and they are not parsed. Changed files are.
func TestUnchangedProgramsAreThoseOfTheFiles(t *testing.T) {
	for _, name := range realDumps {
		store := fstest.MapFS{}
		r := measured(t, name)
		for _, p := range r.Programs {
			text := Format("model", &Program{Program: *p, Toolchain: r.Toolchain, Reason: "start"})
			store["model/"+FileName(p.Name)] = &fstest.MapFile{Data: text.Readable}
			store["model/"+MachineName(p.Name)] = &fstest.MapFile{Data: text.Machine}
		}
		parsed, err := Load(store, "model")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		beside, err := LoadBeside(store, "model", r)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i, p := range beside.Programs {
			if p.Predicted != nil {
				t.Errorf("%s: %s was parsed", name, p.Name)
			}
			p.Reason, p.Predicted = "start", parsed.Programs[i].Predicted
		}
		beside.Report().PriceAll()
		if d := cmp.Diff(parsed.Programs, beside.Programs, cmpopts.EquateEmpty(), cmp.Exporter(func(reflect.Type) bool { return true })); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		file := store["model/"+FileName(r.Programs[0].Name)]
		whole := file.Data
		file.Data = bytes.Replace(whole, []byte("\nreason: start\n"), []byte("\nreason: >\n  another\n\n  one\n"), 1)
		if set, err := LoadBeside(store, "model", r); err != nil || set.Find(r.Programs[0].Name).Predicted != nil {
			t.Errorf("%s: with another reason: %v", name, err)
		}
		file.Data = bytes.Replace(whole, []byte("\n  kernels.total: "), []byte("\n  kernels.total: 1"), 1)
		if _, err := LoadBeside(store, "model", r); err == nil {
			t.Errorf("%s: a number that was edited is as good as the one before", name)
		}
	}
}
