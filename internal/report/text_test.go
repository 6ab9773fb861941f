package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"unicode"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/tensorflow"
	"github.com/xlagate/xlagate/internal/webpage"
)

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"plain f32[8,64]{1,0}":   "plain f32[8,64]{1,0}",
		"a\n       b\tc":         "a b c",
		"\x1b[31mred\x1b[0m":     `\x1b[31mred\x1b[0m`,
		"\u202egnp.exe":          `\u202egnp.exe`,
		"\u200b\ufeff\U000e0041": `\u200b\ufeff\U000e0041`,
		"unicodé-层":              "unicodé-层",
		"bad \xff utf-8 \ufffd":  "bad \\xff utf-8 \ufffd",
		"##[error]x":             "# #[error]x",
		"\u00a0\u2028":           `\u00a0\u2028`,
	} {
		if got := clean(in); got != want {
			t.Errorf("clean(%q) is %q, want %q", in, got, want)
		}
	}
	if got := Message("a\x1b\n  ::error::x\n##[error]y:: z\n"); got != "a\\x1b\n\\  ::error::x\n# #[error]y:: z\n" {
		t.Errorf("Message: %q", got)
	}
	if got := cut("层层层层", 3); got != "层层…" {
		t.Errorf("cut: %s", got)
	}
}

// TestTextIsHarmless looks at every byte that reaches a terminal or the log of a runner.
func TestTextIsHarmless(t *testing.T) {
	for _, format := range []string{"text", "github", "junit", "sarif", "json", "codequality"} {
		var out bytes.Buffer
		if err := Result.Render(&out, ugly(), format, Options{Rules: documented}); err != nil {
			t.Fatal(err)
		}
		for _, r := range out.String() {
			if data := format == "json" || format == "codequality"; !data && r != '\n' && !unicode.IsPrint(r) && r != '\ufe0f' {
				t.Errorf("%s holds %U", format, r)
			}
		}
		for l := range strings.Lines(out.String()) {
			if l := strings.TrimSpace(l); format == "text" && strings.HasPrefix(l, "::") || strings.Contains(l, "##[") {
				t.Errorf("%s holds a command: %s", format, l)
			}
			if format == "github" && l != "\n" && !strings.HasPrefix(l, "::error ") && !strings.HasPrefix(l, "::warning ") && !strings.HasPrefix(l, "::notice ") {
				t.Errorf("not a command: %s", l)
			}
		}
	}
}

func TestAnnotationsAreBounded(t *testing.T) {
	r := &result.Result{}
	many(r, 14, "error")
	many(r, 12, "warning")
	many(r, 30, "info")
	many(r, 1, "better")
	r.Changes[len(r.Changes)-1].Waived = true
	var out bytes.Buffer
	if err := Result.Render(&out, r, "github", Options{}); err != nil {
		t.Fatal(err)
	}
	for command, want := range map[string]int{"::error ": 10, "::warning ": 10, "::notice ": 10} {
		if got := strings.Count("\n"+out.String(), "\n"+command); got != want {
			t.Errorf("%d of %s, want %d", got, command, want)
		}
	}
	if want := "::notice title=xlagate::27 more annotations not shown here (4 errors, 2 warnings): see the report\n"; !strings.HasSuffix(out.String(), want) {
		t.Errorf("the last line does not say what was left out:\n%s", out.String())
	}
}

func TestWidth(t *testing.T) {
	for _, width := range []int{40, 80, 120} {
		var out bytes.Buffer
		if err := Inspect.Render(&out, aDump(), "text", Options{Screen: Screen{Width: width, Terminal: true}, All: true}); err != nil {
			t.Fatal(err)
		}
		for l := range strings.Lines(out.String()) {
			if l := strings.TrimSuffix(l, "\n"); strings.Contains(l, "   ") && strings.HasSuffix(l, "…") && cells.StringWidth(l) > width {
				t.Errorf("%d cells, at most %d wanted: %s", cells.StringWidth(l), width, l)
			}
		}
	}
}

func TestWrap(t *testing.T) {
	sentence := say("Every kernel costs a launch and a round trip of its operands through memory.")
	var got []string
	for _, l := range wrapLine(sentence, 30) {
		got = append(got, l.text())
	}
	want := []string{"Every kernel costs a launch", "and a round trip of its", "operands through memory."}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("got %q, want %q", got, want)
	}
	for text, want := range map[string]string{
		"kernels 28 → 30, fusions 22 → 23":  "kernels 28 → 30,|fusions 22 → 23",
		"it takes 134 µs of the step":       "it takes 134 µs of|the step",
		"error  train.py:1: it splits here": "error  train.py:1:|it splits here",
	} {
		got = nil
		for _, l := range wrapLine(say(text), 18) {
			got = append(got, l.text())
		}
		if strings.Join(got, "|") != want {
			t.Errorf("got %q, want %q", strings.Join(got, "|"), want)
		}
	}
	got = nil
	for _, l := range wrapLine(say("intended?  ").in(name, "xlagate accept --only 3fa91c02b7d1").and(", or fix it"), 20) {
		got = append(got, l.text())
	}
	if want := "intended?|xlagate accept --only 3fa91c02b7d1,|or fix it"; strings.Join(got, "|") != want {
		t.Errorf("a command is broken: %q", got)
	}
}

func TestLongNamesOnATerminal(t *testing.T) {
	module, command := "module_0002."+strings.Repeat("cluster_", 12)+"0.2", "xlagate accept --only 3fa91c02b7d1 --reason why"
	p := page{Title: say("the module ").in(name, module), Blocks: []block{para{in(name, command)}}}
	if got, want := textOf(p, Options{Screen: Screen{Width: 40, Terminal: true}}), "the module\n  module_0002.…uster_cluster_cluster_0.2\n"+command+"\n"; got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	if got := textOf(p, Options{Screen: Screen{Width: 40}}); !strings.Contains(got, module) {
		t.Errorf("a log has lost the name: %s", got)
	}
}

// A row that has no room for its last cell stays below the others with all cells before it.
func TestRowsWithALongName(t *testing.T) {
	row := func(cells ...string) []line { return phrase.Map(cells, func(text string) line { return say(text) }) }
	b := table{Bare: true, Right: []bool{false, true}, Rows: [][]line{
		row("cluster_0", "2", "CPU:0", strings.Repeat("x", 38)), row("cluster_10", "11", "CPU:1", "y"), row("one_that_is_much_too_long", "3", "CPU:0", "z"),
	}}
	got := textOf(page{Blocks: []block{b}}, Options{Screen: Screen{Width: 42}})
	want := "cluster_0                    2   CPU:0\n    " + strings.Repeat("x", 38) + "\ncluster_10                  11   CPU:1   y\none_that_is_much_too_long    3   CPU:0   z\n"
	if got != want {
		t.Errorf("%q, wanted %q", got, want)
	}
}

func TestManyChanges(t *testing.T) {
	r := failing()
	for i := range 500 {
		put(r, fmt.Sprintf("%012x", i), "error", "too many")
	}
	text := written(t, r, "text")
	if !strings.Contains(text, "… 402 more changes; -f json lists them all") {
		t.Error("nothing says how many changes were left out")
	}
	if n := strings.Count(text, "\nerror  "); n != maxChanges-1 {
		t.Errorf("%d errors are shown beside the warning, wanted %d", n, maxChanges-1)
	}
}

func TestNumbers(t *testing.T) {
	for want, got := range map[string]string{
		"1 → 4": change("kernels.total", 1, 4), "0 B → 256 B": change("memory.temp_bytes", 0, 256), "4": change("kernels.total", 4, 4),
		"13,312 B → 13,316 B": change("memory.temp_bytes", 13312, 13316), "not dumped → 3": change("kernels.total", math.NaN(), 3),
		"19 of 19": of(19, 19, ""), "1.2 of 2.0 GiB": of(1288490189, 2<<30, "bytes"), "512 B of 1.0 KiB": of(512, 1024, "bytes"),
		"512 of 900 B": of(512, 900, "bytes"), "<1 %": percent(1, 1000), "0 %": percent(0, 10), "33 %": percent(1, 3), "": percent(1, 0),
		"1 kernel": phrase.Some(1, "kernel"), "1,204 kernels": phrase.Some(1204, "kernel"), "2 launches": phrase.Some(2, "launch"), "0 libraries": phrase.Some(0, "library"),
		"all-gather": factLabel("collectives.all-gather.count"),
		"f64 values": factLabel("dtypes.f64"), "loop kernels": factLabel("kernels.loop"), "compile time": budgetLabel("max-compile-time", "seconds"),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestShortSignature(t *testing.T) {
	long := "(p['w,0']: f32[64,128], q: (f32[2], s32[]), " + strings.Repeat("x: f32[8,64], ", 40) + "y: f32[])"
	got := distinct([]string{"(a: f32[2], b: f32[3], x: f32[8])", "(a: f32[2], b: f32[3], x: f32[16])"}, 40)
	if want := "(x: f32[8], 2 the same) (x: f32[16], 2 the same)"; strings.Join(got, " ") != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := shortShape("(" + strings.Repeat("f32[8,64], ", 8) + "s32[])"); got != "(9 arrays)" {
		t.Errorf("shape: %s", got)
	}
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{
		{"(x: f32[8,64])", 40, "(x: f32[8,64])"}, {long, 60, "(p['w,0']: f32[64,128], q: (f32[2], s32[]), … 41 more)"}, {long, 24, "(43 arguments)"},
	} {
		if got := shortSignature(c.in, c.n); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

func TestLineDiff(t *testing.T) {
	got := evidence(&result.Change{Evidence: result.Evidence{Before: []string{"a  x", "b", "c"}, After: []string{"a  x", "c", "d"}}})
	want := []string{"  a   x", "- b", "  c", "+ d"}
	if lines := listingLines(got.Lines); strings.Join(lines, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %q, want %q", lines, want)
	}
	long := make([]string, maxDiffLines+1)
	if lines := listingLines(evidence(&result.Change{Evidence: result.Evidence{Before: long}}).Lines); lines[0] != "- 50,001 lines, too many to show line by line" {
		t.Errorf("got %q", lines)
	}
}

// TestJSON: the same each time, lists never null, nothing escaped that need not be, numbers that were not dumped null.
func TestJSON(t *testing.T) {
	for name, render := range map[string]func(io.Writer) error{
		"result":  func(w io.Writer) error { return Result.Render(w, ugly(), "json", Options{}) },
		"empty":   func(w io.Writer) error { return Result.Render(w, &result.Result{}, "json", Options{}) },
		"inspect": func(w io.Writer) error { return Inspect.Render(w, aDump(), "json", Options{}) },
		"diff":    func(w io.Writer) error { return Diff.Render(w, aDiff(), "json", Options{}) },
	} {
		var one, two bytes.Buffer
		if err := render(&one); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := render(&two); err != nil || !bytes.Equal(one.Bytes(), two.Bytes()) {
			t.Errorf("%s: two renderings differ: %v", name, err)
		}
		if !json.Valid(one.Bytes()) || !bytes.HasSuffix(one.Bytes(), []byte("}\n")) {
			t.Errorf("%s: not a JSON document with a line end", name)
		}
		for _, bad := range []string{`\u003c`, `\u0026`, `findings": null`, `"targets": null`, `"variants": null`, `"modules": null`} {
			if bytes.Contains(one.Bytes(), []byte(bad)) {
				t.Errorf("%s holds %s", name, bad)
			}
		}
	}
	r := passing()
	r.Headroom[0].Actual = math.NaN()
	if err := Result.Render(io.Discard, r, "json", Options{}); err == nil || !strings.HasPrefix(err.Error(), "write the report as JSON: ") {
		t.Errorf("a number that JSON cannot hold: %v", err)
	}
}

func TestResultJSONKeepsEverything(t *testing.T) {
	var out bytes.Buffer
	if err := Result.Render(&out, ugly(), "json", Options{Options: webpage.Options{Root: "/srv"}}); err != nil {
		t.Fatal(err)
	}
	var back result.Result
	if err := json.Unmarshal(out.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if c, f := back.Changes[4], back.Findings[4]; c.Title != hostileText || c.Source.Text != hostileText || f.Message != hostileText {
		t.Errorf("the texts came back as %q, %q and %q", c.Title, c.Source.Text, f.Message)
	}
}

func TestIdentical(t *testing.T) {
	d := &changes.Report{Old: "a", New: "b", Identical: true, Programs: aDiff().Programs[:1]}
	var out bytes.Buffer
	if err := Diff.Render(&out, d, "text", Options{}); err != nil {
		t.Fatal(err)
	}
	want := "a → b\nidentical: 1 program, 1 variant, 3 kernels (names, ids, metadata and insignificant order are ignored)\n"
	if out.String() != want {
		t.Errorf("got %q", out.String())
	}
}

// Logs that were read and say nothing have no heading: one above nothing looks as if something had been lost.
func TestInspectLeavesOutSilentLogs(t *testing.T) {
	dump := aDump()
	for _, logs := range []*tensorflow.Logs{nil, {}} {
		dump.Logs = logs
		var out bytes.Buffer
		if err := Inspect.Render(&out, dump, "text", Options{}); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(out.String(), "\nlogs\n") {
			t.Errorf("%+v have a heading", logs)
		}
	}
}

// What is measured without the library has the width that the library gives it.
func TestCells(t *testing.T) {
	for _, text := range []string{"", "12.1 → 12.9 ms", usual, "層 12", "é", "e\u0301", "⚠️", "\x1b", "\xff"} {
		if l := say(text); l.width() != cells.StringWidth(l.text()) {
			t.Errorf("%q: %d cells, want %d", text, l.width(), cells.StringWidth(l.text()))
		}
	}
}
