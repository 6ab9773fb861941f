package rule

import (
	"slices"
	"strings"
	"testing"
)

// Settings without globs cover everything; a framework's numbered graphs go by their common name, too.
func TestCovers(t *testing.T) {
	for _, c := range []struct {
		targets, programs []string
		target, program   string
		want              bool
	}{
		{nil, nil, "t", "f", true},
		{[]string{"mlp/*"}, nil, "mlp/cpu", "f", true},
		{[]string{"mlp/*"}, nil, "gpt/cpu", "f", false},
		{nil, []string{"train_*"}, "t", "train_step", true},
		{nil, []string{"train_*"}, "t", "eval_step", false},
		{nil, []string{"a", "b"}, "t", "b", true},
		{nil, []string{"f"}, "t", "*", true}, // the target as a whole has no name to fit
		{[]string{"other"}, nil, "t", "*", false},
		{nil, []string{"SyncTensorsGraph"}, "t", "SyncTensorsGraph-2", true},
		{nil, []string{"SyncTensorsGraph-2"}, "t", "SyncTensorsGraph", false},
		{nil, []string{"step"}, "t", "step-2", true},
		{nil, []string{"__call__"}, "t", "Encoder.__call__", true},
		{nil, []string{"Encoder.*"}, "t", "Encoder.__call__-2", true},
		{nil, []string{"Encoder.__call__"}, "t", "Decoder.__call__", false},
		{nil, []string{"Encoder"}, "t", "Encoder.__call__", false},
	} {
		s := Settings{Targets: c.targets, Programs: c.programs}
		if got := s.Covers(c.target, c.program); got != c.want {
			t.Errorf("%q of %q cover %s of %s: %v", c.programs, c.targets, c.program, c.target, got)
		}
	}
}

// An entry for all programs of a name leaves those that another entry names in full.
func TestLeaveOthers(t *testing.T) {
	r := &Rule{ID: "max-kernels"}
	all := &Settings{Rule: r, Programs: []string{"SyncTensorsGraph*"}}
	second := &Settings{Rule: r, Programs: []string{"SyncTensorsGraph-2"}}
	shared := &Settings{Rule: r, Programs: []string{"SyncTensorsGraph"}}
	spelled := &Settings{Rule: r, Programs: []string{"step"}}
	call := &Settings{Rule: r, Programs: []string{"__call__"}}
	encoder := &Settings{Rule: r, Programs: []string{"Encoder.__call__"}}
	elsewhere := &Settings{Rule: r, Targets: []string{"t2"}, Programs: []string{"SyncTensorsGraph-4"}}
	LeaveOthers([]*Settings{all, second, shared, spelled, call, encoder, elsewhere})
	for _, c := range []struct {
		of      *Settings
		program string
		want    bool
	}{
		{all, "SyncTensorsGraph-2", true}, // the glob names it itself
		{all, "SyncTensorsGraph-3", true},
		{shared, "SyncTensorsGraph-2", false},
		{shared, "SyncTensorsGraph-3", true},
		{shared, "SyncTensorsGraph-4", true}, // only another target has an entry for it
		{second, "SyncTensorsGraph-2", true},
		{shared, "SyncTensorsGraph", true},
		{spelled, "step", true},
		{call, "Encoder.__call__", false},
		{call, "Decoder.__call__", true},
	} {
		if got := c.of.Covers("t", c.program); got != c.want {
			t.Errorf("%q cover %s: %v", c.of.Programs, c.program, got)
		}
	}
}

// Which settings compare with the baseline: those that say so and, without a bound, those of a rule that does by itself.
func TestNeedsBaseline(t *testing.T) {
	one := 1.0
	counting := &Rule{Budget: &Metric{Noun: "kernels"}}
	for name, c := range map[string]struct {
		rule *Rule
		set  Settings
		want bool
	}{
		"no bound":                          {counting, Settings{}, true},
		"max":                               {counting, Settings{Limits: Limits{Max: &one}}, false},
		"max_increase":                      {counting, Settings{Limits: Limits{MaxIncrease: &Change{}}}, true},
		"max and max_decrease":              {counting, Settings{Limits: Limits{Max: &one, MaxDecrease: &Change{}}}, true},
		"what is forbidden":                 {&Rule{Budget: &Metric{}, Forbids: true}, Settings{}, false},
		"an option of its own bounds it":    {&Rule{Budget: &Metric{}, Bounds: []string{"pin"}}, Settings{Options: map[string]any{"pin": "x"}}, false},
		"that option is not set":            {&Rule{Budget: &Metric{}, Bounds: []string{"pin"}}, Settings{}, true},
		"differences":                       {&Rule{Budget: &Metric{Difference: true}}, Settings{Limits: Limits{Max: &one}}, true},
		"differences from an option":        {&Rule{Budget: &Metric{Difference: true}, Bounds: []string{"pin"}}, Settings{Options: map[string]any{"pin": "x"}}, false},
		"a switch that compares":            {&Rule{Budget: &Metric{}, Options: []Option{{Key: "new_only", Type: Switch, Compares: true}}}, Settings{Limits: Limits{Max: &one}, Options: map[string]any{"new_only": true}}, true},
		"the switch is off":                 {&Rule{Budget: &Metric{}, Options: []Option{{Key: "new_only", Type: Switch, Compares: true}}}, Settings{Limits: Limits{Max: &one}, Options: map[string]any{"new_only": false}}, false},
		"it counts nothing":                 {&Rule{}, Settings{}, false},
		"it counts nothing but reads facts": {&Rule{Reads: []Input{Optimized, Baseline}}, Settings{}, true},
	} {
		c.set.Rule = c.rule
		if got := c.set.NeedsBaseline(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// An option that is not set has its default; one of another type is as if it were not set.
func TestValuesOfOptions(t *testing.T) {
	r := &Rule{ID: "r", Level: "warning", Options: []Option{
		{Key: "dtypes", Type: Words, Default: []string{"f64"}}, {Key: "min_bytes", Type: Size}, {Key: "strict", Type: Switch, Default: true}, {Key: "note", Type: Text, Default: "none"},
		{Key: "config", Type: Pairs}, {Key: "fusions", Type: Table},
	}}
	s := &Settings{Rule: r, Options: map[string]any{
		"min_bytes": 4096.0, "strict": false, "config": map[string]string{"a": "b"}, "fusions": []Entry{{Values: map[string]any{"min": 2.0, "name": "softmax", "contains": []string{"reduce"}}}},
	}}
	n, set := s.Number("min_bytes")
	if n != 4096 || !set || s.On("strict") || s.Text("note") != "none" || !slices.Equal(s.List("dtypes"), []string{"f64"}) || s.Pairs("config")["a"] != "b" {
		t.Errorf("%v %v, %v, %q, %q, %v", n, set, s.On("strict"), s.Text("note"), s.List("dtypes"), s.Pairs("config"))
	}
	if _, set := s.Number("strict"); set || s.Text("min_bytes") != "" || s.List("note") != nil || s.On("missing") {
		t.Error("an option of another type is taken for one")
	}
	e := s.Entries("fusions")[0]
	if least, set := e.Number("min"); least != 2 || !set || e.Text("name") != "softmax" || !slices.Equal(e.List("contains"), []string{"reduce"}) || e.Pairs("name") != nil {
		t.Errorf("%+v", e)
	}
	if s.Severity() != "warning" {
		t.Errorf("the level is %s", s.Severity())
	}
	if s.Level = "info"; s.Severity() != "info" {
		t.Errorf("the level is %s", s.Severity())
	}
	if (&Settings{Rule: &Rule{}}).Severity() != "error" {
		t.Error("a rule without a level is no error")
	}
}

// Each difference of settings shows in their terms.
func TestTerms(t *testing.T) {
	base := func() *Settings {
		return &Settings{Rule: &Rule{}, Name: "n", Level: "info", Limits: Limits{Max: new(3.0), MaxIncrease: &Change{5, true}}, Options: map[string]any{"allow": []string{"a"}}}
	}
	seen := map[string]string{base().Terms(): "as they are"}
	for name, change := range map[string]func(*Settings){
		"the name":      func(s *Settings) { s.Name = "m" },
		"a program":     func(s *Settings) { s.Programs = []string{"f"} },
		"a target":      func(s *Settings) { s.Targets = []string{"t"} },
		"max":           func(s *Settings) { s.Max = new(4.0) },
		"no max":        func(s *Settings) { s.Max = nil },
		"min":           func(s *Settings) { s.Min = new(3.0) },
		"equal":         func(s *Settings) { s.Equal = new(3.0) },
		"no percentage": func(s *Settings) { s.MaxIncrease = &Change{5, false} },
		"a decrease":    func(s *Settings) { s.MaxDecrease = &Change{5, true} },
		"an option":     func(s *Settings) { s.Options["allow"] = []string{"b"} },
		"a table":       func(s *Settings) { s.Options["allow"] = []Entry{{Values: map[string]any{"x": 1.0}}} },
		"another table": func(s *Settings) { s.Options["allow"] = []Entry{{Values: map[string]any{"x": 2.0}}} },
		"more options":  func(s *Settings) { s.Options["deny"] = true },
	} {
		s := base()
		change(s)
		if other, same := seen[s.Terms()]; same {
			t.Errorf("%s and %s read alike: %s", name, other, s.Terms())
		}
		seen[s.Terms()] = name
	}
	if a, b := base(), base(); a.Terms() != b.Terms() {
		t.Error("equal settings read differently")
	}
	moved := base()
	if moved.Place, moved.Reason = "x:1:2", "because"; moved.Terms() != base().Terms() || strings.Contains(moved.Terms(), "x:1:2") {
		t.Error("the place is part of the terms")
	}
}

// Settings by name are found among thousands as if all were asked; more than one that cover a program are told from one.
func TestSeveral(t *testing.T) {
	var b ByProgram
	b.Add(&Settings{Programs: []string{"f", "g"}}, &Settings{Programs: []string{"f"}, Targets: []string{"t"}}, &Settings{Programs: []string{"h*"}})
	for _, c := range []struct {
		target, program string
		one, several    bool
	}{
		{"t", "f", true, true}, {"u", "f", true, false}, {"t", "g", true, false}, {"t", "hh", true, false}, {"t", "x", false, false}, {"t", "*", false, false},
	} {
		if one, several := b.Covers(c.target, c.program), b.Several(c.target, c.program); one != c.one || several != c.several {
			t.Errorf("%s of %s: covered %v, by several %v", c.program, c.target, one, several)
		}
	}
}
