package main

import (
	"strings"
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

// A change that a test notices is killed, one that no test can notice is not, and one that does not compile is an error.
func TestKilled(t *testing.T) {
	t.Chdir("../..")
	tests := [][]string{{"./bench/guards", "-run", "TestTableIsRead"}}
	for _, c := range []struct {
		fresh  string
		killed bool
		err    string
	}{{`case kind == "#":`, true, ""}, {`case kind == "#", line == "":`, false, ""}, {`case kind == 1:`, false, "[build failed]"}} {
		m := mutant{file: "bench/guards/main.go", old: `case line == "", kind == "#":`, new: c.fresh, tests: tests}
		changed, _, err := m.apply()
		if err != nil {
			t.Fatal(err)
		}
		killed, err := m.killed(changed)
		if killed != c.killed || (err != nil) != (c.err != "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: killed %v, %v", c.fresh, killed, err)
		}
	}
}
