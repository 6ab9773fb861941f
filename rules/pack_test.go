package rules_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/rule"
	"github.com/xlagate/xlagate/rules"
)

func TestPacksStandBehindRecommended(t *testing.T) {
	want := []string{"gpu", "recommended", "serving", "strict", "tensorflow", "tpu", "training"}
	if got := rules.All.PackNames(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("packs %v, wanted %v", got, want)
	}
	for _, name := range want {
		text, err := rules.All.Pack(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(text), "# ") || !strings.Contains(string(text), "\nversion: 1\n") {
			t.Errorf("pack %s says neither what it is for nor its version", name)
		}
		for _, extends := range []string{name, "recommended, " + name} {
			if _, err := config.Parse(rules.All, "xlagate.yaml", []byte("version: 1\nextends: ["+extends+"]\n")); err != nil {
				t.Errorf("%s: %v", extends, err)
			}
		}
	}
}

// A dump that is held against itself passes with every pack: nothing in a pack asks for more than the baseline has.
func TestPacksPassWhatDidNotChange(t *testing.T) {
	dumps, err := filepath.Glob("../testdata/*-*/before.tar.xz")
	if err != nil || len(dumps) < 10 {
		t.Fatalf("%d dumps, %v", len(dumps), err)
	}
	for _, dump := range dumps {
		for _, pack := range []string{"strict", "training, serving, tpu, gpu, tensorflow"} {
			cfg, err := config.Parse(rules.All, "xlagate.yaml", []byte(fmt.Sprintf("version: 1\nextends: [recommended, %s]\ntargets: [{ name: a, dump: %q }]\n", pack, dump)))
			if err != nil {
				t.Fatal(err)
			}
			r, err := gate.Check(context.Background(), gate.Options{Request: gate.Request{Config: cfg, Against: dump}, Run: gate.Run{Jobs: 1}, Environment: gate.Environment{Now: time.Unix(0, 0)}})
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range r.Findings {
				if f.Level != "info" && f.Rule != "no-host-callback" && f.Rule != "no-recompilation" { // these hold without a baseline
					t.Errorf("%s %s: %s: %s", dump, pack, f.Rule, f.Message)
				}
			}
			for _, p := range r.Problems {
				t.Errorf("%s %s: %s", dump, pack, p.Message)
			}
		}
	}
}

// What got better passes with every pack but strict, which lets nothing change: pairs that are improvements, and regressions the other way round, if what
// the program returns has the same type.
func TestPacksPassImprovements(t *testing.T) {
	for _, pair := range [][2]string{
		{"cpu-improved/after", "cpu-improved/before"}, {"cases/cpu-imp_collective_gone/after", "cases/cpu-imp_collective_gone/before"},
		{"cases/gpu-imp_f64_gone/after", "cases/gpu-imp_f64_gone/before"}, {"cases/gpu-imp_stats_gone/after", "cases/gpu-imp_stats_gone/before"},
		{"cpu-fusion_callback_barrier/before", "cpu-fusion_callback_barrier/after"},
		{"cpu-sharding_allgather/before", "cpu-sharding_allgather/after"},
		{"gpu-softmax_barrier/before", "gpu-softmax_barrier/after"}, {"gpu-intermediate_out/before", "gpu-intermediate_out/after"},
		{"cpu-constant_baked/before", "cpu-constant_baked/after"}, {"cpu-param_layout/before", "cpu-param_layout/after"},
	} {
		for _, pack := range slices.DeleteFunc(rules.All.PackNames(), func(name string) bool { return name == "strict" }) {
			cfg, err := config.Parse(rules.All, "xlagate.yaml", []byte(fmt.Sprintf("version: 1\nextends: [recommended, %s]\ntargets: [{ name: a, dump: %q }]\n", pack, dumpOf(pair[0]))))
			if err != nil {
				t.Fatal(err)
			}
			r, err := gate.Check(context.Background(), gate.Options{Request: gate.Request{Config: cfg, Against: dumpOf(pair[1])}, Run: gate.Run{Jobs: 1}, Environment: gate.Environment{Now: time.Unix(0, 0)}})
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range r.Findings {
				t.Errorf("%s with %s: %s: %s", pair[0], pack, f.Rule, f.Message)
			}
			if len(r.Problems) > 0 {
				t.Errorf("%s with %s: %+v", pair[0], pack, r.Problems)
			}
		}
	}
}

// An entry of the user's own takes over the programs that it covers, and inherits what it does not set.
func TestOwnEntriesOverrideAPack(t *testing.T) {
	cfg, err := config.Parse(rules.All, "xlagate.yaml", []byte("version: 1\nextends: [recommended]\nrules:\n  - { rule: max-peak-bytes, program: step, max: 9 }\n  - { rule: no-dtype, level: off }\n"))
	if err != nil {
		t.Fatal(err)
	}
	covering := map[string][]*rule.Settings{}
	for _, s := range cfg.Rules {
		if s.Covers("a", "step") {
			covering[s.Rule.ID] = append(covering[s.Rule.ID], s)
		}
	}
	if list := covering["max-peak-bytes"]; len(list) != 1 || list[0].Max == nil || *list[0].Max != 9 || list[0].MaxIncrease == nil || list[0].Pack != "" {
		t.Errorf("max-peak-bytes of step: %+v", list)
	}
	if list := covering["no-dtype"]; len(list) != 1 || list[0].Level != "off" {
		t.Errorf("no-dtype: %+v", list)
	}
	if len(covering["max-step-time"]) != 1 || covering["max-step-time"][0].Pack != "recommended" {
		t.Errorf("max-step-time: %+v", covering["max-step-time"])
	}
}
