package config

import (
	"testing"

	"github.com/xlagate/xlagate/internal/rule"
)

// A value is found where it was read, by runes and not by bytes, and nowhere else.
func TestOffset(t *testing.T) {
	lines := []string{"max: 20\n", "größe: 20\n", "\n", "20", "max: \"20\"\n", "max: '20\"\n"}
	for _, c := range []struct {
		line, column int
		text         string
		plain        bool
		want         int
	}{
		{1, 6, "20", true, 5}, {2, 8, "20", true, 9}, {4, 1, "20", true, 0}, {1, 1, "max", true, 0},
		{0, 1, "20", true, -1}, {9, 1, "20", true, -1}, {1, 5, "20", true, -1}, {1, 99, "20", true, -1}, {3, 1, "20", true, -1}, {3, 5, "20", true, -1}, {4, 3, "", true, 2}, {4, 4, "", true, -1},
		{5, 6, "20", false, 6}, {5, 6, "20", true, -1}, {5, 6, "2", false, -1}, {6, 6, "20", false, -1}, {1, 6, "20", false, -1}, {4, 3, "", false, -1},
	} {
		if got := offset(lines, rule.Mark{Line: c.line, Column: c.column, Text: c.text, Plain: c.plain}); got != c.want {
			t.Errorf("line %d, column %d, %q: %d, wanted %d", c.line, c.column, c.text, got, c.want)
		}
	}
}

// Where a file changed since it was read, its numbers are left alone.
func TestLowerInAnotherFile(t *testing.T) {
	cfg := read(t, "version: 1\nrules:\n  - { rule: max-kernels, max: 20 }\n")
	for _, text := range []string{"", "version: 1\n", "version: 1\nrules:\n  - { rule: max-copies, max: 20 }\n"} {
		l := &Budget{Settings: cfg.Rules[0], Key: "max", To: 7}
		if got := string(SetBudgets(cfg, []byte(text), []*Budget{l})); got != text || l.Left != "it is no longer where it was read" {
			t.Errorf("%q became %q, left %q", text, got, l.Left)
		}
	}
}

// What is left already is left, and says so as before.
func TestLowerLeavesWhatIsLeft(t *testing.T) {
	const text = "version: 1\nrules:\n  - { rule: max-kernels, max: 20 }\n"
	cfg := read(t, text)
	l := &Budget{Settings: cfg.Rules[0], Key: "max", To: 7, Left: "it is a tolerance"}
	if got := string(SetBudgets(cfg, []byte(text), []*Budget{l})); got != text || l.Left != "it is a tolerance" || l.From != "20" || l.Place() != "models/xlagate.yaml:3:31" {
		t.Errorf("%q, %+v at %s", got, l, l.Place())
	}
}
