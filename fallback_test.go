package xlagate_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/rules"
)

// What PyTorch/XLA ran on the CPU is found without asking. Where its metrics were not dumped that is told, and to nobody who uses another
// framework.
func TestRecommendedFindsFallbacks(t *testing.T) {
	alone := slices.DeleteFunc(unpacked(t, "testdata/torch-rows/steady.tar.xz"), func(p packed) bool { return !strings.HasPrefix(p.Name, "module_") })
	for _, c := range []struct{ dump, want string }{
		{"testdata/torch-cpu_fallback/after.tar.xz", "found"},
		{"testdata/torch-cpu_fallback/before.tar.xz", ""},
		{"testdata/cpu-unfused/after.tar.xz", ""},
		{backwards(t, alone), "no-cpu-fallback (the dump holds no metrics of PyTorch/XLA)"},
	} {
		cfg, err := config.Parse(rules.All, "xlagate.yaml", []byte("version: 1\nextends: [recommended]\n"))
		if err != nil {
			t.Fatal(err)
		}
		r, err := gate.Check(t.Context(), gate.Options{Request: gate.Request{Config: cfg, Dumps: []string{c.dump}, Against: c.dump}, Run: gate.Run{Jobs: 1}, Environment: gate.Environment{Now: time.Unix(0, 0)}})
		if err != nil {
			t.Fatal(err)
		}
		if got := aboutFallbacks(r); got != c.want {
			t.Errorf("%s: %q, wanted %q", c.dump, got, c.want)
		}
	}
}

func aboutFallbacks(r *result.Result) string {
	for _, f := range r.Findings {
		if f.Rule == "no-cpu-fallback" {
			return "found"
		}
	}
	for _, note := range r.Targets[0].NotCovered {
		if strings.HasPrefix(note, "no-cpu-fallback") {
			return note
		}
	}
	return ""
}
