package gate

import (
	"testing"
	"time"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/result"
)

// counted is a finding of too many kernels in a variant.
func counted(variant string, actual, limit float64) result.Finding {
	return result.Finding{ID: variant, Rule: "max-kernels", Level: "error", Target: "t", Program: "p", Subject: "kernels.total", Variant: variant, Actual: actual, Limit: limit, Message: "too many"}
}

// Entries of one rule are joined each by itself: one that speaks of several variants names none of them.
func TestEntriesAreJoinedApart(t *testing.T) {
	got := join([]result.Finding{counted("v", 30, 25), counted("w", 30, 25), counted("v", 30, 26), counted("w", 30, 26), counted("x", 30, 26)})
	if len(got) != 2 || got[0].Variant != "" || got[0].Message != "too many (in 2 variants)" || got[1].Variant != "" || got[1].Message != "too many (in 3 variants)" {
		t.Errorf("%+v", got)
	}
}

// Of several variants the one that is furthest from its limit speaks for all, under the id of the first.
func TestWorstVariantSpeaks(t *testing.T) {
	for _, list := range [][]result.Finding{
		{counted("v", 20, 10), counted("w", 30, 10), counted("x", 25, 10)},
		{counted("v", 30, 10), counted("w", 20, 10)},
		{counted("v", 20, 10), counted("w", 30, 10)},
		{counted("v", 200, 190), counted("w", 30, 10)},
	} {
		got := join(list)
		if len(got) != 1 || got[0].Actual != 30.0 || got[0].ID != "v" || got[0].Variant != "" {
			t.Errorf("%+v", got)
		}
	}
}

// Of what there is to be enough, the least is furthest from its limit.
func TestLeastVariantSpeaks(t *testing.T) {
	if got := join([]result.Finding{counted("v", 8, 10), counted("w", 2, 10)}); len(got) != 1 || got[0].Actual != 2.0 {
		t.Errorf("%+v", got)
	}
}

// A ceiling holds for every variant, whichever came first.
func TestCeilingHoldsForEveryVariant(t *testing.T) {
	ceiling := 25.0
	o := Options{Config: &config.Config{Waivers: []config.Waiver{{Finding: "v", Expires: "2027-01-01", Ceiling: &ceiling}}}, Now: time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)}
	for _, list := range [][]result.Finding{{counted("v", 20, 10), counted("w", 30, 10)}, {counted("v", 30, 10), counted("w", 20, 10)}} {
		r := &result.Result{Findings: join(list)}
		if waive(r, o); r.Findings[0].Waived {
			t.Errorf("30 were waived under a ceiling of 25: %+v", r.Findings[0])
		}
	}
	r := &result.Result{Findings: join([]result.Finding{counted("v", 20, 10), counted("w", 25, 10)})}
	if waive(r, o); !r.Findings[0].Waived {
		t.Errorf("25 were not waived under a ceiling of 25: %+v", r.Findings)
	}
}

// What is equally far from its limit is told by the variant of which more is known.
func TestVariantOfWhichMoreIsKnown(t *testing.T) {
	placed := counted("w", 20, 10)
	placed.Cause = &result.Cause{Source: result.Source{File: "m.py", Line: 3}}
	based := counted("x", 20, 10)
	based.Baseline = 10.0
	if got := join([]result.Finding{counted("v", 20, 10), placed}); got[0].Cause == nil || got[0].ID != "v" {
		t.Errorf("%+v", got)
	}
	if got := join([]result.Finding{placed, based}); got[0].Baseline != 10.0 || got[0].ID != "w" {
		t.Errorf("%+v", got)
	}
	if got := join([]result.Finding{placed, counted("v", 20, 10)}); got[0].Cause == nil {
		t.Errorf("%+v", got)
	}
}

// Findings that differ in anything but the variant are not the same.
func TestFindingsThatAreNotJoined(t *testing.T) {
	for name, edit := range map[string]func(*result.Finding){
		"rule":    func(f *result.Finding) { f.Rule = "max-copies" },
		"name":    func(f *result.Finding) { f.Name = "small" },
		"target":  func(f *result.Finding) { f.Target = "u" },
		"program": func(f *result.Finding) { f.Program = "q" },
		"subject": func(f *result.Finding) { f.Subject = "kernels.loop" },
		"level":   func(f *result.Finding) { f.Level = "warning" },
		"variant": func(f *result.Finding) { f.Variant = "v" },
		"whole":   func(f *result.Finding) { f.Variant = "" },
	} {
		b := counted("w", 20, 10)
		edit(&b)
		if got := join([]result.Finding{counted("v", 20, 10), b}); len(got) != 2 || got[0].Message != "too many" {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := join(nil); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}
