package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/webpage"
)

// random makes a result of a few targets with changes of all kinds, counted as the gate counts them.
func random(r *rand.Rand) *result.Result {
	out := &result.Result{Schema: result.Schema, Verdict: "pass", Findings: []result.Finding{}}
	for i := range 1 + r.IntN(3) {
		t := result.Target{Name: fmt.Sprintf("target%d", i), Dump: "build/xla", NotCovered: []string{}, Programs: []result.Program{}}
		for j := range r.IntN(4) {
			t.Programs = append(t.Programs, result.Program{Name: fmt.Sprintf("program%d", j), Change: "same", Variants: []result.Variant{{Signature: "()"}}})
		}
		out.Targets = append(out.Targets, t)
	}
	for i := range r.IntN(12) {
		c := result.Change{
			ID: fmt.Sprintf("%012x", i), Level: []string{"error", "warning", "info", "better"}[r.IntN(4)], Edit: result.Edit{Kind: changes.KindCode, Title: "a kernel is new"},
			Target: out.Targets[r.IntN(len(out.Targets))].Name, Program: fmt.Sprintf("program%d", r.IntN(4)),
		}
		if c.Level == "better" {
			out.Changes = append(out.Changes, c)
			continue
		}
		if c.Waived = r.IntN(4) == 0; c.Waived {
			c.Waiver = &result.Waiver{Reason: "known", Owner: "me", Expires: "2027-01-01"}
		}
		for j := range 1 + r.IntN(3) {
			f := result.Finding{ID: fmt.Sprintf("f%05x%06x", i, j), Change: c.ID, Rule: "max-kernels", Level: c.Level, Target: c.Target, Program: c.Program, Message: "too many", Waived: c.Waived, Waiver: c.Waiver}
			c.Findings, out.Findings = append(c.Findings, f.ID), append(out.Findings, f)
		}
		out.Changes = append(out.Changes, c)
	}
	summarize(out)
	return out
}

func summarize(r *result.Result) {
	r.Summary = result.Summary{Changes: len(r.Changes), Checks: 9, Targets: len(r.Targets)}
	for _, c := range r.Changes {
		switch {
		case len(c.Findings) == 0:
		case c.Waived:
			r.Summary.Waived++
		case c.Level == "error":
			r.Summary.Errors++
		case c.Level == "warning":
			r.Summary.Warnings++
		default:
			r.Summary.Infos++
		}
	}
	if r.Summary.Errors > 0 {
		r.Verdict, r.ExitCode = "fail", 1
	}
}

// written is a result in a format.
func written(t *testing.T, r *result.Result, format string) string {
	t.Helper()
	var b bytes.Buffer
	if err := Result.Render(&b, r, format, Options{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Whatever the format, it tells of as many changes of each level.
func TestFormatsAgree(t *testing.T) {
	source := rand.New(rand.NewPCG(11, 12))
	for range 60 {
		r := random(source)
		for format, count := range map[string]func(*testing.T, string) [4]int{"json": inJSON, "sarif": inSARIF, "junit": inJUnit} {
			got := count(t, written(t, r, format))
			want := [4]int{r.Summary.Errors, r.Summary.Warnings, r.Summary.Infos, r.Summary.Waived}
			if format == "junit" { // which knows failures and skipped tests only
				want[1], want[2] = 0, 0
			}
			if got != want {
				t.Fatalf("%s tells of %v, there are %v", format, got, want)
			}
		}
	}
}

func inJSON(t *testing.T, text string) (n [4]int) {
	var r result.Result
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Changes {
		if len(c.Findings) > 0 {
			n[kindOf(c.Level, c.Waived)]++
		}
	}
	return n
}

func kindOf(level string, waived bool) int {
	switch {
	case waived:
		return 3
	case level == "error":
		return 0
	case level == "warning":
		return 1
	}
	return 2
}

func inSARIF(t *testing.T, text string) (n [4]int) {
	var log struct {
		Runs []struct {
			Results []struct {
				Level        string
				Suppressions []struct{ Status string }
			}
		}
	}
	if err := json.Unmarshal([]byte(text), &log); err != nil || len(log.Runs) != 1 || log.Runs[0].Results == nil {
		t.Fatalf("%v", err)
	}
	for _, r := range log.Runs[0].Results {
		n[kindOf(r.Level, len(r.Suppressions) > 0)]++
	}
	return n
}

func inJUnit(t *testing.T, text string) (n [4]int) {
	var all junitSuites
	if err := xml.Unmarshal([]byte(text), &all); err != nil {
		t.Fatal(err)
	}
	for _, s := range all.Suites {
		failures, skipped := 0, 0
		for _, c := range s.Cases {
			if c.Failure != nil {
				failures++
			}
			if c.Skipped != nil {
				skipped++
			}
		}
		if failures != s.Failures || skipped != s.Skipped || len(s.Cases) != s.Tests {
			t.Errorf("suite %s counts %d, %d of %d, holds %d, %d of %d", s.Name, s.Failures, s.Skipped, s.Tests, failures, skipped, len(s.Cases))
		}
		n[0], n[3] = n[0]+failures, n[3]+skipped
	}
	return n
}

// The id of each change that breaks a rule is in each format that people read or type from, and so is every rule that it breaks.
func TestFormatsNameEveryChange(t *testing.T) {
	for _, format := range Result.Names() {
		text := said(t, format, written(t, failing(), format))
		for _, says := range []string{splitID, bakedID, "max-step-time", "required-fusions", "max-kernels", "max-constant-bytes", "optimization_barrier is new"} {
			if hashed := format == "codequality" && (says == splitID || says == bakedID); !hashed && !strings.Contains(text, says) {
				t.Errorf("%s does not say %s", format, says)
			}
		}
	}
}

// What could not be checked is in each format: none may look green.
func TestFormatsNameEveryProblem(t *testing.T) {
	r := incomplete()
	for _, format := range Result.Names() {
		text := said(t, format, written(t, r, format))
		for _, says := range []string{"the file ends inside an instruction", "matches no program"} {
			if !strings.Contains(text, says) {
				t.Errorf("%s does not say %q", format, says)
			}
		}
	}
}

// Rendering changes nothing of a result.
func TestRenderingChangesNothing(t *testing.T) {
	for name, r := range map[string]*result.Result{"failing": failing(), "passing": passing(), "incomplete": incomplete(), "ugly": ugly()} {
		before, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		for _, format := range Result.Names() {
			var b bytes.Buffer
			if err := Result.Render(&b, r, format, Options{Screen: Screen{Width: 80, Terminal: true, Color: true}, Options: webpage.Options{Root: "/srv/models"}}); err != nil {
				t.Fatal(err)
			}
		}
		if after, err := json.Marshal(r); err != nil || !bytes.Equal(before, after) {
			t.Errorf("%s was changed: %v", name, err)
		}
	}
}

// Rendering twice gives the same bytes: nothing hangs on the order of a map.
func TestRenderingTwice(t *testing.T) {
	for _, format := range Result.Names() {
		first := written(t, ugly(), format)
		for range 3 {
			if written(t, ugly(), format) != first {
				t.Fatalf("%s differs", format)
			}
		}
	}
}

// Without findings, targets or problems every format is still one of its kind.
func TestEmptyResult(t *testing.T) {
	r := &result.Result{Schema: result.Schema, Verdict: "incomplete", ExitCode: 3}
	for _, format := range Result.Names() {
		if text := written(t, r, format); format != "github" && text == "" {
			t.Errorf("%s says nothing", format)
		}
	}
	if n := inSARIF(t, written(t, r, "sarif")); n != [4]int{} {
		t.Errorf("%v", n)
	}
	if n := inJUnit(t, written(t, r, "junit")); n != [4]int{} {
		t.Errorf("%v", n)
	}
}

// A writer that fails is told of, in every format.
func TestFullDisk(t *testing.T) {
	for _, format := range Result.Names() {
		if err := Result.Render(fullDisk{}, failing(), format, Options{}); err == nil {
			t.Errorf("%s was written to a full disk", format)
		}
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, fmt.Errorf("no space left on device") }
