package config

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/xlagate/xlagate/rules"
)

const whole = `version: 1
extends: [recommended, training]
baseline: git:main:accepted
fail_on: warning
targets:
  - name: mlp/cpu
    capture: { run: "python train.py", env: { JAX_PLATFORMS: cpu, N: 3 }, timeout: 1m30s }
    programs: { include: [train_step, "eval_*"], exclude: [debug] }
    samples: 3
    log: [a.log, "b/*.log"]
  - name: serve
    dump: build/*/xla
waivers:
  - { finding: a3f8c21b9d04, reason: known, owner: "@ml", expires: 2027-02-01, ceiling: 2KiB }
  - { finding: 0123456789ab, reason: later, owner: me, expires: "2027-12-31" }
`

func read(t *testing.T, text string) *Config {
	t.Helper()
	cfg, err := Parse(rules.All, "models/xlagate.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// Every key of the file ends up where the gate looks for it.
func TestTopLevel(t *testing.T) {
	cfg := read(t, whole)
	sum := sha256.Sum256([]byte(whole))
	got := []string{cfg.Path, cfg.Dir, cfg.Baseline, cfg.FailOn, cfg.Sum}
	if diff := cmp.Diff([]string{"models/xlagate.yaml", "models", "git:main:accepted", "warning", hex.EncodeToString(sum[:])}, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"recommended", "training"}, cfg.Extends); diff != "" {
		t.Error(diff)
	}
}

func TestTargets(t *testing.T) {
	want := []Target{
		{
			Name: "mlp/cpu", Samples: 3, Logs: []string{"a.log", "b/*.log"}, Include: []string{"train_step", "eval_*"}, Exclude: []string{"debug"},
			Capture: &Capture{Run: "python train.py", Env: map[string]string{"JAX_PLATFORMS": "cpu", "N": "3"}, Timeout: 90 * time.Second},
			Place:   "models/xlagate.yaml:6:5",
		},
		{Name: "serve", Dump: "build/*/xla", Samples: 1, Place: "models/xlagate.yaml:11:5"},
	}
	if diff := cmp.Diff(want, read(t, whole).Targets); diff != "" {
		t.Error(diff)
	}
}

func TestWaivers(t *testing.T) {
	ceiling := 2048.0
	want := []Waiver{
		{Finding: "a3f8c21b9d04", Reason: "known", Owner: "@ml", Expires: "2027-02-01", Ceiling: &ceiling, Place: "models/xlagate.yaml:14:5"},
		{Finding: "0123456789ab", Reason: "later", Owner: "me", Expires: "2027-12-31", Place: "models/xlagate.yaml:15:5"},
	}
	if diff := cmp.Diff(want, read(t, whole).Waivers); diff != "" {
		t.Error(diff)
	}
}

// What is left out has the value that the documentation promises.
func TestDefaults(t *testing.T) {
	cfg := read(t, "version: 1\nextends: recommended\n")
	if cfg.Baseline != ".xlagate" || cfg.FailOn != "error" || len(cfg.Targets)+len(cfg.Waivers) != 0 || len(cfg.Extends) != 1 {
		t.Errorf("%+v", cfg)
	}
	for _, o := range Keys(rules.All.PackNames()) {
		if o.Key == "baseline" && o.Default != cfg.Baseline || o.Key == "fail_on" && o.Default != cfg.FailOn {
			t.Errorf("%s is said to be %v", o.Key, o.Default)
		}
	}
}

// The sum tells one text from another, be it by a comment.
func TestSumOfTheText(t *testing.T) {
	if a, b := read(t, "version: 1\nextends: recommended\n").Sum, read(t, "version: 1\nextends: recommended\n#\n").Sum; a == b {
		t.Errorf("both are %s", a)
	}
}
