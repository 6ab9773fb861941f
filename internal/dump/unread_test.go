package dump

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A final module that no facts can come from says what there is of it instead.
func TestFinalModulesThatCannotBeRead(t *testing.T) {
	const name = "module_0001.jit_f.cpu_after_optimizations."
	for _, c := range []struct{ files, want string }{
		{"dot", "was only drawn (dot)"},
		{"html", "was only drawn (html)"},
		{"dot html", "was only drawn (dot, html)"},
		{"riegeli", "riegeli only"},
		{"url", "there is only a link (url)"},
	} {
		dir := t.TempDir()
		for _, ext := range strings.Fields(c.files) {
			if err := os.WriteFile(filepath.Join(dir, name+ext), []byte("digraph { a }\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		d := openDir(t, dir)
		var told []string
		for _, p := range d.Problems {
			told = append(told, p.Message)
		}
		if len(told) != 1 || !strings.Contains(told[0], c.want) {
			t.Errorf("%s: %q, wanted %q", c.files, told, c.want)
		}
		if len(d.Modules) != 1 || d.Modules[0].Optimized() == nil || d.Modules[0].Optimized().HLO() != nil {
			t.Errorf("%s: %d modules", c.files, len(d.Modules))
		}
	}
}

// A module that was not dumped at its end says where on its way it is.
func TestReached(t *testing.T) {
	for _, c := range []struct {
		stage Stage
		want  string
	}{
		{Stage{Kind: StagePass, Pass: Pass{Pipeline: "p", After: "fusion", Before: "dce"}}, "after pass fusion"},
		{Stage{Kind: StagePass, Pass: Pass{Pipeline: "p", After: "pipeline-start", Before: "dce"}}, "before pass dce"},
		{Stage{Kind: StagePass, Pass: Pass{Pipeline: "p", After: "pipeline-start"}}, "before pass p"},
		{Stage{Kind: StagePass, Pass: Pass{Pipeline: "p"}}, "after pass p"},
		{Stage{Kind: StageAfter}, ""},
		{Stage{Kind: StageBefore}, ""},
	} {
		if got := (&Module{Stages: []Stage{c.stage}}).Reached(); got != c.want {
			t.Errorf("%+v: %q", c.stage, got)
		}
	}
}

// A stage has one file of each format; the text says more than the proto, and that more than a drawing.
func TestFilesOfAStage(t *testing.T) {
	m := &Module{}
	for _, f := range []struct {
		name string
		kind Kind
	}{{"a.html", KindHTML}, {"a.pb", KindHLOProto}, {"a.txt", KindHLOText}, {"b.txt", KindHLOText}, {"a.url", KindURL}} {
		m.take(InMemory(f.name, nil), role{&Stage{Kind: StageAfter, Label: "after_optimizations"}, f.kind})
	}
	s := m.Optimized()
	var names []string
	for _, f := range s.Files {
		names = append(names, f.Path)
	}
	if got := strings.Join(names, " "); got != "a.txt a.pb a.html a.url" || len(m.Companions) != 1 || m.Companions[0].Path != "b.txt" {
		t.Errorf("the stage has %s, the module beside it %d", got, len(m.Companions))
	}
	if s.HLO().Path != "a.txt" || s.File(KindDot, KindHTML).Path != "a.html" || s.File(KindRiegeli) != nil || len(m.Files()) != 5 {
		t.Errorf("%v, %v", s.HLO(), m.Files())
	}
}
