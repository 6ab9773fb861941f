package config

import (
	"strings"
	"testing"
)

// lowered lowers every max of a configuration to a number, and gives the text with why anything was left.
func lowered(t *testing.T, text string, to float64) (string, []string) {
	t.Helper()
	cfg, err := Parse("xlagate.yaml", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	var list []*Lowering
	for _, s := range cfg.Rules {
		key := "max"
		if s.MaxKey != "" {
			key = s.MaxKey
		}
		if _, ok := s.Marks[key]; ok {
			list = append(list, &Lowering{Settings: s, Key: key, To: to})
		}
	}
	out := string(Lower(cfg, []byte(text), list))
	var left []string
	for _, l := range list {
		if l.Left != "" {
			left = append(left, l.Place()+" "+l.Left)
		}
	}
	return out, left
}

// A budget's number changes, and nothing else of the file does.
func TestLowerKeepsTheRest(t *testing.T) {
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
func TestLowerLeaves(t *testing.T) {
	for name, c := range map[string]struct{ text, why string }{
		"a folded number": {"version: 1\nrules:\n  - rule: max-temp-bytes\n    max: >-\n      2KiB\n", "xlagate.yaml:4:10 it does not stand where it was read"},
		"an escape":       {"version: 1\nrules:\n  - { rule: max-temp-bytes, max: \"2\\x4biB\" }\n", "xlagate.yaml:3:34 it does not stand where it was read"},
		"a merge key":     {"version: 1\nrules:\n  - &k { rule: max-kernels, max: 20, program: a }\n  - { <<: *k, program: b }\n", "xlagate.yaml:3:34 an alias or a merge key shares it with another entry"},
		"lower already":   {"version: 1\nrules:\n  - { rule: max-kernels, max: 5 }\n", "xlagate.yaml:3:31 in its unit nothing lower can be written"},
	} {
		t.Run(name, func(t *testing.T) {
			got, left := lowered(t, c.text, 7)
			if got != c.text || len(left) == 0 || left[0] != c.why {
				t.Errorf("%q, left %v", got, left)
			}
		})
	}
}

// However a budget is written, a lower one never lets less pass than there is, and the file reads as before but for it.
func FuzzLower(f *testing.F) {
	f.Add("20", 7.0)
	f.Add("2.5GiB", 1e9)
	f.Add("1e3", 999.5)
	f.Fuzz(func(t *testing.T, old string, to float64) {
		text := "version: 1\nrules:\n  - { rule: max-temp-bytes, max: " + old + " } # kept\n"
		cfg, err := Parse("xlagate.yaml", []byte(text))
		if err != nil || len(cfg.Rules) != 1 || cfg.Rules[0].Max == nil || to < 0 || to > 1e15 {
			return
		}
		out := Lower(cfg, []byte(text), []*Lowering{{Settings: cfg.Rules[0], Key: "max", To: to}})
		after, err := Parse("xlagate.yaml", out)
		if err != nil {
			t.Fatalf("%q became %q: %v", text, out, err)
		}
		if is := *after.Rules[0].Max; is > *cfg.Rules[0].Max || string(out) != text && is < to {
			t.Errorf("%q became %q for %v", text, out, to)
		}
	})
}
