package rules

import (
	"testing"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/rule"
)

// One kind of collective may take another's place, where the settings say so, while all together are no more and move no more.
func TestMaxCollectivesExchange(t *testing.T) {
	gathers := []facts.Kernel{collective("all-gather", 16384), collective("all-gather", 4096)}
	for name, c := range map[string]struct {
		exchange  bool
		now       []facts.Kernel
		findings  int
		tolerance float64
	}{
		"fewer and smaller":     {true, []facts.Kernel{collective("all-reduce", 4096)}, 0, 0},
		"not asked for":         {false, []facts.Kernel{collective("all-reduce", 4096)}, 1, 0},
		"fewer but larger":      {true, []facts.Kernel{collective("all-reduce", 65536)}, 1, 0},
		"smaller but more":      {true, []facts.Kernel{collective("all-reduce", 8), collective("all-reduce", 8), collective("all-reduce", 8)}, 1, 0},
		"larger":                {true, []facts.Kernel{collective("all-gather", 16384), collective("all-gather", 8192)}, 1, 0},
		"larger by a scalar":    {true, []facts.Kernel{collective("all-gather", 16384), collective("all-gather", 4100)}, 1, 0},
		"by what is tolerated":  {true, []facts.Kernel{collective("all-gather", 16384), collective("all-gather", 4100)}, 0, 0.01},
		"larger by two percent": {true, []facts.Kernel{collective("all-gather", 16384), collective("all-gather", 4510)}, 1, 0.01},
		"one beside the others": {true, append([]facts.Kernel{collective("all-reduce", 8)}, gathers...), 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			v := &diff.Variant{Old: &facts.Variant{Kernels: gathers}, New: &facts.Variant{Kernels: c.now}}
			p := &diff.Program{Name: "step", Old: &facts.Program{}, New: &facts.Program{}, Variants: []*diff.Variant{v}}
			ctx := &rule.Context{Settings: &rule.Settings{Rule: &maxCollectives, MaxIncrease: &rule.Change{}, Options: map[string]any{"exchange": c.exchange, "traffic_tolerance": c.tolerance}}, Said: &rule.Said{}}
			checkMaxCollectives(ctx, p)
			if len(ctx.Findings) != c.findings {
				t.Errorf("%d findings, wanted %d: %+v", len(ctx.Findings), c.findings, ctx.Findings)
			}
		})
	}
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
