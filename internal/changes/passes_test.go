package changes_test

import (
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/facts"
)

// through is a module on its way: "before 10 | cse 9 | fusion 4", each stage a pass with how many instructions it left. A letter
// behind the number makes the program another one.
func through(text string) []facts.ModulePasses {
	m := facts.ModulePasses{Module: "module_0001.f"}
	for i, part := range strings.Split(text, " | ") {
		words := strings.Fields(part)
		s := facts.PassStage{Kind: dump.StagePass, Fingerprint: words[1], Opcodes: map[string]int{}, Instructions: int(words[1][0] - '0')}
		s.Pass = dump.Pass{Number: i, Pipeline: "main", After: words[0]}
		m.Stages = append(m.Stages, s)
	}
	return []facts.ModulePasses{m}
}

func firstDifference(t *testing.T, old, fresh []facts.ModulePasses) string {
	t.Helper()
	of := func(print string) *facts.Report {
		v := variant("()", print)
		v.Modules = []string{"module_0001.f"}
		return report(&facts.Program{Name: "f", Variants: []*facts.Variant{v}})
	}
	d := changes.Compare(of("old"), of("fresh"))
	changes.FillPasses(d, old, fresh)
	return only(t, d).FirstPass
}

func TestFirstPassThatDiffers(t *testing.T) {
	for name, c := range map[string]struct{ old, fresh, want string }{
		"never":                    {"start 9 | cse 8 | fusion 4", "start 9 | cse 8 | fusion 4", ""},
		"at once":                  {"start 9 | cse 8", "start 9 | cse 7", "after pass 0001 cse (main): instructions 9 → 7; in the old one instructions 9 → 8"},
		"later":                    {"start 9 | cse 8 | fusion 4", "start 9 | cse 8 | fusion 5", "after pass 0002 fusion (main): instructions 8 → 5; in the old one instructions 8 → 4"},
		"a pass that did nothing":  {"start 9 | fusion 4", "start 9", "after pass 0001 fusion (main): it did nothing; in the old one instructions 9 → 4"},
		"a pass that did more":     {"start 9", "start 9 | dce 8", "after pass 0001 dce (main): instructions 9 → 8; in the old one it did nothing"},
		"apart and together again": {"start 9 | cse 8 | fusion 4", "start 9a | cse 8 | fusion 5", "after pass 0002 fusion (main): instructions 8 → 5; in the old one instructions 8 → 4"},
		"another model":            {"start 9 | cse 8", "start 7 | cse 6", "before any pass: every pass did the same to both"},
		"another model and pass":   {"start 9 | cse 8", "start 7 | cse 5", "after pass 0001 cse (main): instructions 7 → 5; in the old one instructions 9 → 8; the two differ before any pass"},
		"only inside":              {"start 9 | cse 9a", "start 9 | cse 9b", "after pass 0001 cse (main): it changed operations without adding or removing any"},
	} {
		if got := firstDifference(t, through(c.old), through(c.fresh)); got != c.want {
			t.Errorf("%s: %q, wanted %q", name, got, c.want)
		}
	}
}

// Nothing is said where one side was dumped without passes, or its module is not among them.
func TestPassesOfOneSideOnly(t *testing.T) {
	one := through("start 9 | cse 8")
	other := through("start 9 | cse 7")
	other[0].Module = "module_0002.g"
	before := through("start 9 | cse 7")
	for i := range before[0].Stages {
		before[0].Stages[i].Kind = dump.StageBefore
	}
	for name, list := range map[string][]facts.ModulePasses{"none": nil, "another module": other, "no pass": before} {
		if got := firstDifference(t, one, list) + firstDifference(t, list, one); got != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// What a pass did is counted in everything that a pass is for.
func TestWhatAPassDid(t *testing.T) {
	old, fresh := through("start 9 | cse 9a"), through("start 9 | cse 9b")
	s := &fresh[0].Stages[1]
	s.Fusions, s.Collectives, s.Opcodes = 2, 1, map[string]int{"copy": 1, "copy-start": 2, "transpose": 4, "while": 5, "custom-call": 6}
	want := "after pass 0001 cse (main): fusions 0 → 2, collectives 0 → 1, copies 0 → 3, transposes 0 → 4, loops 0 → 5, custom calls 0 → 6; in the old one it changed operations without adding or removing any"
	if got := firstDifference(t, old, fresh); got != want {
		t.Errorf("%q", got)
	}
}

// A stage that is no pass is called what it is; a pass whose name is not known by its pipeline.
func TestNamesOfStages(t *testing.T) {
	old, fresh := through("start 9 | cse 8"), through("start 9 | cse 7")
	fresh[0].Stages[1].Pass.After, old[0].Stages[1].Pass.After = "", ""
	if got := firstDifference(t, old, fresh); !strings.HasPrefix(got, "after pass 0001 main: ") {
		t.Error(got)
	}
	fresh[0].Stages[1].Kind, old[0].Stages[1].Kind = dump.StageAfter, dump.StageAfter
	if got := firstDifference(t, old, fresh); !strings.HasPrefix(got, strings.ReplaceAll(string(dump.StageAfter), "-", " ")+": ") {
		t.Error(got)
	}
}
