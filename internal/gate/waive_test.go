package gate

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/rules"
)

func TestWaivers(t *testing.T) {
	more := result.Finding{ID: "a3f8c21b9d04", Rule: "max-kernels", Level: "error", Actual: 22.0, Limit: 19.0}
	fewer := result.Finding{ID: more.ID, Rule: "loops-kept", Level: "error", Actual: 2.0, Limit: 4.0}
	uncounted := result.Finding{ID: more.ID, Rule: "assert", Level: "error"}
	for _, c := range []struct {
		name    string
		finding result.Finding
		waiver  config.Waiver
		says    string // "": it is waived
	}{
		{"in force", more, config.Waiver{Expires: "2026-06-02"}, ""},
		{"its last day", more, config.Waiver{Expires: "2026-06-01"}, ""},
		{"expired", more, config.Waiver{Expires: "2026-05-31"}, "the waiver of a3f8c21b9d04 (max-kernels) expired on 2026-05-31: renew it or remove it (xlagate.yaml:9:5)"},
		{"no date", more, config.Waiver{Expires: "soon"}, "the waiver of a3f8c21b9d04 (max-kernels) expired on soon: renew it or remove it (xlagate.yaml:9:5)"},
		{"under a ceiling", more, config.Waiver{Expires: "2026-06-02", Ceiling: new(22.0)}, ""},
		{"beyond it", more, config.Waiver{Expires: "2026-06-02", Ceiling: new(21.0)}, "a3f8c21b9d04 (max-kernels) is 22, beyond the 21 that was waived (xlagate.yaml:9:5)"},
		{"few enough", fewer, config.Waiver{Expires: "2026-06-02", Ceiling: new(2.0)}, ""},
		{"too few", fewer, config.Waiver{Expires: "2026-06-02", Ceiling: new(3.0)}, "a3f8c21b9d04 (loops-kept) is 2, beyond the 3 that was waived (xlagate.yaml:9:5)"},
		{"a ceiling of nothing", uncounted, config.Waiver{Expires: "2026-06-02", Ceiling: new(1.0)},
			"the waiver of a3f8c21b9d04 (assert) has a ceiling, but the finding counts nothing; remove the ceiling (xlagate.yaml:9:5)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.waiver.Finding, c.waiver.Place = more.ID, "xlagate.yaml:9:5"
			r := &result.Result{Findings: []result.Finding{c.finding}}
			waive(r, Options{Request: Request{Config: &config.Config{Waivers: []config.Waiver{c.waiver}}}, Environment: Environment{Now: time.Date(2026, 6, 1, 23, 0, 0, 0, time.UTC)}})
			if r.Findings[0].Waived != (c.says == "") {
				t.Errorf("waived: %v", r.Findings[0].Waived)
			}
			if c.says != "" && (len(r.Findings) != 2 || r.Findings[1].Message != c.says) {
				t.Errorf("says %+v", r.Findings[1:])
			}
		})
	}
}

// A waiver that does not hold is a finding, which no other waiver hides.
func TestWaiversOfWaivers(t *testing.T) {
	expired := config.Waiver{Finding: "a3f8c21b9d04", Expires: "2026-05-31", Place: "xlagate.yaml:9:5"}
	waived := func(list ...config.Waiver) *result.Result {
		r := &result.Result{Findings: []result.Finding{{ID: expired.Finding, Rule: "max-kernels", Level: "error", Actual: 22.0, Limit: 19.0}}}
		waive(r, Options{Request: Request{Config: &config.Config{Waivers: list}}, Environment: Environment{Now: time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)}})
		return r
	}
	r := waived(expired)
	r = waived(expired, config.Waiver{Finding: r.Findings[1].ID, Expires: "2026-06-02", Place: "xlagate.yaml:10:5"})
	if len(r.Findings) != 2 || r.Findings[1].Waived || r.Changes[0].Accept != "" {
		t.Errorf("%+v\n%+v", r.Findings, r.Changes)
	}
}

// A ceiling is one of a single finding; a change that is waived in part has the level of the worst that is left; what could not be checked may be what a waiver
// is for.
func TestWaiversInPart(t *testing.T) {
	o := Options{Request: Request{Config: &config.Config{Waivers: []config.Waiver{{Finding: "c00000000000", Expires: "2026-06-02", Ceiling: new(22.0)}}}}, Environment: Environment{Now: time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)}}
	of := func(id, level string) result.Finding {
		return result.Finding{ID: id, Change: "c00000000000", Rule: "max-kernels", Level: level, Actual: 22.0, Limit: 19.0}
	}
	r := &result.Result{Findings: []result.Finding{of("a00000000000", "error"), of("b00000000000", "error")}}
	waive(r, o)
	if len(r.Findings) != 3 || !strings.Contains(r.Findings[2].Message, "has a ceiling, but there are 2 findings") || r.Findings[0].Waived || r.Findings[1].Waived {
		t.Errorf("%+v", r.Findings)
	}
	o.Config.Waivers = []config.Waiver{{Finding: "a00000000000", Expires: "2026-06-02"}}
	r = &result.Result{Changes: []result.Change{{ID: "c00000000000", Level: "error"}}, Findings: []result.Finding{of("a00000000000", "error"), of("b00000000000", "info"), of("d00000000000", "warning")}}
	if waive(r, o); r.Changes[0].Level != "warning" || r.Changes[0].Waived {
		t.Errorf("%+v", r.Changes)
	}
	for problems, findings := range map[int]int{0: 1, 1: 0} {
		r := &result.Result{Problems: make([]result.Problem, problems)}
		if unusedWaivers(r, o); len(r.Findings) != findings {
			t.Errorf("with %d problems %d waivers are not used", problems, len(r.Findings))
		}
	}
}

// How long a waiver may be given for is counted from today, and one that is given for longer waives nothing.
func TestWaiversForDays(t *testing.T) {
	for expires, says := range map[string]string{
		"2026-06-01": "",
		"2026-07-01": "",
		"2026-07-02": "the waiver of a3f8c21b9d04 (max-kernels) lasts until 2026-07-02; max_days allows until 2026-07-01 (xlagate.yaml:5:5)",
		"9999-12-31": "the waiver of a3f8c21b9d04 (max-kernels) lasts until 9999-12-31; max_days allows until 2026-07-01 (xlagate.yaml:5:5)",
		"2026-05-31": "the waiver of a3f8c21b9d04 (max-kernels) expired on 2026-05-31: renew it or remove it (xlagate.yaml:5:5)",
	} {
		file := "version: 1\ntargets: [{ name: model, dump: x }]\nrules: [{ rule: waiver-valid, max_days: 30, level: warning }]\nwaivers:\n  - { finding: a3f8c21b9d04, reason: later, owner: me, expires: " + expires + " }\n"
		cfg, err := config.Parse(rules.All, "xlagate.yaml", []byte(file))
		if err != nil {
			t.Fatal(err)
		}
		r := &result.Result{Findings: []result.Finding{{ID: "a3f8c21b9d04", Rule: "max-kernels", Level: "error", Actual: 22.0, Limit: 19.0}}}
		waive(r, Options{Request: Request{Config: cfg}, Environment: Environment{Now: time.Date(2026, 6, 1, 23, 0, 0, 0, time.UTC)}})
		switch {
		case r.Findings[0].Waived != (says == ""), len(r.Findings) == 1 != (says == ""):
			t.Errorf("%s: waived %v, %d findings", expires, r.Findings[0].Waived, len(r.Findings))
		case says != "" && (r.Findings[1].Message != says || r.Findings[1].Level != "warning"):
			t.Errorf("%s: says %+v", expires, r.Findings[1])
		}
	}
}

// A waiver of a change is one of all that it breaks; a waiver of one finding leaves the others, and the change fails by them.
func TestWaiversOfChanges(t *testing.T) {
	const file = "rules: [{ rule: max-kernels, max_increase: 0 }, { rule: fusion-drift, level: warning }]\n"
	all := checked(t, "gpu-softmax_barrier", file)
	if len(all.Changes) != 1 || len(all.Changes[0].Findings) != 2 {
		t.Fatalf("%+v", all.Changes)
	}
	for _, c := range []struct {
		name, id, level string // of the change; "": it is waived
		left            []string
	}{
		{"the change", all.Changes[0].ID, "", nil},
		{"the error", idOf(t, all, "max-kernels"), "warning", []string{"fusion-drift"}},
		{"the warning", idOf(t, all, "fusion-drift"), "error", []string{"max-kernels"}},
	} {
		r := checked(t, "gpu-softmax_barrier", file+fmt.Sprintf("waivers: [{ finding: %s, reason: r, owner: o, expires: 2026-12-31 }]\n", c.id))
		var left []string
		for _, f := range r.Findings {
			if !f.Waived {
				left = append(left, f.Rule)
			}
		}
		if got := &r.Changes[0]; !slices.Equal(left, c.left) || got.Waived != (c.level == "") || !got.Waived && got.Level != c.level {
			t.Errorf("%s: left %v, wanted %v; the change is %s, waived %v", c.name, left, c.left, got.Level, got.Waived)
		}
	}
}

func checked(t *testing.T, pair, file string) *result.Result {
	t.Helper()
	dumps := "../../testdata/" + pair
	cfg, err := config.Parse(rules.All, "xlagate.yaml", []byte("version: 1\n"+file+"targets: [{ name: model, dump: "+dumps+"/after.tar.xz }]\n"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := Check(context.Background(), Options{Request: Request{Config: cfg, Against: dumps + "/before.tar.xz"}, Run: Run{Jobs: 1}, Environment: Environment{Now: time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// idOf is the id of a rule's finding.
func idOf(t *testing.T, r *result.Result, rule string) string {
	t.Helper()
	f := ofRule(r.Findings, rule)
	if f == nil {
		t.Fatalf("no %s among %+v", rule, r.Findings)
	}
	return f.ID
}

// Two entries of one rule on one program have ids of their own, whichever of them is broken: the waiver of one is none of the other.
func TestWaiversDoNotLeak(t *testing.T) {
	const loose, tight = "{ rule: max-kernels, max: 1 }", "{ rule: max-kernels, max: 2, level: warning }"
	list := func(entries ...string) string { return "rules: [" + strings.Join(entries, ", ") + "]\n" }
	ids := func(r *result.Result) map[any]string {
		out := map[any]string{}
		for _, f := range r.Findings {
			out[f.Limit] = f.ID
		}
		return out
	}
	both := ids(checked(t, "gpu-softmax_barrier", list(loose, tight)))
	if turned := ids(checked(t, "gpu-softmax_barrier", list(tight, loose))); !maps.Equal(both, turned) || len(both) != 2 || both[1.0] == both[2.0] {
		t.Fatalf("in one order %v, in the other %v", both, turned)
	}
	fixed := strings.Replace(loose, "max: 1", "max: 100", 1)
	if left := ids(checked(t, "gpu-softmax_barrier", list(fixed, tight))); left[2.0] != both[2.0] || left[2.0] == both[1.0] {
		t.Errorf("once the other holds, %s is %s", both[2.0], left[2.0])
	}
	waiver := fmt.Sprintf("waivers: [{ finding: %s, reason: r, owner: o, expires: 2026-12-31 }]\n", both[1.0])
	for _, f := range checked(t, "gpu-softmax_barrier", list(tight, loose)+waiver).Findings {
		if f.Waived != (f.Limit == 1.0) {
			t.Errorf("max %v: waived %v", f.Limit, f.Waived)
		}
	}
}
