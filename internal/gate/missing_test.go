package gate

import (
	"context"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/facts"
)

// calling measures a dump of one program, and gives the program a name.
func calling(t *testing.T, dump, name string) *facts.Report {
	t.Helper()
	r, err := MeasureDump(context.Background(), Options{}, dumps+dump+".tar.xz", nil)
	if err != nil || len(r.Programs) != 1 {
		t.Fatal(len(r.Programs), err)
	}
	r.Programs[0].Name = name
	return r
}

// Where a program that the configuration names is not in the dump, the one that it may have become is named.
func TestMissingProgram(t *testing.T) {
	const layer, scale = "cpu-renamed/before", "cpu-improved/before"
	for name, c := range map[string]struct {
		include, was, is string // what is included; what the baseline calls layer; what the dump calls the program it holds
		dump             string
		says, fix        string
	}{
		"another name":       {"encode", "encode", "forward", layer, "was it renamed to forward,", `write "forward" for "encode"`},
		"hardly another":     {"encode", "", "encoder", layer, "did you mean encoder,", `write "encoder" for "encode"`},
		"mistyped":           {"encdoe", "encode", "encode", layer, `no program matches "encdoe"; did you mean encode,`, `write "encode" for "encdoe"`},
		"another program":    {"encode", "encode", "loss", scale, "programs.include leaves out loss", "xlagate inspect"},
		"a pattern":          {"enc*", "encode", "forward", layer, "was it renamed to forward,", `write "forward" for "enc*"`},
		"no pattern fits it": {"dec*", "encode", "forward", layer, "programs.include leaves out forward", "xlagate inspect"},
	} {
		l := &measuredTarget{Target: config.Target{Include: []string{c.include}}, report: calling(t, c.dump, c.is)}
		if c.was != "" {
			l.base = calling(t, layer, c.was)
		}
		l.restrict()
		if len(l.problems) != 1 || !strings.Contains(l.problems[0].Message, c.says) || !strings.Contains(l.problems[0].Fix, c.fix) {
			t.Errorf("%s: %+v, want %q and %q", name, l.problems, c.says, c.fix)
		}
	}
}

// A fact that is known without its file stands for the file only where it says no less than before.
func TestFactWithoutItsFile(t *testing.T) {
	file := inputs[0]
	for is, want := range map[float64]bool{-1: true, 5: true, 10: false, 12: false} {
		v := &changes.Variant{Old: &facts.Variant{Facts: facts.Values{file.fact: 10}}, New: &facts.Variant{Facts: facts.Values{file.fact: is}}}
		if is < 0 {
			clear(v.New.Facts)
		}
		if v.New.Missing = []string{file.name}; file.missing(v) != want {
			t.Errorf("%v after 10: %v", is, !want)
		}
		if v.New.Missing = nil; file.missing(v) {
			t.Errorf("%v after 10, with the file: it is missing", is)
		}
	}
}

// What makes a baseline where none is can be typed as it is printed.
func TestHowToAccept(t *testing.T) {
	const accept, commit = "xlagate accept --reason \"why\"", ", then commit what it writes"
	for where, want := range map[string]string{
		".xlagate":                 accept + commit,
		"git:HEAD:ci/base":         accept + " --baseline ci/base" + commit,
		"git:origin/main:.xlagate": accept + " --baseline .xlagate" + commit + " to origin/main",
		"git:1a2b3c4d:.xlagate":    "name a revision that holds one: git log --oneline -- .xlagate lists those that changed it",
		"git:HEAD~2:.xlagate":      "name a revision that holds one: git log --oneline -- .xlagate lists those that changed it",
	} {
		if got := howToAccept(where); got != want {
			t.Errorf("%s: %q, wanted %q", where, got, want)
		}
	}
}

// A program that the configuration leaves out on purpose is not offered for one that is missing.
func TestMissingProgramBesideExcluded(t *testing.T) {
	l := &measuredTarget{Target: config.Target{Include: []string{"encode"}, Exclude: []string{"forward"}}, report: calling(t, "cpu-renamed/before", "forward")}
	l.base = calling(t, "cpu-renamed/before", "encode")
	l.restrict()
	if message := l.problems[0].Message; strings.Contains(message, "forward") {
		t.Error(message)
	}
}
