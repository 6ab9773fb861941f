package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/xlagate/xlagate/internal/facts"
)

// anyJSON draws a value of any form.
func anyJSON(depth int) *rapid.Generator[any] {
	kinds := []*rapid.Generator[any]{
		rapid.String().AsAny(), rapid.StringMatching(`["\\\\{}\\[\\],: \n]*`).AsAny(), rapid.Int().AsAny(), rapid.Bool().AsAny(), rapid.Just[any](nil),
	}
	if depth > 0 {
		inner := rapid.Deferred(func() *rapid.Generator[any] { return anyJSON(depth - 1) })
		kinds = append(kinds, rapid.SliceOfN(inner, 0, 4).AsAny(), rapid.MapOfN(rapid.String(), inner, 0, 4).AsAny())
	}
	return rapid.OneOf(kinds...)
}

// What comes in pieces of any length leaves as json.Indent would indent it whole.
func TestIndenter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src, err := json.Marshal(anyJSON(3).Draw(t, "value"))
		if err != nil {
			t.Fatal(err)
		}
		var want, got bytes.Buffer
		if err := json.Indent(&want, src, "", "  "); err != nil {
			t.Fatal(err)
		}
		n := &indenter{to: &got}
		for rest := src; len(rest) > 0; {
			cut := rapid.IntRange(1, len(rest)).Draw(t, "cut")
			if k, err := n.Write(rest[:cut]); k != cut || err != nil {
				t.Fatal(k, err)
			}
			rest = rest[cut:]
		}
		if err := n.flush(); err != nil || got.String() != want.String() {
			t.Errorf("%v\n%s\nwant\n%s", err, got.String(), want.String())
		}
	})
}

// A stream writes what json writes of the same value.
func TestJSONStream(t *testing.T) {
	type head struct {
		A string `json:"a"`
		B []int  `json:"b"`
	}
	type tail struct {
		C *int            `json:"c,omitempty"`
		D map[string]head `json:"d,omitempty"`
	}
	type whole struct {
		head
		List  []head `json:"list"`
		Empty []head `json:"empty"`
		tail
	}
	for _, v := range []whole{
		{head{"<x & y>", nil}, []head{{"p", []int{1}}, {}}, []head{}, tail{D: map[string]head{"k": {A: "}"}}}},
		{head{}, []head{}, []head{}, tail{}},
	} {
		var got, want bytes.Buffer
		enc := json.NewEncoder(&want)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		if err := enc.Encode(v); err != nil {
			t.Fatal(err)
		}
		s := newJSONStream(&got)
		s.object(func() {
			s.fields(v.head)
			listOf(s, "list", v.List, func(h *head) { s.value(h) })
			listOf(s, "empty", v.Empty, func(h *head) { s.value(h) })
			s.fields(v.tail)
		})
		if err := s.end("it"); err != nil || got.String() != want.String() {
			t.Errorf("%v\n%s\nwant\n%s", err, got.String(), want.String())
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("the disk is full") }

func TestJSONStreamFails(t *testing.T) {
	if err := writeJSON(full{}, "it", "x"); err == nil || err.Error() != "write it as JSON: the disk is full" {
		t.Error(err)
	}
	s := newJSONStream(&bytes.Buffer{})
	s.object(func() {
		s.fields(map[string]float64{"a": math.NaN()})
		s.fields(map[string]int{"b": 1})
	})
	if err := s.end("it"); err == nil {
		t.Error("what is no number was written")
	}
}

// A fact that is no number is an error, as it would be anywhere else in JSON.
func TestAmounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.Float64().Draw(t, "value")
		want, failed := json.Marshal(map[string]float64{"a": value})
		var l jsonLines
		l.amount("a", value)
		if got := "{" + strings.ReplaceAll(strings.TrimSpace(string(l.out)), " ", "") + "}"; (l.err == nil) != (failed == nil) || failed == nil && got != string(want) {
			t.Errorf("%s, expected %s: %v", got, want, l.err)
		}
	})
	variant := &facts.Variant{Facts: facts.Numbers{"a": math.NaN()}}
	dump := &facts.Report{Programs: []*facts.Program{{Variants: []*facts.Variant{variant}}}}
	if err := Inspect(io.Discard, dump, "json", Options{}); err == nil {
		t.Error("what is no number was written")
	}
	if err := Inspect(full{}, dump, "json", Options{}); err == nil {
		t.Error("the disk is full, and nobody says so")
	}
}
