package gate

import (
	"slices"
	"testing"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
	"github.com/xlagate/xlagate/rules"
)

// Each change counts once: by its level, or as one that is waived.
func TestCount(t *testing.T) {
	r := &result.Result{
		Summary: result.Summary{Checks: 7, Errors: 99},
		Targets: []result.Target{{Programs: make([]result.Program, 2)}, {Programs: make([]result.Program, 3)}},
		Changes: []result.Change{
			{Level: "error"}, {Level: "error"}, {Level: "warning"}, {Level: "info", Findings: []string{"a"}}, {Level: "info"}, {Level: "better"},
			{Level: "error", Decision: result.Decision{Waived: true}}, {Level: "info", Decision: result.Decision{Waived: true}},
		},
	}
	count(r)
	if want := (result.Summary{Changes: 8, Errors: 2, Warnings: 1, Infos: 1, Waived: 2, Checks: 7, Targets: 2, Programs: 5}); r.Summary != want {
		t.Errorf("%+v", r.Summary)
	}
}

// What the command line says goes before the configuration, and both before nothing.
func TestFailOn(t *testing.T) {
	cfg := &config.Config{FailOn: "warning"}
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{}, "error"}, {Options{Request: Request{Config: cfg}}, "warning"}, {Options{Request: Request{Config: cfg, FailOn: "never"}}, "never"}, {Options{Request: Request{FailOn: "never"}}, "never"},
	} {
		if got := failOn(c.o); got != c.want {
			t.Errorf("%+v: %s", c.o, got)
		}
	}
}

// Loose limits are told where nothing fails: errors hide them, and warnings where they fail the check.
func TestSlackComesLast(t *testing.T) {
	most := 900.0
	loose := &rule.Settings{Rule: rules.All.ByID("max-kernels"), Limits: rule.Limits{Max: &most}, Marks: map[string]rule.Mark{"max": {}}}
	for _, c := range []struct {
		level, failOn string
		waived, told  bool
	}{
		{level: "info", failOn: "error", told: true}, {level: "warning", failOn: "error", told: true}, {level: "warning", failOn: "warning"},
		{level: "error", failOn: "error"}, {level: "error", failOn: "never"}, {level: "warning", failOn: "warning", waived: true, told: true},
	} {
		r := &result.Result{
			Changes:  []result.Change{{Level: c.level, Decision: result.Decision{Waived: c.waived}}},
			Headroom: []result.Headroom{{Rule: "max-kernels", Key: "max", Limit: most, Actual: 1, Target: "t", Program: "f"}},
		}
		noteSlack(r, Options{Request: Request{Config: &config.Config{FailOn: c.failOn, Rules: []*rule.Settings{loose}}}})
		if told := len(r.Notes) == 1; told != c.told {
			t.Errorf("%+v: %+v", c, r.Notes)
		}
	}
}

// A verdict and an exit code say the same.
func TestVerdictFitsTheExitCode(t *testing.T) {
	for code, r := range map[int]*result.Result{
		ExitPass:       {Summary: result.Summary{Checks: 1, Infos: 3, Waived: 2}},
		ExitFindings:   {Summary: result.Summary{Checks: 1, Errors: 1}},
		ExitIncomplete: {Summary: result.Summary{}},
	} {
		decide(r, "error")
		if want := map[int]string{ExitPass: "pass", ExitFindings: "fail", ExitIncomplete: "incomplete"}[code]; r.ExitCode != code || r.Verdict != want {
			t.Errorf("exit %d, %s", r.ExitCode, r.Verdict)
		}
		if (code == ExitIncomplete) != (len(r.Problems) == 1) {
			t.Errorf("%s: problems %+v", r.Verdict, r.Problems)
		}
	}
}

// Ids are the first 12 digits of a hash of what is checked, and never the same twice in a result.
func TestIDsTellFindingsApart(t *testing.T) {
	f := result.Finding{Rule: "max-kernels", Target: "t", Program: "p", Subject: "kernels.total"}
	taken, seen := map[string]bool{}, map[string]bool{}
	for range 5 {
		f.ID = unique(taken, f, "")
		if len(f.ID) != 12 || seen[f.ID] {
			t.Fatalf("%s comes again", f.ID)
		}
		seen[f.ID] = true
	}
	alone := unique(map[string]bool{}, f, "")
	for name, edit := range map[string]func(*result.Finding){
		"rule": func(f *result.Finding) { f.Rule = "x" }, "target": func(f *result.Finding) { f.Target = "x" }, "program": func(f *result.Finding) { f.Program = "x" }, "subject": func(f *result.Finding) { f.Subject = "x" },
	} {
		g := f
		if edit(&g); unique(map[string]bool{}, g, "") == alone {
			t.Errorf("another %s, and the same id", name)
		}
	}
	for name, edit := range map[string]func(*result.Finding){
		"message": func(f *result.Finding) { f.Message = "x" }, "amount": func(f *result.Finding) { f.Actual = 3.0 }, "level": func(f *result.Finding) { f.Level = "info" }, "variant": func(f *result.Finding) { f.Variant = "x" },
	} {
		g := f
		if edit(&g); unique(map[string]bool{}, g, "") != alone {
			t.Errorf("another %s, and another id: it would change from commit to commit", name)
		}
	}
}

// What nothing but the rules about looking itself looks at was not judged, and is never green.
func TestNothingJudgedIsNotGreen(t *testing.T) {
	const two = "version: 1\ntargets: [{ name: a, dump: x }, { name: b, dump: y }]\n"
	for name, c := range map[string]struct {
		file string
		says []string // of each problem
	}{
		"the only rule is off":         {"version: 1\nrules: [{ rule: max-kernels, max: 100, level: off }]\n", []string{"target default is not covered: no rule checked it"}},
		"one of two targets is left":   {two + "rules: [{ rule: max-kernels, max: 100, target: a }]\n", []string{"target b is not covered: no rule checked it"}},
		"it is off for one of the two": {two + "rules: [{ rule: max-kernels, max: 100 }, { rule: max-kernels, target: b, level: off }]\n", nil},
		"both are checked":             {two + "rules: [{ rule: max-kernels, max: 100 }]\n", nil},
	} {
		o := options(t, c.file, "cpu-improved/before.tar.xz")
		if len(o.Config.Targets) > 1 {
			o.ByTarget, o.Dumps = map[string]string{"a": o.Dumps[0], "b": o.Dumps[0]}, nil
		}
		r := check(t, o)
		var says []string
		for _, p := range r.Problems {
			says = append(says, p.Message)
		}
		if !slices.Equal(says, c.says) || (r.ExitCode == ExitPass) != (len(c.says) == 0) {
			t.Errorf("%s: exit %d, %q; wanted %q", name, r.ExitCode, says, c.says)
		}
	}
}
