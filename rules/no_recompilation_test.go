package rules

import (
	"slices"
	"testing"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
)

// Arguments that differ alike, as all do that come from a checkpoint, are one sentence; those that differ otherwise are another.
func TestArgumentsThatDifferAlike(t *testing.T) {
	placed := func(name string) changes.ArgumentChange {
		return changes.ArgumentChange{Name: name, Kind: "sharding", Values: []string{"none", "{replicated}"}, Detail: "sharding"}
	}
	p := &changes.Program{New: &facts.Program{Variants: []*facts.Variant{{}}}, Recompile: []changes.ArgumentChange{
		placed("a"), {Name: "a", Kind: "shape", Values: []string{"f32[8]", "f32[9]"}, Detail: "dimension 0: 8, 9"}, placed("b"), placed("c"), placed("d"), placed("e"), placed("f"),
	}}
	want := []string{"a, b, c, d, 2 more: none → {replicated} (sharding)", "a: f32[8] → f32[9]"}
	if got := p.Differences(); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// A variant that differs in a static value is told by the value, not by the arguments that all variants share.
func TestTellingArguments(t *testing.T) {
	p := &changes.Program{New: &facts.Program{Variants: []*facts.Variant{{Signature: "(x: f32[8])"}, {Signature: "(x: f32[8])"}}}}
	if got := tellingArguments(p, 1); got != "(x: f32[8])" {
		t.Error(got)
	}
	p.Recompile = []changes.ArgumentChange{{Kind: "constant", Values: []string{"0.01", "0.009"}}}
	if got := tellingArguments(p, 1); got != "with the value 0.009" {
		t.Error(got)
	}
}
