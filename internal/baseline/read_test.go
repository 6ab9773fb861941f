package baseline

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/xlagate/xlagate/internal/facts"
)

// agreed reads a file straight and as YAML. It fails where the straight way made of it what YAML does not, and reports whether
// that way was taken at all.
func agreed(t interface {
	Helper()
	Fatalf(string, ...any)
}, text string) bool {
	t.Helper()
	straight, ok := read([]byte(text))
	if !ok {
		return false
	}
	yaml := &fileDoc{}
	if err := decode("f.yaml", []byte(text), yaml); err != nil {
		t.Fatalf("read straight, but %v\n%s", err, text)
	}
	if diff := cmp.Diff(yaml, straight); diff != "" {
		t.Fatalf("not as YAML reads it: %s\n%s", diff, text)
	}
	return true
}

// written are baselines of all kinds: what the examples hold, and what is written of the real dumps.
func written(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{"full": fullText}
	err := filepath.WalkDir("../../examples", func(name string, e fs.DirEntry, err error) error {
		if err != nil || !strings.Contains(name, ".xlagate/") || e.IsDir() || e.Name() == graphsFile {
			return err
		}
		data, err := os.ReadFile(name)
		texts[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	dumps, err := filepath.Glob("../../testdata/*-*/*.tar.xz")
	if err != nil {
		t.Fatal(err)
	}
	for _, dump := range dumps {
		r := measured(t, strings.TrimPrefix(dump, "../../testdata/"))
		for _, p := range r.Programs {
			texts[dump+" "+p.Name] = string(Format("model/cpu", &Program{Program: *p, Toolchain: r.Toolchain}))
		}
	}
	return texts
}

// Whatever lies in repositories and whatever is written of real dumps is read straight.
func TestReadAsYAMLDoes(t *testing.T) {
	texts := written(t)
	for name, text := range texts {
		if !agreed(t, text) {
			t.Errorf("%s is not read straight", name)
		}
	}
	if len(texts) < 80 {
		t.Errorf("only %d baselines", len(texts))
	}
}

// So is what no dump has held yet.
func TestReadWhateverIsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		if text := string(Format("модель/cpu", anyProgram(t))); !agreed(t, text) {
			t.Fatalf("not read straight:\n%s", text)
		}
	})
}

func anyProgram(t *rapid.T) *Program {
	text := func() string { return rapid.String().Draw(t, "text") }
	texts := func() []string { return rapid.SliceOfN(rapid.String(), 0, 3).Draw(t, "texts") }
	yes := func() bool { return rapid.Bool().Draw(t, "yes") }
	whole := func() int64 { return rapid.Int64().Draw(t, "whole") }
	key := rapid.String().Filter(func(s string) bool { return s != "<<" }) // YAML's own, and left to it
	counts := func() map[string]int {
		return rapid.MapOfN(key, rapid.IntRange(1, 1000), 0, 3).Draw(t, "counts")
	}
	named := func() map[string]string {
		return rapid.MapOfN(key, rapid.String(), 0, 3).Draw(t, "named")
	}
	v := &facts.Variant{
		Signature: text(), Result: text(), Fingerprint: text(), InputPrint: text(), Unstable: texts(), ModelAfter: yes(), Modules: texts(),
		Params:    []facts.Parameter{{Name: text(), Shape: text(), Layout: text(), Sharding: text(), Spec: text(), Bytes: whole(), Aliased: yes(), Donated: yes(), Unused: yes(), Constant: text()}},
		Outputs:   []facts.Output{{Shape: text(), Split: text(), Sharding: text(), Spec: text(), Bytes: whole()}},
		Facts:     facts.Values{facts.ID(key.Draw(t, "key")): 0 + rapid.Float64Range(-1e20, 1e20).Draw(t, "fact"), facts.ID(key.Draw(t, "key")): float64(whole())},
		Constants: []facts.Constant{{Shape: text(), Bytes: whole(), Value: text(), OpName: text()}},
		Buffers:   []facts.Buffer{{Bytes: whole(), Shape: text(), OpName: text()}},
		Model:     []facts.Statement{{Scope: text(), Type: text(), Do: texts()}},
		Kernels: []facts.Kernel{{
			Form: &facts.Form{
				Kind: text(), Do: facts.OpcodesOf(texts()...), Root: text(), Out: text(), In: facts.ShapesOf(texts()...), Target: text(), Attrs: text(), Bytes: whole(), Flops: whole(), Fusion: yes(), Class: facts.ClassCopy,
				Groups: text(), Axes: text(), Length: int64(rapid.IntRange(0, 99).Draw(t, "length")), Print: text(), Family: text(), Function: text(), Config: texts(), Written: counts(),
			},
			Site: &facts.Site{OpName: text(), OpType: text(), Times: whole(), Loop: text(), InLoop: yes(), InEntry: yes()},
		}},
	}
	return &Program{
		Reason: text(), Toolchain: facts.Toolchain{Framework: text(), Backend: text(), Device: text(), Versions: named(), Flags: named()},
		Program: facts.Program{Name: text(), Variants: []*facts.Variant{v, {Signature: text()}}},
	}
}

// pieces are what YAML means something by, or refuses.
var pieces = []string{
	"", " ", "  ", "\t", "\n", "\r", "\r\n", "\x00", "\x7f", "\x85", "\u0085", "\u00a0", "\u2028", "\ufeff", "\ufffe", "\U0010ffff", "\xff", "é", "#", " # c", "# c\n", "---\n", "...\n", "%YAML 1.2\n",
	"&a ", "*a", "!!str ", "!!int ", "! ", "|", ">", "|\n", "'", `"`, `\`, `\\`, `\"`, `\/`, `\n`, `\x41`, `\u0041`, `\u0000`, `\ud800`, `\ufffe`, `\u00A0`, "\\u0_0", "@", "`", "%",
	"<<", "<<: ", "? ", "- ", "-", ": ", ":", ", ", ",", "{", "}", "[", "]", "{}", "[]", "~", "null", "true", "no", "y", "0", "00", "-0", "010", "0x1", "0b1", "0o7", "1_0", "1e3", "1.", ".5", "+1", ".nan", "-.inf",
	"9223372036854775807", "9223372036854775808", "18446744073709551616", "2027-01-01", "1:30", "key: value\n", "bytes: 1, ", "unknown: x, ", "times: 2", strings.Repeat("k", 1100),
}

// mutated is a text with one thing in it changed.
func mutated(random *rand.Rand, text string) string {
	a, b := random.IntN(len(text)), random.IntN(len(text))
	a, b = min(a, b), max(a, b)
	lines := strings.SplitAfter(text, "\n")
	line := random.IntN(len(lines))
	near := min(len(text), a+random.IntN(4))
	switch random.IntN(6) {
	case 0:
		return text[:a] + text[near:]
	case 1:
		return text[:a] + pieces[random.IntN(len(pieces))] + text[near:]
	case 2:
		return text[:b] + text[a:near] + text[b:]
	case 3:
		return strings.Join(slices.Insert(lines, line, lines[random.IntN(len(lines))]), "")
	case 4:
		return strings.Join(slices.Delete(lines, line, line+1), "")
	}
	return text[:a] + string(rune(random.IntN(256))) + text[near:]
}

// A file in which somebody changed something is read as YAML reads it, or left to YAML.
func TestReadOfWhatWasEdited(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	straight := 0
	for range 8_000 {
		text := mutated(random, fullText)
		if random.IntN(2) == 0 {
			text = mutated(random, text)
		}
		if agreed(t, text) {
			straight++
		}
	}
	if straight < 500 {
		t.Errorf("only %d were read straight", straight)
	}
}

// What Format does not write is YAML's to judge.
func TestReadDeclines(t *testing.T) {
	for old, edited := range map[string]string{
		"# m/cpu":               "# m\t/cpu",
		"baseline/v1":           "baseline/v2",
		"program: ":             "Program: ",
		"reason: first":         "reason: 'first'",
		"framework: jax":        "framework: jax # c",
		"backend: gpu":          "backend: y",
		`"NVIDIA`:               `"\x4eVIDIA`,
		"H100 80GB":             "H100\t80GB",
		"compiles: 3":           "compiles: 03",
		"cost.flops: 1.5":       "cost.flops: 1.",
		"kernels.total: 2":      "kernels.total: -0",
		"memory.temp_bytes":     "kernels.total",
		"model_after: true":     "model_after: false",
		"do: [add, tanh]":       "do: [add tanh]",
		"kind: loop, ":          "kind: loop ",
		"times: 2}":             "times: 2, when: 1}",
		"{math.exp: 2}":         `{"` + strings.Repeat(`\u0001`, 200) + `": 2}`, // YAML takes no key that is spelled so long
		"body: {math.exp: 2}":   "body: {math.exp: 2, math.exp: 2}",
		"class: library}\n":     "class: library}",
		"class: library}":       "class: library} ",
		"xla_a:":                `"<<":`,
		"    input: ff00\n":     "    input: ff00\r\n",
		"    unstable:\n":       "    unstable:\n\n",
		"signature: \"(x: f32":  "signature: \"(x:\n f32",
		"kernels.total: 2\n   ": "kernels.total: " + strings.Repeat("9", 400) + "\n   ",
	} {
		text := strings.Replace(fullText, old, edited, 1)
		if text == fullText {
			t.Errorf("%q stands nowhere", old)
		}
		if _, ok := read([]byte(text)); ok {
			t.Errorf("%q is read straight", edited)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(fullText))
	random := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		f.Add([]byte(mutated(random, fullText)))
	}
	f.Fuzz(func(t *testing.T, data []byte) { agreed(t, string(data)) })
}
