package result_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/report"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/testfile"
)

// A result fits its schema, with every key of a change and with none of those that may be left out.
func TestResultsFitTheirSchema(t *testing.T) {
	schema, err := result.JSONSchema()
	if err != nil {
		t.Fatal(err)
	}
	s := testfile.Validator(t, schema, "")
	full := result.Change{
		ID: "3fa91c02b7d1", Level: "error", Variants: []string{"()"},
		Edit: result.Edit{
			Kind: changes.KindCode, Title: "a transpose is new", Details: []string{"a"}, OpName: "jit(f)/transpose",
			Source: result.Source{File: "train.py", Line: 9, Function: "f", Text: "x.T", Edited: true},
		},
		Price:   result.Price{StepNS: -1.5, StepWasNS: 4, PeakBytes: 8, Compilations: 1},
		Effects: []result.Effect{{Fact: "kernels.total", Was: 1, Is: 2}}, Evidence: result.Evidence{Before: []string{"a"}, After: []string{"b"}}, Findings: []string{"a3f8c21b9d04"},
		Decision: result.Decision{Accept: result.AcceptCommand(nil, "3fa91c02b7d1"), Waived: true, Waiver: &result.Waiver{Reason: "r"}},
	}
	r := &result.Result{Schema: result.Schema, Changes: []result.Change{full, {}}, Findings: []result.Finding{{Actual: 1.0, Limit: "two"}, {}}}
	var out bytes.Buffer
	if err := report.Result.Render(&out, r, "json", report.Options{}); err != nil {
		t.Fatal(err)
	}
	check := func(text string) error {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return s.Validate(v)
	}
	if err := check(out.String()); err != nil {
		t.Error(err)
	}
	for _, key := range []string{"changes", "price", "kind", "step_ns", "compilations", "effects"} {
		if check(strings.Replace(out.String(), `"`+key+`":`, `"unknown":`, 1)) == nil {
			t.Errorf("a result without %s fits", key)
		}
	}
}
