package report

import (
	"encoding/xml"
	"fmt"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/result"
)

// suites are the test suites of a result as a reader of JUnit's form sees them.
func suites(t *testing.T, r *result.Result) junitSuites {
	t.Helper()
	var all junitSuites
	if err := xml.Unmarshal([]byte(written(t, r, "junit")), &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// names spells suites and cases: "target: a b; other: c".
func names(all junitSuites) string {
	var out []string
	for _, s := range all.Suites {
		var cases []string
		for _, c := range s.Cases {
			cases = append(cases, c.Name)
		}
		out = append(out, s.Name+": "+strings.Join(cases, ", "))
	}
	return strings.Join(out, "; ")
}

// breaks adds a change that breaks rules, and returns it.
func breaks(r *result.Result, target, program, level string, rules ...string) *result.Change {
	c := result.Change{ID: fmt.Sprintf("%012x", len(r.Changes)), Level: level, Target: target, Program: program, Edit: result.Edit{Kind: changes.KindUnknown, Title: "t"}}
	for _, rule := range rules {
		f := result.Finding{ID: fmt.Sprintf("f%011x", len(r.Findings)), Change: c.ID, Rule: rule, Level: level, Target: target, Program: program, Message: "m"}
		c.Findings, r.Findings = append(c.Findings, f.ID), append(r.Findings, f)
	}
	r.Changes = append(r.Changes, c)
	return &r.Changes[len(r.Changes)-1]
}

// A program in which nothing is broken is a test that passed; one with a change that breaks a rule is not told of twice.
func TestProgramsAreTests(t *testing.T) {
	r := &result.Result{
		Targets: []result.Target{{Name: "a", Programs: []result.Program{{Name: "f"}, {Name: "g"}}}, {Name: "b", Programs: []result.Program{{Name: "f"}}}},
	}
	breaks(r, "a", "f", "error", "max-kernels", "max-copies")
	breaks(r, "a", "g", "info")
	if got := names(suites(t, r)); got != "a: f: max-kernels, max-copies, g; b: f" {
		t.Error(got)
	}
}

// A test has the same name from commit to commit: its lines may shift, and it may break one rule more.
func TestNamesOfTests(t *testing.T) {
	for _, c := range []struct {
		source result.Source
		want   string
	}{
		{result.Source{File: "train.py", Line: 7, Function: "loss"}, "a: f: code at train.py in loss"}, {result.Source{File: "train.py", Line: 8, Function: "loss"}, "a: f: code at train.py in loss"},
		{result.Source{File: "train.py"}, "a: f: code at train.py"}, {result.Source{}, "a: f: max-kernels"},
	} {
		r := &result.Result{}
		added := breaks(r, "a", "f", "error", "max-kernels")
		added.Kind, added.Source = changes.KindCode, c.source
		if got := names(suites(t, r)); got != c.want {
			t.Errorf("%q, wanted %q", got, c.want)
		}
	}
}

// What belongs to no target of the result is not lost: it is in a suite of its own.
func TestChangesOfNoTarget(t *testing.T) {
	r := &result.Result{
		Targets:  []result.Target{{Name: "a"}},
		Problems: []result.Problem{{Target: "late", Rule: "target-ran", File: "x", Message: "m"}, {Message: "no rule"}},
	}
	breaks(r, "", "", "error", "waiver-valid")
	breaks(r, "gone", "f", "error", "max-kernels")
	all := suites(t, r)
	if got := names(all); got != "a: ; late: target-ran: x; xlagate: checked: , waiver-valid; gone: f: max-kernels" {
		t.Error(got)
	}
	if all.Tests != 4 || all.Failures != 2 || all.Errors != 2 {
		t.Errorf("%d tests, %d failures, %d errors", all.Tests, all.Failures, all.Errors)
	}
}

// Warnings fail where the gate was told so: it failed, and there is no error.
func TestWarningsThatFail(t *testing.T) {
	for _, c := range []struct {
		verdict string
		errors  int
		want    bool
	}{{"fail", 0, true}, {"fail", 1, false}, {"pass", 0, false}, {"incomplete", 0, false}} {
		r := &result.Result{Verdict: c.verdict, Summary: result.Summary{Errors: c.errors, Warnings: 1}}
		breaks(r, "", "", "warning", "r")
		if got := suites(t, r).Failures == 1; got != c.want {
			t.Errorf("%+v: fails %v", c, got)
		}
	}
	r := &result.Result{Verdict: "pass"}
	breaks(r, "", "", "warning", "r")
	if c := suites(t, r).Suites[0].Cases[0]; c.Failure != nil || c.Out != "t\nbreaks r: m" {
		t.Errorf("%+v", c)
	}
}

// A change that was waived is a test that was skipped, and says by whose leave.
func TestWaivedIsSkipped(t *testing.T) {
	r := &result.Result{}
	waived := breaks(r, "", "", "error", "r")
	waived.Waived, waived.Waiver = true, &result.Waiver{Reason: "known", Owner: "@ml", Expires: "2027-01-01"}
	c := suites(t, r).Suites[0].Cases[0]
	if c.Skipped == nil || c.Failure != nil || c.Skipped.Message != "waived: known, @ml, until 2027-01-01" {
		t.Errorf("%+v", c)
	}
}

// Of a change that was waived in part the rest is told.
func TestWaivedInPart(t *testing.T) {
	r := &result.Result{}
	breaks(r, "", "", "error", "known-rule", "other-rule")
	r.Findings[0].Waived, r.Findings[0].Waiver = true, &result.Waiver{Reason: "known"}
	c := suites(t, r).Suites[0].Cases[0]
	if c.Name != "other-rule" || c.Failure == nil || c.Failure.Text != "breaks known-rule: m; waived: known\nbreaks other-rule: m" {
		t.Errorf("%+v", c)
	}
}

// What a suite was run on is told of, as far as it is known.
func TestPropertiesOfASuite(t *testing.T) {
	r := &result.Result{Targets: []result.Target{{Name: "a", Dump: "build/xla", NotCovered: []string{"x", "y"}}}}
	s := suites(t, r).Suites[0]
	if s.Properties == nil || len(s.Properties.List) != 2 || s.Properties.List[0] != (junitProperty{"dump", "build/xla"}) || s.Properties.List[1] != (junitProperty{"not covered", "x; y"}) {
		t.Errorf("%+v", s.Properties)
	}
}
