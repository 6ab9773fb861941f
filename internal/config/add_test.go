package config

import (
	"strings"
	"testing"
)

func TestAddTarget(t *testing.T) {
	const file = "version: 1\n# models\ntargets: # two\n%s# the large one\n%s- name: big # slow\n%s  dump: build/xla\nrules: [] # none\n"
	for _, indent := range []string{"", "  "} {
		text := strings.ReplaceAll(file, "%s", indent)
		want := strings.Replace(text, "# two\n", "# two\n"+indent+"- name: \"small/cpu\"\n"+indent+"  capture: { run: \"python small.py\" }\n", 1)
		got, err := AddTarget([]byte(text), "small/cpu", "python small.py")
		if err != nil || string(got) != want {
			t.Errorf("%v\n%s\nwanted\n%s", err, got, want)
		}
	}
	for _, text := range []string{"", "version: 1\n", "version: 1\ntargets: []\n", "targets: [{ name: a, dump: b }]\n", "targets: {\n"} {
		if got, err := AddTarget([]byte(text), "b", "c"); err == nil {
			t.Errorf("%q became %q", text, got)
		}
	}
}
