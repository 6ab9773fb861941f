package result

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func good() Result {
	return Result{Schema: Schema, Verdict: "fail", ExitCode: 1, Summary: Summary{Errors: 1, Checks: 3, Targets: 1},
		Targets:  []Target{{Name: "mlp/cpu", NotCovered: []string{}, Programs: []Program{{Name: "train_step", Variants: []Variant{{Signature: "(x: f32[8])", Facts: map[string]float64{"kernels.total": 3}}}}}}},
		Findings: []Finding{{ID: "a3f8c21b9d04", Rule: "max-kernels", Level: "error", Target: "mlp/cpu", Program: "train_step", Message: "3 kernels", Actual: 3.0, Limit: "two"}}}
}

func TestReadHostile(t *testing.T) {
	many := func(n int) []Finding {
		list := make([]Finding, n)
		for i := range list {
			list[i] = good().Findings[0]
			list[i].ID = fmt.Sprintf("%012x", i)
		}
		return list
	}
	for what, change := range map[string]func(*Result){
		"another schema":              func(r *Result) { r.Schema = "xlagate.result/v2" },
		"another verdict":             func(r *Result) { r.Verdict = "fine" },
		"a target above":              func(r *Result) { r.Targets[0].Name = "../../.github/workflows" },
		"an absolute target":          func(r *Result) { r.Targets[0].Name = "/etc" },
		"a target that is the root":   func(r *Result) { r.Targets[0].Name = "." },
		"a target with an empty part": func(r *Result) { r.Targets[0].Name = "a//b" },
		"a part":                      func(r *Result) { r.Targets[0].Part = &Part{Shard: "0/2"} },
		"an id that is a flag":        func(r *Result) { r.Findings[0].ID = "--only" },
		"an id in upper case":         func(r *Result) { r.Findings[0].ID = "A3F8C21B9D04" },
		"another level":               func(r *Result) { r.Findings[0].Level = "fatal" },
		"an amount that is a tree":    func(r *Result) { r.Findings[0].Actual = map[string]any{"a": []any{1.0}} },
		"a long name":                 func(r *Result) { r.Findings[0].Program = strings.Repeat("x", maxName+1) },
		"a long message":              func(r *Result) { r.Findings[0].Message = strings.Repeat("x", maxText+1) },
		"too many findings":           func(r *Result) { r.Findings = many(maxFindings + 1) },
		"too many targets":            func(r *Result) { r.Targets = make([]Target, maxTargets+1) },
		"less than nothing":           func(r *Result) { r.Summary.Errors = -1 },
	} {
		r := good()
		change(&r)
		data, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Read(data); err == nil {
			t.Errorf("%s is read", what)
		}
	}
	r := good()
	r.Findings = many(10_000)
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Read(data); err != nil || len(got.Findings) != 10_000 {
		t.Errorf("10,000 findings: %v", err)
	}
}

func TestReadJSON(t *testing.T) {
	data, err := json.Marshal(good())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Read(data); err != nil {
		t.Errorf("a good one: %v", err)
	}
	for what, text := range map[string]string{
		"nothing":          "",
		"null":             "null",
		"Markdown":         "# all clear",
		"an unknown field": strings.Replace(string(data), `{"schema"`, `{"markdown":"hi","schema"`, 1),
		"one deep inside":  strings.Replace(string(data), `"rule":`, `"html":"<b>","rule":`, 1),
		"something behind": string(data) + "{}",
		"a nest":           strings.Repeat("[", 200_000),
	} {
		if _, err := Read([]byte(text)); err == nil {
			t.Errorf("%s is read", what)
		}
	}
}

func FuzzRead(f *testing.F) {
	data, err := json.Marshal(good())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		if r, err := Read(data); err == nil {
			for _, target := range r.Targets {
				if strings.Contains(target.Name, "..") && !ValidTarget(target.Name) {
					t.Error(target.Name)
				}
			}
		}
	})
}
