package gate

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/result"
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
		{"expired", more, config.Waiver{Expires: "2026-05-31"}, "the waiver of a3f8c21b9d04 (max-kernels) expired on 2026-05-31 (xlagate.yaml:9:5)"},
		{"no date", more, config.Waiver{Expires: "soon"}, "the waiver of a3f8c21b9d04 (max-kernels) expired on soon (xlagate.yaml:9:5)"},
		{"under a ceiling", more, config.Waiver{Expires: "2026-06-02", Ceiling: new(22.0)}, ""},
		{"beyond it", more, config.Waiver{Expires: "2026-06-02", Ceiling: new(21.0)}, "a3f8c21b9d04 (max-kernels) is 22, beyond the 21 that was waived (xlagate.yaml:9:5)"},
		{"few enough", fewer, config.Waiver{Expires: "2026-06-02", Ceiling: new(2.0)}, ""},
		{"too few", fewer, config.Waiver{Expires: "2026-06-02", Ceiling: new(3.0)}, "a3f8c21b9d04 (loops-kept) is 2, beyond the 3 that was waived (xlagate.yaml:9:5)"},
		{"a ceiling of nothing", uncounted, config.Waiver{Expires: "2026-06-02", Ceiling: new(1.0)},
			"the waiver of a3f8c21b9d04 (assert) has a ceiling, but the finding is of nothing that is counted; remove the ceiling (xlagate.yaml:9:5)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.waiver.Finding, c.waiver.Place = more.ID, "xlagate.yaml:9:5"
			r := &result.Result{Findings: []result.Finding{c.finding}}
			waive(r, Options{Config: &config.Config{Waivers: []config.Waiver{c.waiver}}, Now: time.Date(2026, 6, 1, 23, 0, 0, 0, time.UTC)})
			if r.Findings[0].Waived != (c.says == "") {
				t.Errorf("waived: %v", r.Findings[0].Waived)
			}
			if c.says != "" && (len(r.Findings) != 2 || r.Findings[1].Message != c.says) {
				t.Errorf("says %+v", r.Findings[1:])
			}
		})
	}
}

// How long a waiver may be given for is counted from today, and one that is given for longer waives nothing.
func TestWaiversForDays(t *testing.T) {
	for expires, says := range map[string]string{
		"2026-06-01": "",
		"2026-07-01": "",
		"2026-07-02": "the waiver of a3f8c21b9d04 (max-kernels) would hold until 2026-07-02; max_days lets it hold until 2026-07-01 (xlagate.yaml:5:5)",
		"9999-12-31": "the waiver of a3f8c21b9d04 (max-kernels) would hold until 9999-12-31; max_days lets it hold until 2026-07-01 (xlagate.yaml:5:5)",
		"2026-05-31": "the waiver of a3f8c21b9d04 (max-kernels) expired on 2026-05-31 (xlagate.yaml:5:5)",
	} {
		file := "version: 1\ntargets: [{ name: model, dump: x }]\nrules: [{ rule: waiver-valid, max_days: 30, level: warning }]\nwaivers:\n  - { finding: a3f8c21b9d04, reason: later, owner: me, expires: " + expires + " }\n"
		cfg, err := config.Parse("xlagate.yaml", []byte(file))
		if err != nil {
			t.Fatal(err)
		}
		r := &result.Result{Findings: []result.Finding{{ID: "a3f8c21b9d04", Rule: "max-kernels", Level: "error", Actual: 22.0, Limit: 19.0}}}
		waive(r, Options{Config: cfg, Now: time.Date(2026, 6, 1, 23, 0, 0, 0, time.UTC)})
		switch {
		case r.Findings[0].Waived != (says == ""), len(r.Findings) == 1 != (says == ""):
			t.Errorf("%s: waived %v, %d findings", expires, r.Findings[0].Waived, len(r.Findings))
		case says != "" && (r.Findings[1].Message != says || r.Findings[1].Level != "warning"):
			t.Errorf("%s: says %+v", expires, r.Findings[1])
		}
	}
}

// A waiver takes along what only says again that something grew, and nothing that breaks a limit of its own.
func TestWaiversHideNothing(t *testing.T) {
	const recommended = "extends: [recommended]\n"
	for _, c := range []struct {
		name, pair, file, waived string
		left                     []string // rules that still fail
		along                    []string // rules whose findings are listed under the waived one
	}{
		{"echoes go along", "gpu-softmax_barrier", recommended, "fusion-drift", nil, []string{"max-kernels", "max-instructions", "max-bytes-accessed"}},
		{"a limit does not", "gpu-softmax_barrier", recommended + "rules: [{ rule: max-kernels, max: 3 }]\n", "fusion-drift", []string{"max-kernels"}, []string{"max-instructions", "max-bytes-accessed"}},
		{"the type of another rule does not", "cpu-constant_baked", recommended + "rules: [{ rule: unused-parameters }]\n", "max-constant-bytes", []string{"unused-parameters"}, nil},
		{"an echo that is waived is no waiver unused", "gpu-softmax_barrier", recommended, "max-kernels", []string{"fusion-drift"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			all := checked(t, c.pair, c.file)
			r := checked(t, c.pair, c.file+fmt.Sprintf("waivers: [{ finding: %s, reason: r, owner: o, expires: 2026-12-31 }]\n", idOf(t, all, c.waived)))
			var left, along []string
			for _, f := range r.Findings {
				if !f.Waived {
					left = append(left, f.Rule)
					continue
				}
				for _, echo := range f.Consequences {
					along = append(along, echo.Rule)
				}
			}
			if !slices.Equal(left, c.left) || !slices.Equal(along, c.along) {
				t.Errorf("left %v, wanted %v; along %v, wanted %v", left, c.left, along, c.along)
			}
		})
	}
}

func checked(t *testing.T, pair, file string) *result.Result {
	t.Helper()
	dumps := "../../testdata/" + pair
	cfg, err := config.Parse("xlagate.yaml", []byte("version: 1\n"+file+"targets: [{ name: model, dump: "+dumps+"/after.tar.xz }]\n"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := Check(context.Background(), Options{Config: cfg, Against: dumps + "/before.tar.xz", Jobs: 1, Now: time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// idOf is the id of a rule's finding, also where it follows from another one.
func idOf(t *testing.T, r *result.Result, rule string) string {
	t.Helper()
	var seen []string
	for _, f := range r.Findings {
		if f.Rule == rule {
			return f.ID
		}
		for _, c := range f.Consequences {
			if c.Rule == rule {
				return c.ID
			}
			seen = append(seen, c.Rule)
		}
		seen = append(seen, f.Rule)
	}
	t.Fatalf("no %s among %s", rule, strings.Join(seen, ", "))
	return ""
}
