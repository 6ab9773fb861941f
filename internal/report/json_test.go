package report

import (
	"encoding/json"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/xlagate/xlagate/internal/facts"
)

// A fact that is not a number has no JSON form, and a full disk is reported.
func TestJSONFails(t *testing.T) {
	variant := &facts.Variant{Facts: facts.Values{"a": math.NaN()}}
	dump := &facts.Report{Programs: []*facts.Program{{Variants: []*facts.Variant{variant}}}}
	if err := Inspect.Render(io.Discard, dump, "json", Options{}); err == nil || !strings.Contains(err.Error(), "NaN") {
		t.Errorf("not a number was written: %v", err)
	}
	if err := writeJSON(fullDisk{}, "it", "x"); err == nil || !strings.HasPrefix(err.Error(), "write it as JSON: ") {
		t.Errorf("a full disk was not reported: %v", err)
	}
}

// JSON on a screen or in a log is no escape sequence, reorders nothing, and still says the same.
func TestJSONHasOnlyCharactersThatShow(t *testing.T) {
	names := []string{hostileName, hostileText, "\u009b31m\u0085\u007f\u2028\u2066\U000e0041ä…µ日"}
	var b strings.Builder
	if err := writeJSON(&b, "it", names); err != nil {
		t.Fatal(err)
	}
	if odd := strings.IndexFunc(b.String(), func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }); odd >= 0 || !strings.Contains(b.String(), "ä…µ日") {
		t.Errorf("%q", b.String())
	}
	var back []string
	if err := json.Unmarshal([]byte(b.String()), &back); err != nil || !slices.Equal(back, names) {
		t.Errorf("%v: %q", err, back)
	}
}

// JSON that is written in pieces is what it is as a whole, wherever it is cut.
func TestHarmlessInPieces(t *testing.T) {
	whole := "##[error]#[x] ##\u202e\U000e0041é#" + strings.Repeat("a", 9) + "\u200b###[b]日##"
	want := string(harmlessJSON([]byte(whole))) + "\n"
	if want == whole+"\n" || strings.Contains(want, "##[") {
		t.Fatalf("%q is not harmless", want)
	}
	for size := 1; size <= len(whole); size++ {
		var out strings.Builder
		w := &harmlessWriter{w: &out}
		for piece := range slices.Chunk([]byte(whole), size) {
			if _, err := w.Write(piece); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.end(); err != nil || out.String() != want {
			t.Errorf("in pieces of %d: %q, %v; wanted %q", size, out.String(), err, want)
		}
	}
}
