package config

import (
	"testing"
)

// What is found missing last is told of first, where it stands before.
func TestMissingKeysInOrder(t *testing.T) {
	rejected(t, "fail_on: error\nbaseline: s3://x\n", `1:1: the configuration lacks the key "version": write version: 1, the version of the rule set; new rules never turn on under an old one`,
		`2:11: baseline "s3://x" cannot hold a baseline; give a directory or git:REF:PATH`)
	rejected(t, inTargets+"  - {dump: [x]}\n", `4:5: the target lacks the key "name": the target's name in findings and in the baseline; slashes make folders`,
		"4:12: dump is a list; expected a pattern such as */mlp/*")
}

// What YAML takes for yes or no is neither a text nor a pattern.
func TestYesIsNoText(t *testing.T) {
	rejected(t, inTargets+"  - {name: a, dump: true}\n", `4:21: dump is "true"; expected a pattern such as */mlp/*`)
	rejected(t, inTargets+"  - {name: true, dump: x}\n", `4:12: name is "true"; expected a text`)
	rejected(t, inTargets+"  - {name: a, dump: \"\"}\n", `4:21: dump is ""; expected a pattern such as */mlp/*`)
}

// Eight words are listed in full, nine are not.
func TestOneOf(t *testing.T) {
	words := []string{"a", "b", "c", "d", "e", "f", "g", "h", "i"}
	for n, want := range map[int]string{0: "", 1: "a", 8: "a, b, c, d, e, f, g, h", 9: "a, b, c, d, e, f, g, h, …"} {
		if got := oneOf(words[:n]); got != want {
			t.Errorf("%d: %s, wanted %s", n, got, want)
		}
	}
}

// A switch that is off is not one that is on.
func TestSwitches(t *testing.T) {
	for text, want := range map[string]bool{"true": true, "True": true, "TRUE": true, "false": false, "False": false} {
		s := entry(t, "{rule: max-kernels, max: 1, weighted_by_trip_count: "+text+"}")
		if got, ok := s.Options["weighted_by_trip_count"].(bool); !ok || got != want {
			t.Errorf("%s is read as %v", text, s.Options["weighted_by_trip_count"])
		}
	}
}

// An entry takes the place of the pack's entry of its own rule, and of no other's.
func TestEntryReplacesItsOwnRule(t *testing.T) {
	cfg := read(t, "version: 1\nextends: [recommended]\nrules:\n  - {rule: max-kernels, program: f, max: 3}\n")
	for _, s := range cfg.Rules {
		if s.Pack != "" && s.Covers("model", "f") != (s.Rule.ID != "max-kernels") {
			t.Errorf("%s of the pack covers the program: %v", s.Rule.ID, s.Covers("model", "f"))
		}
	}
}
