package gate

import (
	"strings"
	"testing"
)

// told is what is said of a pull request that makes one configuration into another: EFFECT SUBJECT [SCOPE]: TEXT, one a line.
func told(t *testing.T, old, fresh string) string {
	t.Helper()
	changes, err := ComparePolicies(Policy{Config: parse(t, old)}, Policy{Config: parse(t, fresh)})
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, c := range changes {
		if c.File != "xlagate.yaml" {
			t.Errorf("%s is said of %q", c.Text, c.File)
		}
		lines = append(lines, strings.Join(strings.Fields(string(c.Effect)+" "+c.Subject+" "+c.Scope+": "+c.Text), " "))
	}
	return strings.ReplaceAll(strings.Join(lines, "\n"), " :", ":")
}

// withRules is a configuration of nothing but these entries.
func withRules(entries ...string) string {
	text := "version: 1\nrules:\n  - {rule: no-host-callback}\n"
	for _, e := range entries {
		text += "  - " + e + "\n"
	}
	return text
}
