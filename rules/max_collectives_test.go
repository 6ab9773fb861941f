package rules

import (
	"testing"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/rule"
)

// Each kind is held to its own number, and what all of them move to what they moved.
func TestMaxCollectives(t *testing.T) {
	gathers := []facts.Kernel{collective("all-gather", 16384), collective("all-gather", 4096)}
	for name, c := range map[string]struct {
		now      []facts.Kernel
		findings int
	}{
		"the same":           {gathers, 0},
		"fewer":              {gathers[:1], 0},
		"another kind":       {[]facts.Kernel{collective("all-reduce", 4096)}, 1},
		"larger by a scalar": {[]facts.Kernel{collective("all-gather", 16384), collective("all-gather", 4100)}, 1},
		"one more":           {append([]facts.Kernel{collective("all-reduce", 8)}, gathers...), 1},
	} {
		t.Run(name, func(t *testing.T) {
			if found := judgedCollectives(&maxCollectives, gathers, c.now); len(found) != c.findings {
				t.Errorf("%d findings, wanted %d: %+v", len(found), c.findings, found)
			}
		})
	}
}

// judgedCollectives is what a rule finds in collectives that took the place of others.
func judgedCollectives(r *rule.Rule, was, now []facts.Kernel) []rule.Finding {
	v := &diff.Variant{Old: &facts.Variant{Kernels: was}, New: &facts.Variant{Kernels: now}}
	p := &diff.Program{Name: "step", Old: &facts.Program{}, New: &facts.Program{}, Variants: []*diff.Variant{v}}
	c := &rule.Context{Settings: &rule.Settings{Rule: r, MaxIncrease: &rule.Change{}, Options: map[string]any{}}, Said: &rule.Said{}}
	r.Program(c, p)
	return c.Findings
}

func collective(kind string, bytes int64) facts.Kernel {
	form := &facts.Form{Kind: "collective", Target: kind, Do: facts.OpcodesOf(kind), Bytes: bytes, Class: facts.ClassCollective}
	return facts.Kernel{Form: form, Site: &facts.Site{Times: 1}}
}

// An all-reduce that the compiler took out of a loop names the loop; the model asks for it on a line of its own.
func TestCollectiveThatLeftItsLoop(t *testing.T) {
	at := func(line int32) hlo.Location { return hlo.Location{File: "train.py", Line: line} }
	reduce := func(line int32) *facts.Kernel {
		return &facts.Kernel{Form: &facts.Form{Target: "all-reduce", Class: facts.ClassCollective}, Site: &facts.Site{Source: at(line)}}
	}
	v := &diff.Variant{
		Old: &facts.Variant{},
		New: &facts.Variant{Model: []facts.Statement{{Do: []string{"while"}, Source: at(30)}, {Do: []string{"add", "all-reduce"}, Source: at(28)}, {Do: []string{"all-reduce"}, Source: at(31)}}},
		Causes: []diff.Cause{
			{Edits: []diff.Edit{{Source: at(31), Added: []diff.Step{{Opcode: "divide", Count: 1}}}, {Added: []diff.Step{{Opcode: "all-reduce", Count: 1}}}}},
			{Edits: []diff.Edit{{Source: at(28), Added: []diff.Step{{Opcode: "all-reduce", Count: 1}}}}},
		},
	}
	for line, want := range map[int32]int32{30: 28, 31: 0, 28: 0} {
		got := int32(0)
		if e := addedFor(v, reduce(line)); e != nil {
			got = e.Source.Line
		}
		if got != want {
			t.Errorf("an all-reduce on line %d was added on line %d, want %d", line, got, want)
		}
	}
}
