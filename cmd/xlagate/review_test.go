package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/report"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/webpage"
)

// quickstartResult is what check says of the example's regressed dump: three changes.
func quickstartResult(t *testing.T) *result.Result {
	t.Helper()
	data := mustExit(t, 1, "check", "-c", filepath.Join(quickstart, "xlagate.yaml"), filepath.Join(quickstart, "regressed"), "-f", "json")
	var r result.Result
	if err := json.Unmarshal(data, &r); err != nil || len(r.Open()) != 3 {
		t.Fatalf("%v, %d open changes", err, len(r.Open()))
	}
	return &r
}

// What a person's keys decide, and what the screen shows of it.
func TestKeysOfAReview(t *testing.T) {
	r := quickstartResult(t)
	for keys, want := range map[string]struct{ decided, shown string }{
		"asr":              {"1 change accepted, 1 rejected, 1 skipped", "rejected  " + r.Open()[2].ID},
		"aaa":              {"3 changes accepted, 0 rejected, 0 skipped", "change 3 of 3"},
		"rA":               {"2 changes accepted, 1 rejected, 0 skipped", "accepted  " + r.Open()[2].ID},
		"aq":               {"1 change accepted, 0 rejected, 2 skipped", "skipped  " + r.Open()[1].ID},
		"rbaq":             {"1 change accepted, 0 rejected, 2 skipped", "accepted  " + r.Open()[0].ID}, // back takes an answer back
		"bq":               {"0 changes accepted, 0 rejected, 3 skipped", "change 1 of 3"},              // there is nothing before the first
		"xq":               {"0 changes accepted, 0 rejected, 3 skipped", "'x' is no answer; the keys are\n" + help},
		"\x1b[A\x1b[15~aq": {"1 change accepted, 0 rejected, 2 skipped", "change 2 of 3"}, // an arrow and a function key say nothing
		"\x1baq":           {"1 change accepted, 0 rejected, 2 skipped", "change 2 of 3"}, // nor does the escape key
		"cq":               {"0 changes accepted, 0 rejected, 3 skipped", "~    19 | "},
		"eq":               {"0 changes accepted, 0 rejected, 3 skipped", "+ "},
		"a\x03":            {"left the review; nothing was accepted", "accepted  "},
		"\x04":             {"left the review; nothing was accepted", "change 1 of 3"},
		"a":                {"the terminal is gone; nothing was accepted: EOF", "change 2 of 3"},
		"\x1b":             {"the terminal is gone; nothing was accepted: EOF", "change 1 of 3"},
	} {
		var screen bytes.Buffer
		decided, err := walkThrough(strings.NewReader(keys), &screen, r, report.Options{Options: webpage.Options{Root: filepath.Dir(filepath.Dir(quickstart))}})
		got := fmt.Sprint(err)
		if err == nil {
			got = decided.String()
		}
		if got != want.decided || !strings.Contains(screen.String(), want.shown) {
			t.Errorf("%q: %s, wanted %s; the screen lacks %q:\n%s", keys, got, want.decided, want.shown, screen.String())
		}
	}
}

// The code around a change is shown only where it can be read.
func TestCodeOfAReview(t *testing.T) {
	r := quickstartResult(t)
	for what, c := range map[string]struct {
		at    result.Source
		shown string
	}{
		"no line":         {result.Source{File: "train.py"}, "no line of the model is known"},
		"no file":         {result.Source{File: "gone.py", Line: 3}, "gone.py cannot be shown: "},
		"behind its end":  {result.Source{File: "train.py", Line: 9999}, "train.py cannot be shown: it has no line 9999"},
		"the first lines": {result.Source{File: "train.py", Line: 1}, "~     1 | "},
	} {
		r.Open()[0].Source = c.at
		var screen bytes.Buffer
		if _, err := walkThrough(strings.NewReader("cq"), &screen, r, report.Options{Options: webpage.Options{Root: quickstart}}); err != nil || !strings.Contains(screen.String(), c.shown) {
			t.Errorf("%s: %v, %q is not shown:\n%s", what, err, c.shown, screen.String())
		}
	}
}
