package report

import (
	"testing"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/result"
)

// The command that a rule says names the dump that was checked, unless its path is more than a path to a shell.
func TestFixNamesTheDump(t *testing.T) {
	for dump, want := range map[string]string{
		"build/xla-1": "`xlagate inspect build/xla-1 -o a.html`", "$(rm -r x)": "`xlagate inspect DUMP -o a.html`", "-x": "`xlagate inspect DUMP -o a.html`", "": "`xlagate inspect DUMP -o a.html`",
	} {
		c := result.Change{ID: "1", Target: "t", Program: "f"}
		r := index(&result.Result{
			Targets: []result.Target{{Name: "s", Dump: "other"}, {Name: "t", Dump: dump}}, Changes: []result.Change{c},
			Findings: []result.Finding{{Change: "1", Rule: "max-peak-bytes", Target: "t", Program: "f", Level: "error"}},
		})
		r.doc = func(string) result.RuleDoc { return result.RuleDoc{Fix: "`xlagate inspect DUMP -o a.html`"} }
		if got := r.fix(&c); got != want {
			t.Errorf("%q: %s", dump, got)
		}
	}
}

// The fix is that of the rule against the type that the title names.
func TestFixOfAType(t *testing.T) {
	for title, want := range map[string]string{"w: f32 → f64": "no-dtype", "w: f32 → s64": "results-kept"} {
		c := result.Change{ID: "1", Edit: result.Edit{Title: title}}
		r := index(&result.Result{Changes: []result.Change{c}, Findings: []result.Finding{
			{Change: "1", Rule: "results-kept", Subject: "results", Level: "error"}, {Change: "1", Rule: "dtype-floor", Level: "error"}, {Change: "1", Rule: "no-dtype", Subject: "f64", Level: "error"},
		}})
		r.doc = func(rule string) result.RuleDoc { return result.RuleDoc{Fix: rule} }
		if got := r.fix(&c); got != want {
			t.Errorf("%s: %s", title, got)
		}
	}
}

// The rule that found what the title names comes before the one against changes of that kind, and a guarantee of another program comes last.
func TestFixOfWhatTheTitleNames(t *testing.T) {
	for title, want := range map[string]string{"aten::nonzero has no lowering to XLA": "no-cpu-fallback", "compiled again: n: 1 → 2": "no-recompilation", "p5: f32[12] → f32[48]": "max-peak-bytes"} {
		c := result.Change{ID: "1", Program: "step", Edit: result.Edit{Title: title, Kind: changes.KindArguments}, Others: []result.Other{{Program: "init"}}}
		found := []result.Finding{
			{Change: "1", Program: "init", Rule: "orphan-baseline", Level: "error"},
			{Change: "1", Program: "step", Rule: "max-peak-bytes", Level: "error", Actual: 20.0, Baseline: 10.0},
		}
		if want != "max-peak-bytes" {
			found = append(found, result.Finding{Change: "1", Program: "step", Rule: "no-recompilation", Level: "error"},
				result.Finding{Change: "1", Rule: "no-cpu-fallback", Subject: "aten::nonzero", Level: "error"})
		}
		r := index(&result.Result{Changes: []result.Change{c}, Findings: found})
		r.doc = func(rule string) result.RuleDoc { return result.RuleDoc{Fix: rule} }
		if got := r.fix(&c); got != want {
			t.Errorf("%s: %s, wanted %s", title, got, want)
		}
	}
}

// Of time and memory the fix is that of the one that grew most. An info is only asked where no error is.
func TestFixOfBudgets(t *testing.T) {
	c := result.Change{ID: "1", Edit: result.Edit{Title: "3 new kernels"}}
	r := index(&result.Result{Changes: []result.Change{c}, Findings: []result.Finding{
		{Change: "1", Rule: "max-code-bytes", Level: "info", Actual: 9.0, Baseline: 1.0},
		{Change: "1", Rule: "max-peak-bytes", Level: "error", Actual: 11.0, Limit: 10.0, Baseline: 10.0},
		{Change: "1", Rule: "max-step-time", Level: "error", Actual: 15.0, Limit: 14.0, Baseline: 10.0},
	}})
	r.doc = func(rule string) result.RuleDoc { return result.RuleDoc{Fix: rule} }
	if got := r.fix(&c); got != "max-step-time" {
		t.Error(got)
	}
}
