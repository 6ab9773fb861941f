package config

import (
	"slices"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/rule"
	"github.com/xlagate/xlagate/rules"
)

// entry is the last rule of a configuration that holds this entry.
func entry(t *testing.T, text string) *rule.Settings {
	t.Helper()
	cfg := read(t, "version: 1\nrules:\n  - "+text+"\n")
	return cfg.Rules[len(cfg.Rules)-1]
}

func TestCommonKeysOfAnEntry(t *testing.T) {
	s := entry(t, "{rule: max-kernels, name: small, reason: why, level: warning, target: [a, b], program: f, max: 9, min: 2, max_increase: 5%, max_decrease: 3}")
	if s.Rule.ID != "max-kernels" || s.Name != "small" || s.Reason != "why" || s.Level != "warning" || !slices.Equal(s.Targets, []string{"a", "b"}) || !slices.Equal(s.Programs, []string{"f"}) {
		t.Errorf("%+v", s)
	}
	if *s.Max != 9 || *s.Min != 2 || s.Equal != nil || *s.MaxIncrease != (rule.Change{Amount: 5, Percent: true}) || *s.MaxDecrease != (rule.Change{Amount: 3}) {
		t.Errorf("bounds %v %v %v %v %v", *s.Max, *s.Min, s.Equal, s.MaxIncrease, s.MaxDecrease)
	}
	if s.Place != "models/xlagate.yaml:3:5" || s.Pack != "" {
		t.Errorf("stands at %s, pack %q", s.Place, s.Pack)
	}
}

// A bound of none is not a bound of zero.
func TestZeroIsABound(t *testing.T) {
	s := entry(t, "{rule: max-copies, max: 0, max_increase: 0}")
	if s.Max == nil || *s.Max != 0 || s.MaxIncrease == nil || s.Min != nil || s.Equal != nil || s.MaxDecrease != nil {
		t.Errorf("%+v", s)
	}
}

// Where a rule calls its limit by a name of its own it is the limit all the same.
func TestLimitOfAnotherName(t *testing.T) {
	s := entry(t, "{rule: no-recompilation, max_variants: 3, ignore_args: step}")
	if s.Max == nil || *s.Max != 3 || s.MaxKey != "max_variants" {
		t.Errorf("limit %v by %q", s.Max, s.MaxKey)
	}
	if _, ok := s.Options["max_variants"]; ok || !slices.Equal(s.List("ignore_args"), []string{"step"}) {
		t.Errorf("options %v", s.Options)
	}
}

func TestMarksOfAnEntry(t *testing.T) {
	s := entry(t, `{rule: max-kernels, max: 9, reason: "why"}`)
	if m := s.Marks["max"]; m != (rule.Mark{Line: 3, Column: 30, Text: "9", Plain: true}) {
		t.Errorf("max stands at %+v", m)
	}
	if m := s.Marks["reason"]; m.Plain || m.Text != "why" {
		t.Errorf("reason stands at %+v", m)
	}
}

// find gives the entries of a rule, the pack's first.
func find(cfg *Config, id string) []*rule.Settings {
	var out []*rule.Settings
	for _, s := range cfg.Rules {
		if s.Rule.ID == id {
			out = append(out, s)
		}
	}
	return out
}

// An entry that says less inherits the rest from the pack's, and the pack's speaks of other programs then.
func TestEntryInheritsFromThePack(t *testing.T) {
	packed := find(read(t, "version: 1\nextends: [recommended]\n"), "max-peak-bytes")
	if len(packed) != 1 || packed[0].MaxIncrease == nil || packed[0].Pack != "recommended" {
		t.Fatalf("%+v", packed)
	}
	both := find(read(t, "version: 1\nextends: [recommended]\nrules:\n  - {rule: max-peak-bytes, program: f, max: 3, level: warning}\n"), "max-peak-bytes")
	if len(both) != 2 || both[0].Pack != "recommended" || both[1].Pack != "" {
		t.Fatalf("%+v", both)
	}
	own := both[1]
	if *own.Max != 3 || own.Level != "warning" || *own.MaxIncrease != *packed[0].MaxIncrease || own.Reason != packed[0].Reason {
		t.Errorf("%+v, of the pack %+v", own, packed[0])
	}
	if both[0].Covers("model", "f") || !both[0].Covers("model", "g") || both[0].Max != nil || both[0].Level != packed[0].Level {
		t.Errorf("the pack's entry became %+v", both[0])
	}
}

// What an entry says itself stands; "equal" leaves no room for the pack's limits.
func TestOwnWordsStand(t *testing.T) {
	limit, least := 7.0, 1.0
	from := &rule.Settings{Level: "info", Reason: "packed", Options: map[string]any{"a": 1.0, "b": 2.0}, Limits: rule.Limits{Max: &limit, MaxKey: "most", Min: &least, MaxIncrease: &rule.Change{Amount: 1}, MaxDecrease: &rule.Change{Amount: 2}}}
	three := 3.0
	s := &rule.Settings{Options: map[string]any{"a": 9.0}, Limits: rule.Limits{Equal: &three}}
	inherit(s, from)
	if s.Max != nil || s.Min != nil || s.MaxKey != "" || s.Level != "info" || s.Reason != "packed" || s.Options["a"] != 9.0 || s.Options["b"] != 2.0 {
		t.Errorf("%+v", s)
	}
	own := &rule.Settings{Level: "error", Reason: "mine", Options: map[string]any{}, Limits: rule.Limits{Max: &three, Min: &three, MaxIncrease: &rule.Change{Amount: 5}, MaxDecrease: &rule.Change{Amount: 6}}}
	inherit(own, from)
	if own.Level != "error" || own.Reason != "mine" || *own.Max != 3 || *own.Min != 3 || own.MaxIncrease.Amount != 5 || own.MaxDecrease.Amount != 6 || own.MaxKey != "" {
		t.Errorf("%+v", own)
	}
	bare := &rule.Settings{Options: map[string]any{}}
	inherit(bare, from)
	if *bare.Max != 7 || bare.MaxKey != "most" || *bare.Min != 1 || bare.MaxIncrease.Amount != 1 || bare.MaxDecrease.Amount != 2 {
		t.Errorf("%+v", bare)
	}
}

// Of packs the later one wins; each rule that neither shares with the other is there once.
func TestLaterPackWins(t *testing.T) {
	for _, order := range [][2]string{{"recommended", "strict"}, {"strict", "recommended"}} {
		cfg := read(t, "version: 1\nextends: ["+order[0]+", "+order[1]+"]\n")
		for _, s := range find(cfg, "max-peak-bytes") {
			if s.Pack == order[0] && s.Covers("model", "f") {
				t.Errorf("%v: the entry of %s was not replaced", order, s.Pack)
			}
			if s.Pack == order[1] && !s.Covers("model", "f") {
				t.Errorf("%v: the entry of %s was replaced", order, s.Pack)
			}
		}
	}
}

// Every pack reads without an error, says each rule's place, and asks for something.
func TestPacksRead(t *testing.T) {
	for _, name := range rules.All.PackNames() {
		cfg := read(t, "version: 1\nextends: ["+name+"]\n")
		if len(cfg.Rules) == 0 {
			t.Errorf("%s asks for nothing", name)
		}
		for _, s := range cfg.Rules {
			if s.Pack != name || !strings.HasPrefix(s.Place, "pack:"+name+":") || s.Marks != nil {
				t.Errorf("%s of %s stands at %q with marks %v", s.Rule.ID, s.Pack, s.Place, s.Marks)
			}
		}
	}
}

// A name that several graphs share speaks of all of them, but for those that another entry names by their number.
func TestNameThatGraphsShare(t *testing.T) {
	cfg := read(t, `version: 1
extends: [recommended]
rules:
  - { rule: max-peak-bytes, program: one_step_on_data, max: 9 }
  - { rule: max-peak-bytes, program: [one_step_on_data-3, train], max: 20 }
  - { rule: max-kernels, program: train, max: 9 }
`)
	peaks := rule.EntriesOf(cfg.Rules, rules.All.ByID("max-peak-bytes"))
	own := peaks[len(peaks)-2:]
	for program, want := range map[string]string{
		"one_step_on_data": "first", "one_step_on_data-2": "first", "one_step_on_data-12": "first", "one_step_on_data-3": "second",
		"train": "second", "Model.train": "second", "one_step_on_data-b": "pack", "eval": "pack",
	} {
		said := map[bool]string{own[0].Covers("t", program): "first", own[1].Covers("t", program): "second", peaks[0].Covers("t", program): "pack"}[true]
		if said != want {
			t.Errorf("of %s speaks the %s entry, want the %s one", program, said, want)
		}
	}
}

// A target accepts a dump without a mark of the run only where nothing asks for one.
func TestRequireFresh(t *testing.T) {
	for text, want := range map[string]bool{"require_fresh: true": true, "require_fresh: false": false, "device: cpu": false} {
		if got := read(t, inTargets+"  - {name: a, dump: x, "+text+"}\n").Targets[0].RequireFresh; got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
