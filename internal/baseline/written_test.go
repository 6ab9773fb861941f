package baseline

import (
	"bytes"
	"fmt"
	"reflect"
	"testing"
)

// A file as accept writes it reads the same with and without YAML, and is read without it.
func TestAsWritten(t *testing.T) {
	for _, name := range realDumps {
		r := measured(t, name)
		for _, p := range r.Programs {
			for _, reason := range []string{"", "first, second", "it's 1: so", `"quoted" [1] {2}`, "- x", "#1", "true", "1.5", "schema: x", "…", " blanks ", "two\nlines"} {
				text := Format("model/cpu", &Program{Program: *p, Toolchain: r.Toolchain, Reason: reason})
				want, err := compared("x.yaml", "x.jsonl", text)
				if err != nil {
					t.Fatal(err)
				}
				got := asWritten("x.jsonl", text)
				switch {
				case got == nil && reason == "first, second":
					t.Errorf("%s of %s is read as YAML:\n%s", p.Name, name, text.Readable)
				case got != nil && !reflect.DeepEqual(got, want):
					t.Errorf("%s of %s, %q: without YAML it is another program", p.Name, name, reason)
				}
			}
		}
	}
}

// What is read without YAML reads the same with it, however a file was edited.
func TestEditedIsCompared(t *testing.T) {
	r := measured(t, realDumps[0])
	text := Format("model/cpu", &Program{Program: *r.Programs[0], Toolchain: r.Toolchain, Reason: "first"})
	lines, passed := bytes.SplitAfter(text.Readable, []byte("\n")), 0
	for i, line := range lines {
		for _, edited := range []string{"", string(line) + string(line), " " + string(line), string(bytes.Replace(line, []byte(": "), []byte(":  "), 1)), string(bytes.Replace(line, []byte("1"), []byte("2"), 1)), string(bytes.Replace(line, []byte("a"), []byte("b"), 1)), string(bytes.TrimSuffix(line, []byte("\n")))} {
			all := fmt.Appendf(nil, "%s%s%s", bytes.Join(lines[:i], nil), edited, bytes.Join(lines[i+1:], nil))
			got := asWritten("x.jsonl", Text{all, text.Machine})
			if got == nil {
				continue
			}
			passed++
			if want, err := compared("x.yaml", "x.jsonl", Text{all, text.Machine}); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("line %d as %q passes without YAML: %v", i+1, edited, err)
			}
		}
	}
	if passed == 0 {
		t.Error("no edit passes, not even those of the reason")
	}
}
