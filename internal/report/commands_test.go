package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/result"
)

// many adds changes of a level to a result.
func many(r *result.Result, n int, level string) {
	for i := range n {
		put(r, fmt.Sprintf("%s%d", level, i), level, "too many")
	}
}

// commands counts workflow commands by their kind.
func commands(t *testing.T, r *result.Result) map[string]int {
	t.Helper()
	out := map[string]int{}
	for text := range strings.Lines(written(t, r, "github")) {
		kind, rest, ok := strings.Cut(strings.TrimPrefix(text, "::"), " ")
		if !ok || !strings.HasPrefix(text, "::") || !strings.Contains(rest, "::") {
			t.Errorf("no workflow command: %q", text)
		}
		out[kind]++
	}
	return out
}

// The runner keeps ten of each kind: no more are written, and the rest is counted.
func TestNoMoreAnnotationsThanAreKept(t *testing.T) {
	for _, c := range []struct {
		errors, warnings, infos int
		want                    map[string]int
		says                    string
	}{
		{0, 0, 0, map[string]int{}, ""},
		{10, 10, 0, map[string]int{"error": 10, "warning": 10}, ""},
		{0, 0, 9, map[string]int{"notice": 9}, ""},
		{11, 0, 0, map[string]int{"error": 10, "notice": 1}, "1 more annotation not shown here (1 error, 0 warnings)"},
		{12, 13, 14, map[string]int{"error": 10, "warning": 10, "notice": 10}, "10 more annotations not shown here (2 errors, 3 warnings)"},
	} {
		r := &result.Result{}
		many(r, c.errors, "error")
		many(r, c.warnings, "warning")
		many(r, c.infos, "info")
		got := commands(t, r)
		if fmt.Sprint(got) != fmt.Sprint(c.want) || !strings.Contains(written(t, r, "github"), c.says) {
			t.Errorf("%d, %d, %d: %v, wanted %v", c.errors, c.warnings, c.infos, got, c.want)
		}
	}
}

// What could not be checked takes precedence over what was found.
func TestProblemsBeforeChanges(t *testing.T) {
	r := &result.Result{Problems: make([]result.Problem, 4)}
	many(r, 10, "error")
	for i := range r.Problems {
		r.Problems[i].Message = "could not read"
	}
	text := written(t, r, "github")
	if strings.Count(text, "could not read") != 4 || strings.Count(text, "::too many") != 6 || !strings.HasPrefix(text, "::error file=xlagate.yaml,title=xlagate could not check::could not read") {
		t.Error(text)
	}
}

// A change that was waived is no annotation, nor is one that breaks nothing.
func TestWhatIsNoAnnotation(t *testing.T) {
	r := &result.Result{}
	many(r, 2, "error")
	r.Changes[0].Waived, r.Changes[0].Waiver = true, &result.Waiver{}
	r.Changes[1].Findings = nil
	if got := commands(t, r); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

// A problem is beside the line of the configuration that it names, or at the configuration as a whole.
func TestPlaceInTheConfiguration(t *testing.T) {
	for place, want := range map[string]string{
		"xlagate.yaml:12:5": "file=models/xlagate.yaml,line=12", "ci/gate.yaml:3:1": "file=ci/gate.yaml,line=3", "a,b.yaml:3:1": "file=a%2Cb.yaml,line=3",
		"": "file=models/xlagate.yaml", "xlagate.yaml": "file=models/xlagate.yaml", "xlagate.yaml:x:5": "file=models/xlagate.yaml", "module.txt:118:41": "file=models/xlagate.yaml",
	} {
		var b strings.Builder
		if err := Result.Render(&b, &result.Result{Problems: []result.Problem{{File: place}}}, "github", Options{Config: "models/xlagate.yaml"}); err != nil || !strings.HasPrefix(b.String(), "::error "+want+",title=") {
			t.Errorf("%q: %q %v, wanted %q", place, b.String(), err, want)
		}
	}
}

// What is in a command cannot end it or begin another.
func TestEscapes(t *testing.T) {
	for text, want := range map[string]string{"a%b": "a%25b", "a\nb": "a%0Ab", "a\rb": "a%0Db", "a:b,c": "a:b,c", "%0A": "%250A"} {
		if got := escapeData(text); got != want {
			t.Errorf("%q: %q, wanted %q", text, got, want)
		}
	}
	for text, want := range map[string]string{"a:b,c%\n\r": "a%3Ab%2Cc%25 ", "plain": "plain"} {
		if got := escapeProperty(text); got != want {
			t.Errorf("%q: %q, wanted %q", text, got, want)
		}
	}
}
