package baseline

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

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
			text := Format(&Program{Program: *p, Toolchain: r.Toolchain}, nil, `because "it" is: so`)
			back, err := Parse("x.jsonl", text)
			if err != nil {
				t.Fatalf("%s: %v\n%s", name, err, text)
			}
			if again := Format(back, nil, ""); !bytes.Equal(again, text) {
				t.Errorf("%s: written differently the second time:\n%s", name, cmp.Diff(string(text), string(again)))
			}
			for i, v := range p.Variants {
				if diff := cmp.Diff(v.Facts, back.Variants[i].Facts); diff != "" {
					t.Errorf("%s: facts: %s", name, diff)
				}
				if diff := cmp.Diff(v.Params, back.Variants[i].Params, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(facts.Parameter{}, "Given")); diff != "" {
					t.Errorf("%s: arguments: %s", name, diff)
				}
				if len(v.Kernels) != len(back.Variants[i].Kernels) {
					t.Errorf("%s: %d kernels became %d", name, len(v.Kernels), len(back.Variants[i].Kernels))
				}
			}
		}
	}
}

// A variant that is stored is the one that was measured, though its fingerprint is not stored.
func TestStoredVariantsAreIdentified(t *testing.T) {
	for _, name := range realDumps {
		fresh := measured(t, name)
		set := &Set{}
		for _, p := range fresh.Programs {
			back, err := Parse("x", Format(&Program{Program: *p, Toolchain: fresh.Toolchain}, nil, ""))
			if err != nil {
				t.Fatal(err)
			}
			set.add(back)
		}
		stored := set.Report()
		facts.Identify(stored, fresh)
		for i, p := range fresh.Programs {
			for j, v := range p.Variants {
				if s := stored.Programs[i].Variants[j]; s.Fingerprint != v.Fingerprint || s.InputPrint != v.InputPrint {
					t.Errorf("%s %s: %s %s became %s %s", name, v.Signature, v.Fingerprint, v.InputPrint, s.Fingerprint, s.InputPrint)
				}
			}
		}
	}
}

// What follows from the kernels and from the parts of counts is no line: a change of one kernel is a change of its lines. Nor is anything that moves from run
// to run.
func TestWhatFollowsIsNoLine(t *testing.T) {
	for _, name := range realDumps {
		r := measured(t, name)
		for _, p := range r.Programs {
			text := string(Format(&Program{Program: *p, Toolchain: r.Toolchain}, nil, ""))
			for _, total := range []string{`{"fact":{"kernels.`, `{"fact":{"fusions.`, `{"fact":{"instructions.`, `{"fact":{"dtypes.`, `{"fact":{"cost.`, `{"fact":{"copies.`, `{"fact":{"price.`, `{"fact":{"memory.peak`, "module_0", "stack_frame", "20" + "26-"} {
				if at := strings.Index(text, total); at >= 0 {
					t.Errorf("%s %s: %.100s", name, p.Name, text[at:])
				}
			}
		}
	}
}

// Any text, as odd as dumps are, comes back as it was.
func TestTextRoundTrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		p := &Program{}
		p.Name = "p"
		p.Variants = []*facts.Variant{{Signature: "s" + text, Facts: facts.Values{facts.ID("a" + text): 1}, Compiled: facts.Compiled{Constants: []facts.Constant{{Shape: "f32[]", Value: text, Bytes: 4}}, Kernels: []facts.Kernel{{Form: &facts.Form{Kind: "loop"}, Site: &facts.Site{OpName: text, Times: 1, InEntry: true}}}}, Interface: facts.Interface{Result: text, Params: []facts.Parameter{{Name: text, Shape: "f32[]"}}}, Origin: facts.Origin{Modules: []string{"m"}}}}
		back, err := Parse("x", Format(p, nil, ""))
		if err != nil {
			t.Fatalf("%v\n%s", err, Format(p, nil, ""))
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
	if got := FileName(plain); got != plain+".jsonl" {
		t.Errorf("%s is stored as %s", plain, got)
	}
	for name, want := range map[string]string{"aux": "%61ux.jsonl", "NUL.1": "%4EUL.1%-e.jsonl", "com1": "%63om1.jsonl", "auxiliary": "auxiliary.jsonl", "com": "com.jsonl"} {
		if got := FileName(name); got != want {
			t.Errorf("%s is stored as %s, want %s", name, got, want)
		}
	}
	longest := strings.Repeat("a", longestName-len(".jsonl"))
	if got := FileName(longest); got != longest+".jsonl" || len(FileName(longest+"a")) != longestName {
		t.Errorf("a name that just fits is stored as %s, the next as %s", got, FileName(longest+"a"))
	}
}

// macOS and Windows take two names that differ only in case for one. The name of a program's file does not depend on what other programs there are.
func TestFileNamesThatDifferOnlyInCase(t *testing.T) {
	for name, want := range map[string]string{
		"step": "step.jsonl", "Step": "Step%-8.jsonl", "STEP": "STEP%-f.jsonl", "sTep": "sTep%-4.jsonl", "SyncTensorsGraph": "SyncTensorsGraph%-881.jsonl", "a_b.c-D": "a_b.c-D%-1.jsonl",
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
		p, err := Parse("f.jsonl", data)
		if err != nil {
			return err
		}
		text := Format(p, nil, "")
		again, err := Parse("f.jsonl", text)
		if err != nil {
			t.Errorf("what was read cannot be written and read again: %v", err)
		} else if second := Format(again, nil, ""); !bytes.Equal(second, text) {
			t.Errorf("what is written differs the second time:\n%s\n%s", text, second)
		}
		return nil
	}, Format(full(), nil, ""))
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
		written := Save(e, "a/b", "first", p)
		graphs := SaveGraphs(e, "a/b", facts.Values{"clusters.count": 2, "unclustered.AsString": 1})
		commit(t, e)
		return append(written, graphs...)
	}
	if got := accept(); !slices.Equal(got, []string{"a/b/train_step.jsonl", "a/b/+graphs.jsonl"}) {
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
	// train_step.jsonl
	// %3Clambda%3E.jsonl
}
