package config

import (
	"math"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/rules"
)

// lowered lowers every max of a configuration to a number, and gives the text with why anything was left.
func lowered(t *testing.T, text string, to float64) (string, []string) {
	t.Helper()
	cfg, err := Parse(rules.All, "xlagate.yaml", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	var list []*Budget
	for _, s := range cfg.Rules {
		key := "max"
		if s.MaxKey != "" {
			key = s.MaxKey
		}
		if _, ok := s.Marks[key]; ok {
			list = append(list, &Budget{Settings: s, Key: key, To: to})
		}
	}
	out := string(SetBudgets(cfg, []byte(text), list))
	var left []string
	for _, l := range list {
		if l.Left != "" {
			left = append(left, l.Place()+" "+l.Left)
		}
	}
	return out, left
}

// A budget's number changes, and nothing else of the file does.
func TestSetBudgetsKeepsTheRest(t *testing.T) {
	for name, c := range map[string]struct{ text, from, to string }{
		"in a line":         {"version: 1\nrules:\n  - { rule: max-kernels, max: 20 }   # why\n", "max: 20", "max: 7"},
		"in a block":        {"version: 1\nrules:\n  - rule: max-kernels\n    max:   20   # measured\n    program: step\n", "max:   20", "max:   7"},
		"behind other text": {"version: 1\nrules:\n  - { rule: max-kernels, reason: \"größer als früher ☺\", max: 20 }\n", "max: 20", "max: 7"},
		"two in one line":   {"version: 1\nrules: [{ rule: max-kernels, max: 20, program: a }, { rule: max-kernels, max: 300, program: b }]\n", "max: 20, program: a }, { rule: max-kernels, max: 300", "max: 7, program: a }, { rule: max-kernels, max: 7"},
		"CRLF":              {"version: 1\r\nrules:\r\n  - { rule: max-kernels, max: 20 }\r\n", "max: 20", "max: 7"},
		"its other name":    {"version: 1\nrules:\n  - { rule: no-recompilation, max_variants: 20 }\n", "max_variants: 20", "max_variants: 7"},
		"in quotes":         {"version: 1\nrules:\n  - { rule: max-temp-bytes, max: \"2KiB\", program: a }\n", "\"2KiB\"", "\"0.01KiB\""},
		"in other quotes":   {"version: 1\nrules:\n  - rule: max-temp-bytes\n    max: '2KiB' # why\n", "'2KiB'", "'0.01KiB'"},
		"in its unit":       {"version: 1\nrules:\n  - { rule: max-temp-bytes, max: 2KiB }\n", "2KiB", "0.01KiB"},
		"a time":            {"version: 1\nrules:\n  - { rule: max-step-time, max: 14us }\n", "14us", "0.01us"},
		"a time by itself":  {"version: 1\nrules:\n  - { rule: max-step-time, max: 14000 }\n", "14000", "7"},
		"an anchor":         {"version: 1\nrules:\n  - &k { rule: max-kernels, max: 20 }\n", "max: 20", "max: 7"},
	} {
		t.Run(name, func(t *testing.T) {
			got, left := lowered(t, c.text, 7)
			if want := strings.Replace(c.text, c.from, c.to, 1); got != want || left != nil {
				t.Errorf("%q\nwanted\n%q\nleft %v", got, want, left)
			}
		})
	}
}

// What cannot be changed safely stays, and it is said why.
func TestSetBudgetsLeaves(t *testing.T) {
	for name, c := range map[string]struct{ text, why string }{
		"a folded number": {"version: 1\nrules:\n  - rule: max-temp-bytes\n    max: >-\n      2KiB\n", "xlagate.yaml:4:10 it is no longer where it was read"},
		"an escape":       {"version: 1\nrules:\n  - { rule: max-temp-bytes, max: \"2\\x4biB\" }\n", "xlagate.yaml:3:34 it is no longer where it was read"},
		"a merge key":     {"version: 1\nrules:\n  - &k { rule: max-kernels, max: 20, program: a }\n  - { <<: *k, program: b }\n", "xlagate.yaml:3:34 an alias or a merge key shares it with another entry"},
		"there already":   {"version: 1\nrules:\n  - { rule: max-kernels, max: 7 }\n", "xlagate.yaml:3:31 its unit allows no closer number"},
	} {
		t.Run(name, func(t *testing.T) {
			got, left := lowered(t, c.text, 7)
			if got != c.text || len(left) == 0 || left[0] != c.why {
				t.Errorf("%q, left %v", got, left)
			}
		})
	}
}

// A bound is moved just as far as what there is needs, rounded to its own side.
func TestRewritten(t *testing.T) {
	for _, c := range []struct {
		key, old string
		to       float64
		want     string
	}{
		{"max", "20", 21, "21"}, {"max", "20", 20, ""}, {"max", "2KiB", 3000, "2.93KiB"}, {"max", "2KiB", 2047, ""}, {"max_variants", "1", 3, "3"},
		{"min", "20", 19, "19"}, {"min", "2KiB", 2000, "1.95KiB"}, {"min", "2KiB", 3000, "2.92KiB"}, {"min", "0.5", 0.25, "0.25"},
		{"equal", "20", 19, "19"}, {"equal", "2KiB", 3001, "3001"}, {"equal", "2KiB", 2048, ""},
		{"max", "20", 7, "7"}, {"max", "20", 0, "0"}, {"max", "20", 19.5, "19.5"}, {"max", "0", 0, ""},
		{"max", "2KiB", 1024, "1KiB"}, {"max", "2KiB", 1025, "1.01KiB"}, {"max", "2KiB", 2027, "1.98KiB"}, {"max", "2KiB", 2028, "1.99KiB"},
		{"max", "1GB", 5e8, "0.5GB"}, {"max", "1GB", 1, "0.01GB"}, {"max", "0.01GB", 1, ""}, {"max", "3B", 2, "2B"}, {"max", "many", 1, ""}, {"max", "5%", 1, ""},
	} {
		got := rewritten(sizeUnits, c.key, c.old, c.to)
		if got != c.want {
			t.Errorf("%s: %s for %v became %q, wanted %q", c.key, c.old, c.to, got, c.want)
		}
		if n, ok := ParseSize(got); got != "" && (!ok || c.key != "min" && n < c.to || c.key == "min" && n > c.to || math.IsInf(n, 0)) {
			t.Errorf("%s: %s for %v is %q, which does not let it pass", c.key, c.old, c.to, got)
		}
	}
}

// A bound that lets too little pass is no slack, whichever way it has to move.
func TestNarrow(t *testing.T) {
	for _, c := range []struct {
		key, from      string
		to             float64
		raised, narrow bool
	}{{"max", "3", 5, true, true}, {"max", "5", 3, false, false}, {"max_increase", "5", 3, false, false}, {"min", "5", 3, false, true}, {"equal", "5", 3, false, true}} {
		b := &Budget{Key: c.key, From: c.from, To: c.to}
		if b.Raised() != c.raised || b.Narrow() != c.narrow {
			t.Errorf("%s %s to %v: raised %v, narrow %v", c.key, c.from, c.to, b.Raised(), b.Narrow())
		}
	}
}

// However a budget is written, another one lets what there is pass and lies no further from it, and the file reads as before but for it.
func FuzzSetBudgets(f *testing.F) {
	f.Add("20", 7.0)
	f.Add("2.5GiB", 1e9)
	f.Add("1e3", 999.5)
	f.Add("20", 21.5)
	f.Fuzz(func(t *testing.T, old string, to float64) {
		text := "version: 1\nrules:\n  - { rule: max-temp-bytes, max: " + old + " } # kept\n"
		cfg, err := Parse(rules.All, "xlagate.yaml", []byte(text))
		if err != nil || len(cfg.Rules) != 1 || cfg.Rules[0].Max == nil || to < 0 || to > 1e15 {
			return
		}
		was := *cfg.Rules[0].Max
		out := SetBudgets(cfg, []byte(text), []*Budget{{Settings: cfg.Rules[0], Key: "max", To: to}})
		after, err := Parse(rules.All, "xlagate.yaml", out)
		if err != nil {
			t.Fatalf("%q became %q: %v", text, out, err)
		}
		is := *after.Rules[0].Max
		if string(out) != text && is < to || to <= was && is > was || to > was && is < was {
			t.Errorf("%q became %q for %v", text, out, to)
		}
	})
}
