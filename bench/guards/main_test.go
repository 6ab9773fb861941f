package main

import (
	"os"
	"testing"
)

// Each change of the table can be made: its text is in its file once.
func TestTable(t *testing.T) {
	t.Chdir("../..")
	list, err := mutants(table)
	if err != nil || len(list) < 200 {
		t.Fatalf("%d changes: %v", len(list), err)
	}
	for i := range list {
		if _, _, err := list[i].apply(); err != nil {
			t.Error(err)
		}
		if len(list[i].tests) == 0 {
			t.Errorf("%s: no tests", list[i].file)
		}
	}
}

// A line that is none of the table is an error, so that no change is left out in silence.
func TestTableIsRead(t *testing.T) {
	list, err := mutants("test ./a & ./b -run X\nin f.go\n-old\n-two\n+new\n\n# why\n-gone\n")
	if err != nil || len(list) != 2 || list[0].old != "old\ntwo" || list[0].new != "new" || list[1].new != "" || len(list[1].tests) != 2 {
		t.Errorf("%+v %v", list, err)
	}
	if _, err := mutants("in f.go\nold\n"); err == nil {
		t.Error("a line without a sign is taken")
	}
}

// A change that a test notices is killed, one that no test can notice is not.
func TestKilled(t *testing.T) {
	t.Chdir("../..")
	for text, want := range map[string]bool{`s != ""`: true, "\t_ \"embed\"": false} {
		m := mutant{file: "bench/guards/main.go", tests: [][]string{{"./bench/guards", "-run", "TestTableIsRead"}}}
		data, err := os.ReadFile(m.file)
		if err != nil {
			t.Fatal(err)
		}
		if text == `s != ""` {
			m.old, m.new = "case line == \"\", kind == \"#\":", "case kind == \"#\":"
		} else {
			m.old, m.new = text, text+" "
		}
		changed, _, err := m.apply()
		if err != nil || string(changed) == string(data) {
			t.Fatal(err)
		}
		if got, err := m.killed(changed); err != nil || got != want {
			t.Errorf("%q: killed %v, %v", text, got, err)
		}
	}
}
