package report

import (
	"encoding/xml"
	"strings"
	"testing"

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

// A program without a finding is a test that passed; one with a finding is not told of twice.
func TestProgramsAreTests(t *testing.T) {
	r := &result.Result{
		Targets:  []result.Target{{Name: "a", Programs: []result.Program{{Name: "f"}, {Name: "g"}}}, {Name: "b", Programs: []result.Program{{Name: "f"}}}},
		Findings: []result.Finding{{Rule: "max-kernels", Level: "error", Target: "a", Program: "f", Subject: "kernels.total", Message: "m"}},
	}
	if got := names(suites(t, r)); got != "a: f max-kernels kernels.total, g; b: f" {
		t.Error(got)
	}
}

// What belongs to no target of the result is not lost: it stands in a suite of its own.
func TestFindingsOfNoTarget(t *testing.T) {
	r := &result.Result{
		Targets:  []result.Target{{Name: "a"}},
		Findings: []result.Finding{{Rule: "waiver-valid", Level: "error", Subject: "0123"}, {Rule: "max-kernels", Level: "error", Target: "gone", Program: "f"}},
		Problems: []result.Problem{{Target: "late", Rule: "target-ran", File: "x", Message: "m"}, {Message: "no rule"}},
	}
	all := suites(t, r)
	if got := names(all); got != "a: ; late: target-ran: x; xlagate: looked at: , waiver-valid 0123; gone: f max-kernels" {
		t.Error(got)
	}
	if all.Tests != 4 || all.Failures != 2 || all.Errors != 2 {
		t.Errorf("%d tests, %d failures, %d errors", all.Tests, all.Failures, all.Errors)
	}
}

// Warnings fail where the gate was told so: it failed, and there is no error.
func TestWarningsThatFail(t *testing.T) {
	warning := result.Finding{Rule: "r", Level: "warning", Message: "m"}
	for _, c := range []struct {
		verdict string
		errors  int
		want    bool
	}{{"fail", 0, true}, {"fail", 1, false}, {"pass", 0, false}, {"incomplete", 0, false}} {
		r := &result.Result{Verdict: c.verdict, Summary: result.Summary{Errors: c.errors, Warnings: 1}, Findings: []result.Finding{warning}}
		if got := suites(t, r).Failures == 1; got != c.want {
			t.Errorf("%+v: fails %v", c, got)
		}
	}
	r := &result.Result{Verdict: "pass", Findings: []result.Finding{warning}}
	if c := suites(t, r).Suites[0].Cases[0]; c.Failure != nil || !strings.HasPrefix(c.Out, "m\n") {
		t.Errorf("%+v", c)
	}
}

// A waived finding is a test that was skipped, and says by whose leave.
func TestWaivedIsSkipped(t *testing.T) {
	r := &result.Result{Findings: []result.Finding{{Rule: "r", Level: "error", Message: "m", Waived: true, Waiver: &result.Waiver{Reason: "known", Owner: "@ml", Expires: "2027-01-01"}}}}
	c := suites(t, r).Suites[0].Cases[0]
	if c.Skipped == nil || c.Failure != nil || !strings.Contains(c.Skipped.Message, "known") || !strings.Contains(c.Skipped.Message, "2027-01-01") {
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
